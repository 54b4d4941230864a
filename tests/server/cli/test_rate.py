"""`palio rate`: ratings from a file, for people and for programs."""

import json
from datetime import UTC, datetime

import msgspec
import pytest

from palio_rules.contract.messages import Result
from palio_rules.records.record import Record, Setup
from palio_rules.records.text import record_to_text
from palio_server.cli.palio import call

GAMES = "first,second,score\na,b,1\nb,c,1\nc,a,1\na,b,0.5\n"
THEN = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text(GAMES)
    return str(path)


def test_for_programs_it_is_a_list_the_best_first(csv, capsys):
    assert call(["rate", csv, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [sorted(row) for row in rows] == [["error", "games", "name", "rating", "score"]] * 3
    assert [row["rating"] for row in rows] == sorted((row["rating"] for row in rows), reverse=True)
    assert sum(row["rating"] for row in rows) == pytest.approx(0, abs=1e-6)
    assert {row["name"]: (row["games"], row["score"]) for row in rows} == {"a": (3, 1.5), "b": (3, 1.5), "c": (2, 1.0)}


@pytest.mark.parametrize("words", [["--mean=-100"], ["--mean", "-100"], ["--anchor", "a=-80.5"]])
def test_mean_and_anchor(csv, capsys, words):
    assert call(["rate", csv, "--json", *words]) == 0
    rows = {row["name"]: row["rating"] for row in json.loads(capsys.readouterr().out)}
    if "--anchor" in words:
        assert rows["a"] == pytest.approx(-80.5)
    else:
        assert sum(rows.values()) == pytest.approx(-300)


def test_people_get_a_table(csv, capsys):
    assert call(["rate", csv]) == 0
    head, first, *_, last = capsys.readouterr().out.splitlines()
    assert head.split() == ["#", "player", "rating", "+/-", "games", "points", "score"]
    assert first.split()[0] == "1"
    assert last == "4 results"


def test_without_a_finite_maximum_a_sentence_says_so_and_the_rest_is_given(tmp_path, capsys):
    path = tmp_path / "games.csv"
    path.write_text(GAMES + "z,a,1\n")
    assert call(["rate", str(path), "--json"]) == 0
    shown = capsys.readouterr()
    assert "z won every game" in shown.err
    rows = {row["name"]: row for row in json.loads(shown.out)}
    assert rows["z"]["rating"] is None
    assert rows["z"]["part"] != rows["a"]["part"]
    assert call(["rate", str(path)]) == 0
    assert "Not determined" in capsys.readouterr().out


def test_our_own_records_can_be_rated_as_text_and_as_json(tmp_path, capsys):
    records = [
        Record(f"m{number}", Setup("dominoes", bots), (), Result("time", "flag-fell", scores, number), THEN, THEN)
        for number, (bots, scores) in enumerate([(("ann", "bob"), [0.0, 1.0]), (("bob", "ann"), [1.0, 0.0])])
    ]
    records.append(msgspec.structs.replace(records[0], match="m3", result=Result("time", "flag-fell", [1.0, 0.0], 1)))
    text, lines = tmp_path / "games.txt", tmp_path / "games.jsonl"
    text.write_text("\n".join(map(record_to_text, records)))
    lines.write_text("".join(msgspec.json.encode(record).decode() + "\n" for record in records))
    answers = []
    for path in (text, lines):
        assert call(["rate", str(path), "--json"]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1]
    assert [(row["name"], row["score"]) for row in json.loads(answers[0])] == [("bob", 2.0), ("ann", 1.0)]


def test_games_without_a_result_are_told(tmp_path, capsys):
    path = tmp_path / "games.pgn"
    path.write_text('[White "a"]\n[Black "b"]\n[Result "*"]\n\n*\n')
    assert call(["rate", str(path)]) == 2
    err = capsys.readouterr().err
    assert "1 games without a result (*) are left out" in err
    assert "there is no result in" in err


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["--anchor", "a"], 2, "--anchor takes NAME=RATING"),
        (["--anchor", "a=x"], 2, "--anchor takes NAME=RATING"),
        (["--anchor", "a=1", "--anchor", "a=2"], 2, "given twice"),
        (["--anchor", "aa=1"], 2, "the anchor 'aa' has no game"),
        (["--anchor", "a=1", "--mean", "2"], 2, "give either --mean or --anchor"),
    ],
)
def test_options_that_make_no_sense_are_refused(csv, capsys, words, code, sentence):
    assert call(["rate", csv, *words]) == code
    assert sentence in capsys.readouterr().err


def test_a_bad_row_is_refused_with_its_line(tmp_path, capsys):
    path = tmp_path / "games.csv"
    path.write_text(GAMES + "a,b\n")
    assert call(["rate", str(path)]) == 1
    assert "games.csv:6: a row has first, second and score" in capsys.readouterr().err
