"""Answers by GTP are read as the standard has them, and as programs write them."""

import pytest

from palio_clients.engines.gtp_lines import GtpReader
from palio_clients.engines.lines import Answer


def read(*lines, asked=("genmove b",)):
    """Return the answers in the lines to commands that were asked before."""
    reader = GtpReader()
    for command in asked:
        reader.numbered(command)
    return [answer for line in lines if (answer := reader(line)) is not None]


@pytest.mark.parametrize(
    ("lines", "answers"),
    [
        (["=1 D4", ""], [Answer(1, "D4")]),
        (["=1 D4\r", "\r"], [Answer(1, "D4")]),
        (["= D4", ""], [Answer(1, "D4")]),
        (["=1\tD4\x07", ""], [Answer(1, "D4")]),
        (["?1 illegal move", ""], [Answer(1, "illegal move", good=False)]),
        (["=1", ""], [Answer(1, "")]),
        (["thinking", "", "# a comment", "=1 pass", "", "more"], [Answer(1, "pass")]),
        (["=7 D4", ""], []),  # nothing of that number was asked
        (["=one", "=", ""], [Answer(1, "")]),
        (["=1 D4", "=1 E5", ""], [Answer(1, "D4")]),
        (["", "1 D4", "bestmove e2e4"], []),
    ],
)
def test_an_answer_of_one_line(lines, answers):
    assert read(*lines) == answers


def test_a_long_answer_ends_with_an_empty_line():
    assert read("=1 play", "genmove", "", asked=["list_commands"]) == [Answer(1, "play\ngenmove")]
    assert read("=1", "  A B", "2 . .", "", asked=["showboard"]) == [Answer(1, "  A B\n2 . .")]
    assert read("=1 play", "genmove", asked=["list_commands"]) == []


def test_a_long_answer_that_the_next_one_ends_is_told_from_a_whole_one():
    found = read("=1 play", "=2 D4", asked=["list_commands", "genmove b"])
    assert found == [Answer(1, "play", ended=False)]


def test_an_answer_counts_for_the_command_of_its_number():
    assert read("=3 D4", asked=["komi 7", "clear_board", "genmove b"]) == [Answer(3, "D4")]
    assert read("=2", "= D4", "=3 E5", asked=["komi 7", "komi 7", "genmove b"]) == [Answer(2, ""), Answer(3, "E5")]


def test_an_answer_without_end_does_not_fill_the_memory():
    reader = GtpReader()
    reader.numbered("showboard")
    for line in ["=1", *["x" * 1000] * 200]:
        reader(line)
    assert len(reader("").text) < 70_000
