"""Files may be hostile: to read one takes a time that grows with its size, if anything is repeated in it.

A text and one that is eight times as long are compared, by the processor time of both: a reader that looks for the same
end again and again takes some sixty times as long.
"""

import contextlib
import time
from collections.abc import Callable

import pytest

from palio_rules.errors import BadRecord
from palio_rules.records.pgn import PgnGame, read_pgn
from palio_rules.records.pgn_records import record_of_pgn
from palio_rules.records.sgf import read_sgf
from palio_rules.records.text import words_of

SMALL, TIMES, SLACK = 4_000, 8, 3
MOVES = '[Event "x"]\n[Result "1-0"]\n\n1. e4 '
PGN: dict[str, Callable[[int], str]] = {
    "commands that are not closed": lambda count: f"{MOVES}{{{'[%clk' * count}}} 1-0\n",
    "commands": lambda count: f"{MOVES}{{{'[%clk 0:00:01]' * count}}} 1-0\n",
    "comments": lambda count: f"{MOVES}{'{a}' * 3 * count} 1-0\n",
    "comments before the moves": lambda count: f'[Event "x"]\n\n{"{a}" * 3 * count} 1. e4 1-0\n',
    "fields": lambda count: MOVES + "{" + 'a="b ' * count + "} 1-0\n",
    "a comment that is not closed": lambda count: f"{MOVES}{'{a ' * count}\n",
    "variations": lambda count: f"{MOVES}{'(' * count}{')' * count} 1-0\n",
    "quotes in a tag": lambda count: f'[Event "{chr(34) * count}\n\n1. e4 1-0\n',
    "digits": lambda count: f"{MOVES}{'1' * count}x 1-0\n",
}
SGF: dict[str, Callable[[int], str]] = {
    "values that are not closed": lambda count: "(;C[\n" * count,
    "games that are not closed": lambda count: "(;B[aa]\n" * (count // 20),
    "games that are not closed before many that are": lambda count: (
        "(;\n" * (count // 40) + "(;B[aa])\n" * (count // 20)
    ),
    "names without values": lambda count: "(;B\n" * (count // 4),
    "escapes": lambda count: "(;C[" + "\\]" * count,
}
TEXT: dict[str, Callable[[int], str]] = {
    "braces": lambda count: "{" * count,
    "comments": lambda count: "{a} " * count,
    "words": lambda count: "a\n" * count,
}


def read_as_pgn(text: str) -> None:
    for game in read_pgn(text.splitlines(keepends=True)):
        if isinstance(game, PgnGame):
            with contextlib.suppress(BadRecord):
                record_of_pgn(game)


def read_as_sgf(text: str) -> None:
    list(read_sgf(text))


def read_as_text(text: str) -> None:
    with contextlib.suppress(BadRecord):
        list(words_of(text, 1))


READERS = {
    **{f"PGN, {kind}": (read_as_pgn, make) for kind, make in PGN.items()},
    **{f"SGF, {kind}": (read_as_sgf, make) for kind, make in SGF.items()},
    **{f"text, {kind}": (read_as_text, make) for kind, make in TEXT.items()},
}


@pytest.mark.parametrize("kind", READERS)
def test_a_text_that_is_longer_is_read_in_as_much_more_time(kind: str):
    read, make = READERS[kind]

    def seconds(size: int) -> float:
        text, found = make(size), []
        for _ in range(3):
            begun = time.process_time()
            read(text)
            found.append(time.process_time() - begun)
        return min(found)

    short = max(seconds(SMALL), 0.001)
    assert seconds(TIMES * SMALL) < SLACK * TIMES * short
