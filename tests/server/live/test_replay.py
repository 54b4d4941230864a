"""The steps of a race: after every ply the board of its entrant, and an unchanged board is drawn once."""

from datetime import UTC, datetime

from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record, Setup
from palio_rules.time_control import TimeControl
from palio_server.live.replay import replay_record

CITIES = {"cities": [[0, 0], [0, 30], [40, 30], [40, 0]]}
AROUND, ACROSS = [0, 1, 2, 3], [0, 2, 1, 3]
THEN = datetime(2025, 7, 2, tzinfo=UTC)
TIME_UP = [Ply(0, None, 0, None, "time"), Ply(1, None, 0, None, "time")]


def race(plies):
    setup = Setup("tsp", ("ann", "bob"), options=CITIES, time=TimeControl(move_ms=500))
    result = Result("rule", "ranked", [1.0, 0.0])
    return replay_record(Record("m", setup, tuple(plies), result, THEN, THEN))


def test_each_view_is_the_board_of_whoever_played_the_ply_to_the_last():
    views = race([Ply(0, AROUND, 5), Ply(1, ACROSS, 5), *TIME_UP]).views
    assert [view.seat for view in views] == [0, 0, 1, 0, 1]
    assert [[standing.cost for standing in view.race] for view in views[2:]] == [[140, 180]] * 3
    assert views[-1].to_move is None
    cities = [(mark.row, mark.col) for mark in views[2].scene.marks]
    assert views[2].scene.path == tuple(cities[city] for city in ACROSS)


def test_a_solution_that_is_no_better_comes_without_a_scene_of_its_own():
    found = race([Ply(0, AROUND, 5), Ply(0, ACROSS, 5), Ply(1, ACROSS, 5), Ply(0, ACROSS, 5), Ply(1, AROUND, 5)])
    assert [line.move for line in found.lines] == ["140", "no better", "180", "no better", "140"]
    assert [view.scene is not None for view in found.views] == [True, True, False, True, False, True]
    assert all(view.text for view in found.views)


def test_a_solution_that_is_not_in_the_record_looks_as_if_it_were():
    full = [Ply(0, AROUND, 5), Ply(0, ACROSS, 6), Ply(1, ACROSS, 5), Ply(0, AROUND, 7), *TIME_UP]
    thin = [ply if ply.ms not in (6, 7) else Ply(0, None, ply.ms) for ply in full]
    assert race(thin) == race(full)
