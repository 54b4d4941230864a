"""Commands of GUIs are read; unknown ones are ignored, and no line makes the reader fail."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_clients.engines.speaker import Go, Position, Query, SetOption, Word, read_command
from palio_clients.engines.ugi import UGI


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("ugi", Word("ugi")),
        ("  isready\r\n", Word("isready")),
        ("joho quit", Word("quit")),
        ("position startpos", Position(None, ())),
        ("position startpos moves a b", Position(None, ("a", "b"))),
        ("position fen x/y black 0 1 moves a", Position("x/y black 0 1", ("a",))),
        ("position fen x", Position("x", ())),
        ("go", Go()),
        ("go infinite", Go(infinite=True)),
        ("go depth 4", Go(depth=4)),
        ("go nodes 100 movetime 50", Go(nodes=100, movetime=50)),
        ("go p1time 1000 p2time 2000 p1inc 10 p2inc 20", Go((1000, 2000), (10, 20))),
        ("go wtime 1000 btime -5 winc 10 binc 20", Go((1000, 0), (10, 20))),
        ("go p1time 1000 movestogo 40", Go((1000, None), movestogo=40)),
        ("go depth many p1time", Go()),
        ("setoption name Move Overhead value 5 0", SetOption("Move Overhead", "5 0")),
        ("setoption name Clear", SetOption("Clear", "")),
        ("query p1turn", Query("p1turn")),
    ],
)
def test_a_command_is_read(line, command):
    assert read_command(UGI, line) == command


@pytest.mark.parametrize("line", ["", "hello", "position", "position fen", "position nowhere", "setoption Hash 3"])
def test_what_is_unknown_is_ignored(line):
    assert read_command(UGI, line) is None


@given(st.text())
def test_no_line_makes_it_fail(line):
    read_command(UGI, line)
    read_command(UGI, f"go {line}")
    read_command(UGI, f"position fen {line} moves {line}")
