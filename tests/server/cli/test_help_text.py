"""The help of commands: its lines break between words only, on a screen of any width."""

import re
from collections.abc import Iterator

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.cli.help_text import HelpContext, HelpFormatter
from palio_server.cli.palio import palio

CONTINUED = re.compile(r" \\$", re.MULTILINE)


def verbs(command: click.Command = palio, words: tuple[str, ...] = ("palio",)) -> Iterator[tuple[str, ...]]:
    """Yield the words of each command that has a help."""
    yield words
    if isinstance(command, click.Group):
        ctx = HelpContext(command, info_name=words[-1])
        for name in command.list_commands(ctx):
            yield from verbs(command.get_command(ctx, name), (*words, name))


VERBS = list(verbs())


def shown(words: tuple[str, ...], columns: int) -> str:
    """Return what `--help` prints on a screen of this width."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(columns))
        command, ctx = palio, HelpContext(palio, info_name="palio")
        for word in words[1:]:
            command = command.get_command(ctx, word)
            ctx = command.context_class(command, parent=ctx, info_name=word)
        return ctx.get_help()


def test_every_command_is_looked_at():
    assert {("palio", "run"), ("palio", "tournament", "create"), ("palio", "new", "bot")} <= set(VERBS)
    assert len(VERBS) > 40


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
@given(columns=st.integers(40, 200))
def test_no_line_breaks_inside_a_word_or_an_option(words, columns):
    text, whole = shown(words, columns), shown(words, 10_000)
    assert CONTINUED.sub("", text).split() == whole.split()
    wide = [line for line in CONTINUED.sub("", text).splitlines() if len(line) > columns and len(words_of(line)) > 1]
    assert wide == [], "a screen would break them anywhere"


def words_of(line: str) -> list[str]:
    """Return the words of a line; what is quoted is one."""
    return re.findall(r"""(?:'[^']*'|"[^"]*"|\S)+""", line)


def formatted(width: int, write) -> list[str]:
    formatter = HelpFormatter(width=width)
    write(formatter)
    return formatter.getvalue().splitlines()


def test_a_description_stands_beside_its_option_or_where_there_is_no_room_below_it():
    rows = [("--leave-out NAME", "Play without it, one and all."), ("--quiet", "")]
    assert formatted(60, lambda to: to.write_dl(rows)) == ["--leave-out NAME  Play without it, one and all.", "--quiet"]
    assert formatted(30, lambda to: to.write_dl(rows)) == [
        "--leave-out NAME",
        "    Play without it, one and",
        "    all.",
        "--quiet",
    ]


def test_a_word_with_a_hyphen_stays_whole():
    assert formatted(20, lambda to: to.write_text("the option --leave-out-all is one")) == [
        *("the option", "--leave-out-all is", "one")
    ]


def test_an_example_that_is_too_long_can_still_be_copied(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    text = "\b\nExamples:\n  palio run breakthrough random greedy mcts planner --rounds 3\n  palio run        a game"
    assert formatted(38, lambda to: to.write_text(text)) == [
        "Examples:",
        "  palio run breakthrough random \\",
        "      greedy mcts planner --rounds 3",
        "  palio run        a game",
    ]


def test_a_quoted_word_of_an_example_stays_whole(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    assert formatted(28, lambda to: to.write_text("\b\npalio join ws://h:1 'exec:./engine --level 3' --json")) == [
        "palio join ws://h:1 \\",
        "    'exec:./engine --level 3' \\",
        "    --json",
    ]
