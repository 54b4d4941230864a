"""The move list for viewers: notation, times, and a word in the place of a move where there is none."""

from palio_rules.records import Ply, Setup
from palio_rules.time_control import TimeControl
from palio_server.live.match_live import MatchLive

SETUP = Setup(
    "breakthrough",
    ("ann", "bob"),
    options={"rows": 5, "cols": 3},
    opening=([[1, 0], [2, 0]],),
    time=TimeControl(base_ms=10_000),
)
TOURS = Setup(
    "tsp", ("ann", "bob"), options={"cities": [[0, 0], [0, 30], [40, 30], [40, 0]]}, time=TimeControl(move_ms=500)
)
AROUND = [0, 1, 2, 3]
TIME_UP = [Ply(0, None, 0, None, "time"), Ply(1, None, 0, None, "time")]


def moves(setup, plies):
    return [line.move for line in MatchLive("m", setup, journal=plies).lines()]


def test_the_end_of_the_time_and_having_no_more_to_give_close_a_race_without_a_fault():
    plies = [Ply(0, AROUND, 5), Ply(0, None, 0, None, "resigned"), Ply(1, None, 0, None, "crashed")]
    assert moves(TOURS, plies) == ["140", "done", "out"]
    assert moves(TOURS, TIME_UP) == ["done", "done"]


def test_the_opening_comes_first_in_the_move_list_and_took_no_time():
    match = MatchLive("m1", SETUP)
    snapshot = match.snapshot()
    assert snapshot.seq == 0
    assert [(line.ply, line.seat, line.move, line.ms) for line in snapshot.lines] == [(1, 0, "a4-a3", None)]
    assert snapshot.summary.view.ply == match.ply == 1
    assert snapshot.summary.view.clocks_ms == [10_000, 10_000]
