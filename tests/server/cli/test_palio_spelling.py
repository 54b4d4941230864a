"""Options in the style of cutechess-cli and fastchess are understood; a program's own arguments are left alone."""

import pytest

from palio_server.cli.palio import _read, call


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("-concurrency 4", "--concurrency 4"),
        ("-rounds=10", "--rounds=10"),
        ("tc=10+0.1", "--tc 10+0.1"),
        ("st=0.5", "--st 0.5"),
        ("--rounds 3 -o out.txt -h", "--rounds 3 -o out.txt -h"),
        ("alpha_beta:depth=2 best=./mine.py", "alpha_beta:depth=2 best=./mine.py"),
        ("--openings -1", "--openings -1"),
        ("a -- -rounds tc=1", "a -- -rounds tc=1"),
    ],
)
def test_words_are_read_as_palio_spells_them(typed, read):
    assert _read(typed.split())[0] == read.split()


def test_a_program_with_flags_of_its_own_is_one_word_and_stays_so():
    assert _read(["exec:./engine -fast tc=3"])[0] == ["exec:./engine -fast tc=3"]


def test_after_run_all_words_of_both_programs_are_known():
    typed = "--debug run dominoes -engine cmd=./a -engine cmd=./b -each tc=10+0.1 -games 2 -recover"
    read = "--debug run dominoes exec:./a exec:./b --games-per-encounter 2 --tc 10+0.1 --max-crashes 0"
    assert _read(typed.split())[0] == read.split()


def test_other_verbs_have_only_their_dashes_changed():
    assert _read(["sprt", "-wdl", "1,2,3", "-elo0", "-1.75"])[0] == ["sprt", "--wdl", "1,2,3", "--elo0", "-1.75"]
    assert _read(["match", "list", "run", "-debug"])[0] == ["match", "list", "run", "--debug"]


def test_what_has_no_meaning_is_refused_in_one_sentence(capsys):
    assert call(["run", "dominoes", "a", "b", "-tb", "paths"]) == 2
    assert (
        capsys.readouterr().err == "palio: there is no -tb here: no tablebases; --draw and --resign end games early\n"
    )


def test_what_has_no_effect_is_said_on_stderr(capsys):
    assert call(["run", "braekthrough", "a", "b", "-strict"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "palio: -strict is not needed: the rules check every move, and bots that break them lose",
        "palio: unknown game 'braekthrough'; did you mean 'breakthrough'?",
    ]
