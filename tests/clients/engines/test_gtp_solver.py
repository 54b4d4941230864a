"""An engine of Go judges positions by its analysis: what it says is read, from its side, in bounded time."""

import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from palio_clients.analysis import analyse_record
from palio_clients.engines import gtp_solver
from palio_clients.engines.gtp_solver import judging_engine
from palio_clients.sdk.failures import ClientError
from palio_clients.solving.budget import Budget
from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record, Setup, expected
from palio_rules.registry import game_from_spec

ANALYST = Path(__file__).with_name("gtp_analyst.py")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
SECONDS = 0.1


@pytest.fixture
def judging(tmp_path, monkeypatch):
    """Starts the engine with its faults."""
    monkeypatch.setattr(gtp_solver, "VIEW_S", SECONDS)

    def start(how, spec="go:size=5,komi=0"):
        rules, options = game_from_spec(spec)
        return judging_engine([sys.executable, str(ANALYST), how, str(tmp_path / "log")], "analyst", rules, options)

    return start


def solved(solver, *moves, spec="go:size=5,komi=0", seconds=SECONDS):
    rules, options = game_from_spec(spec)
    state = rules.start(options)
    for move in moves:
        state = state.play(move)
    return solver.solve(state, Budget(seconds))


@pytest.mark.parametrize("command", ["kata", "lz", "kata+lz"])
@pytest.mark.parametrize("view", ["", "+black", "+white"])
def test_the_value_is_the_movers_whoever_the_engine_counts_for(judging, command, view):
    with judging(command + view) as solver:
        first, second, third = solved(solver), solved(solver, "C3"), solved(solver, "C3", "pass")
    assert expected(first.value) == pytest.approx(0.5)
    assert expected(second.value) == pytest.approx(0.4)  # White to move, with a stone less
    assert expected(third.value) == pytest.approx(0.6)
    assert third.line == ("A5", "B5", "pass")
    assert "black wins 60% by 402 visits" in third.note


def test_it_is_told_the_match_from_its_first_position(judging, tmp_path):
    spec = "go:size=7,komi=0.5,handicap=2"
    with judging("kata", spec) as solver:
        solved(solver, "D4", "pass", spec=spec)
    told = (tmp_path / "log").read_text().splitlines()
    assert told[-2:] == ["protocol_version", "quit"]
    begin = len(told) - told[::-1].index("clear_board")
    assert told[begin - 2 : -2] == [
        "boardsize 7", "clear_board", "komi 0.5", "play b E5", "play b C3", "play w D4", "play b pass",
        "kata-analyze w 5 maxmoves 40",
    ]  # fmt: skip


def test_an_analysis_takes_its_time_and_no_more(judging):
    with judging("lz") as solver:
        begun = time.monotonic()
        solved(solver, seconds=0.3)
        assert 0.3 <= time.monotonic() - begun < 5


@pytest.mark.parametrize("how", ["kata+garbage", "lz+garbage", "kata+talks", "kata+ends"])
def test_what_is_no_report_changes_nothing(judging, how):
    with judging(how) as solver:
        assert expected(solved(solver, "C3").value) == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("kata+broken", "analyst exited with status 7 before it answered `1 protocol_version`; .*no network"),
        ("none", "analyst does not analyse: it does not list kata-analyze or lz-analyze among its commands"),
        ("kata+silent", "analyst reports nothing within 0.2 s; .*"),
        ("kata+refuses", "analyst answers `kata-analyze` with `. unknown command`; .*"),
        ("kata+deaf", "analyst did not end `kata-analyze`, which any command stops, within 0.2 s; it stalled"),
    ],
)
def test_an_engine_that_does_not_analyse_is_refused_with_the_reason(judging, monkeypatch, how, why):
    monkeypatch.setattr(gtp_solver, "FIRST_S", 0.2)
    monkeypatch.setattr(gtp_solver, "STOP_S", 0.2)
    with pytest.raises(ClientError, match=f"^{why}$"), judging(how):
        pass


def test_one_that_dies_says_at_which_command(judging):
    with judging("kata+dies") as solver:
        solved(solver)
        solved(solver)
        with pytest.raises(ClientError, match=r"^analyst exited with status 3 before .*kata-analyze.*out of memory$"):
            solved(solver)


def record(*moves, spec="go:size=5,komi=0"):
    _, options = game_from_spec(spec)
    plies = tuple(Ply(at % 2, move, 10) for at, move in enumerate(moves))
    setup = Setup("go", ("ann", "bob"), {"size": options.size, "komi": options.komi})
    return Record("m1", setup, plies, Result("rule", "over", [1.0, 0.0]), NOW, NOW)


@pytest.mark.parametrize(("how", "mark"), [("kata", "?"), ("lz+white", "?"), ("kata+shallow", None)])
def test_a_move_that_loses_much_is_marked_where_the_search_supports_it(judging, how, mark):
    with judging(how) as solver:
        found = {ply.ply: ply for ply in analyse_record(record("C3", "C4", "A1", "pass"), SECONDS, Budget(), solver)}
    assert [found[ply].mark for ply in range(5)] == [None, None, None, mark, None]
    assert found[3].best == ("A5" if mark else "")
    assert [expected(found[ply].values[0]) for ply in range(4)] == pytest.approx([0.5, 0.6, 0.5, 0.1])
    assert all(ply.values[0] == -ply.values[1] for ply in found.values())


def test_what_is_near_the_end_is_proven_without_the_engine(judging, tmp_path):
    spec = "go:size=2,komi=0.5"
    with judging("kata", spec) as solver:
        assert solved(solver, "pass", spec=spec, seconds=5).verdict is not None
    assert not [line for line in (tmp_path / "log").read_text().splitlines() if "analyze" in line]
