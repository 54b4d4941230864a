"""What users of cutechess-cli and fastchess type is understood; what belongs to a program is left alone."""

import pytest

from palio_server.cli.palio import respelled


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
    assert respelled(typed.split()) == read.split()


def test_a_program_with_flags_of_its_own_is_one_word_and_stays_so():
    assert respelled(["exec:./engine -fast tc=3"]) == ["exec:./engine -fast tc=3"]
