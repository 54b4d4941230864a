"""A race as lines: how its entrants stand."""

from palio_rules.contract.messages import SeatOf
from palio_rules.time_control import TimeControl
from palio_server import live
from palio_server.cli.spectator import standings


def test_of_very_many_entrants_those_behind_are_counted():
    seats = [SeatOf("solver", f"bot-{number}") for number in range(64)]
    race = [live.RaceStanding(float(number), 1, None) for number in range(64)]
    view = live.View(0, 0, [None] * 64, "the board", None, 0, race)
    summary = live.Summary("r1", "rush_hour", "Rush Hour", seats, TimeControl.parse("10"), "", view, "race", [])
    lines = standings(summary, view).splitlines()
    assert lines[1].split() == ["1", "bot-0", "0", "1", "-"]
    assert lines[-1] == "and 48 more"
