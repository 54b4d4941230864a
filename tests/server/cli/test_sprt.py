"""`palio sprt`: the figures of the calculators of fishtest and fastchess, for people and for programs."""

import json

import pytest

from palio_server.cli.palio import call


def answer(capsys, *words):
    assert call(["sprt", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_games_are_wins_draws_losses(capsys):
    """Disservin/fastchess @74deac2 app/tests/sprt_test.cpp: wins 36433, losses 36027, draws 68692."""
    found = answer(capsys, "--wdl", "36433,68692,36027", "--elo0", "0", "--elo1", "2")
    assert sorted(found) == ["elo", "elo_error", "llr", "los", "lower", "nelo", "nelo_error", "state", "upper"]
    assert found["llr"] == pytest.approx(0.92, abs=0.005)
    assert (found["lower"], found["upper"]) == (pytest.approx(-2.944, abs=1e-3), pytest.approx(2.944, abs=1e-3))
    assert found["state"] == "continue"


@pytest.mark.parametrize("words", [["--elo0=-1.75"], ["--elo0", "-1.75"]])
def test_pairs_and_bounds_below_zero(capsys, words):
    """The same file: LL 127, LD 4883, WL 10311, DD 401, WD 5150, WW 104."""
    found = answer(capsys, "--penta", "127,4883,10712,5150,104", *words, "--elo1", "0.25")
    assert found["llr"] == pytest.approx(3.01, abs=0.005)
    assert found["state"] == "H1"


def test_other_probabilities_move_the_bounds(capsys):
    words = ["--wdl", "30,10,600", "--elo0", "0", "--elo1", "10", "--alpha", ".01", "--beta", ".01"]
    found = answer(capsys, *words, "--model", "bayesian")
    assert (found["lower"], found["upper"], found["state"]) == (
        pytest.approx(-4.595, abs=1e-3),
        pytest.approx(4.595, abs=1e-3),
        "H0",
    )


def test_before_the_first_game_nothing_is_known(capsys):
    found = answer(capsys, "--wdl", "0,0,0", "--elo0", "0", "--elo1", "5")
    assert (found["llr"], found["state"], found["elo_error"]) == (0.0, "continue", None)


def test_people_read_the_verdict_first(capsys):
    assert call(["sprt", "--penta", "127,4883,10712,5150,104", "--elo0=-1.75", "--elo1", "0.25"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "H1 is accepted: at least as strong as elo1"
    assert lines[1] == "LLR: 3.01 (-2.94, 2.94) [-1.75, 0.25], normalized, alpha 0.05, beta 0.05"
    assert any(line.split() == ["Elo", "1.83", "1.70"] for line in lines)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "give the results either by --wdl W,D,L or by --penta"),
        (["--wdl", "1,2,3", "--penta", "1,2,3,4,5"], "give the results either by"),
        (["--wdl", "1,2"], "--wdl takes 3 counts: W,D,L; got 2 in '1,2'"),
        (["--penta", "1,2,3,4,-5"], "--penta: N4 is a count of 0 or more, got '-5'"),
        (["--wdl", "1,x,3"], "--wdl: D is a count of 0 or more, got 'x'"),
        (["--wdl", "1,2,3", "--model", "bayes"], "did you mean 'bayesian'?"),
        (["--penta", "1,2,3,4,5", "--model", "bayesian"], "the model bayesian knows no pairs"),
        (["--wdl", "1,2,3", "--alpha", "1"], "alpha is a probability between 0 and 1"),
        (["--wdl", "1,2,3", "--elo1=-1"], "elo0 must be less than elo1"),
        (["--wdl", "1,2,3", "--elo2", "1"], "there is no option --elo2; did you mean '--elo"),
    ],
)
def test_what_cannot_be_weighed_is_refused(capsys, words, sentence):
    assert call(["sprt", "--elo0", "0", "--elo1", "5", *words]) == 2
    assert sentence in capsys.readouterr().err


def test_without_hypotheses_the_difference_is_told_and_nothing_tested(capsys):
    found = answer(capsys, "--penta", "34,54,63,64,75")
    assert [found[name] for name in ("llr", "lower", "upper", "state")] == [None] * 4
    assert (found["elo"], found["elo_error"]) == (pytest.approx(55.58, abs=0.005), pytest.approx(27.65, abs=0.005))
    assert call(["sprt", "--penta", "34,54,63,64,75"]) == 0
    lines = capsys.readouterr().out
    assert "LLR" not in lines
    assert "likelihood of superiority" in lines
    assert call(["sprt", "--penta", "34,54,63,64,75", "--elo0", "0"]) == 2
    assert "give --elo0 and --elo1, or neither" in capsys.readouterr().err
