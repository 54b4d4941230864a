"""Lines of engines are read; lines of another kind are left out, and no line makes the reader fail."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_clients.engines.language import Offered
from palio_clients.engines.lines import BestMove, Infos, Named, Told, Word, read_line


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ugiok", Word("ugiok")),
        ("  readyok \r", Word("readyok")),
        ("id name Big Fish 1.0", Named("Big Fish 1.0")),
        ("bestmove a2a3", BestMove("a2a3")),
        ("bestmove a2a3 ponder b2b3", BestMove("a2a3", "b2b3")),
        ("bestmove a2a3 ponder", BestMove("a2a3")),
        ("bestmove", BestMove("")),
        ("option name Hash type spin default 16 min 1 max 1024", Offered("Hash", "spin", "16", 1, 1024)),
        ("option name Move Overhead type spin default 10", Offered("Move Overhead", "spin", "10")),
        (
            "option name Style type combo default a b var a b var c",
            Offered("Style", "combo", "a b", choices=("a b", "c")),
        ),
        ("option name Book type string default", Offered("Book", "string")),
        ("option name Clear type button", Offered("Clear", "button")),
        (
            "info depth 4 seldepth 9 score cp -57 time 0 nodes 197 tthits 12 hashfull 0 pv f1 b1 g2",
            Told(4, 197, -57, None, ("f1", "b1", "g2"), seldepth=9, hashfull=0),
        ),
        (
            "info depth 20 seldepth 28 multipv 1 score cp 31 wdl 90 880 30 nodes 50 nps 12 hashfull 17 tbhits 3",
            Told(20, 50, 31, seldepth=28, nps=12, hashfull=17, tbhits=3, wdl=(90, 880, 30)),
        ),
        ("info score cp 1 wdl 90 many 30", Told(score=1)),
        ("info string bestmove a2a3", Told(string="bestmove a2a3")),
        ("info pv a b nodes 5", Told(nodes=5, pv=("a", "b"))),
        ("info score mate -4 depth 7", Told(7, mate=-4)),
        ("info score cp 12 lowerbound depth 3", Told(3)),
        ("info depth 2 multipv 2 score cp 1", Told(2, score=1, best_line=False)),
        ("info depth 3.0 nodes 1000.5", Told(3, 1000)),
    ],
)
def test_a_line_is_read(line, said):
    assert read_line(line) == said


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Big Fish 1.0 by nobody",
        "ugiok and more",
        "option",
        "option name",
        "option type spin",
        "info",
        "info depth many",
        "info depth -1",
        "info score cp",
        "info nodes 99999999999999999999999999",
        "bestmovea2a3",
    ],
)
def test_what_is_none_is_left_out(line):
    assert read_line(line) is None


WORDS = [
    *("info", "depth", "score", "cp", "mate", "pv", "nodes", "string", "bestmove", "id", "ugiok", "1e9", "-3", "1"),
    *("option", "name", "type", "spin", "default", "min", "max", "var"),
]


@given(st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=5)), max_size=20))
def test_no_line_makes_it_fail(words):
    read_line(" ".join(words))


@pytest.mark.parametrize("blank", [b" ", b"   ", b"\t"])
def test_the_first_line_of_several_counts_with_any_blanks_between_its_words(blank):
    infos = Infos()
    for line in (
        b"info depth 7 multipv 1 score cp 31 pv e2e4",
        b"info depth 7 multipv 2 score cp -5 pv a2a3",
        b"info depth 7 multipv 10 score cp -9 pv h2h3",
    ):
        infos.add(line.replace(b" ", blank))
    assert infos.told() == Told(7, score=31, pv=("e2e4",))


@pytest.mark.parametrize("bound", [b"lowerbound", b"upperbound"])
def test_a_bound_is_no_score_and_the_line_before_it_stays(bound):
    infos = Infos()
    infos.add(b"info depth 7 score cp 31 nodes 100 pv e2e4 e7e5")
    infos.add(b"info depth 8 score cp 90 " + bound + b" nodes 200 pv d2d4")
    assert infos.told() == Told(7, 100, score=31, pv=("e2e4", "e7e5"))
