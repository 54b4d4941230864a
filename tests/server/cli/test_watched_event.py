"""The displayed state of an event is new; expensive parts are computed at most once a second."""

from itertools import count
from types import SimpleNamespace

from palio_server.cli.ticker import WatchedEvent, Watching
from palio_server.tournament.progress import GameRate


def watched(more, total=10, over=0):
    games = SimpleNamespace(known_total=total, over=over)
    return games, WatchedEvent(games, Watching(more), GameRate(100.0), None, over, over)


def test_a_screen_asks_who_is_in_front_once_a_second_but_counts_at_once():
    asked = []

    def more():
        asked.append(1)
        return [f"asked {len(asked)}"]

    games, event = watched(more)
    shown = []
    for games.over, now in enumerate((100.0, 100.5, 101.0, 101.9, 102.1)):
        event.look(now)
        shown.append(event.shown(now))
    assert [text.split(" games")[0] for text in shown] == ["0 of 10", "1 of 10", "2 of 10", "3 of 10", "4 of 10"]
    assert [text.rpartition(", ")[2] for text in shown] == ["asked 1", "asked 1", "asked 2", "asked 2", "asked 3"]


def test_a_line_is_all_new_however_long_its_figures_take(monkeypatch):
    clock = count()
    monkeypatch.setattr("palio_server.cli.ticker.perf_counter", lambda: next(clock))  # each look takes a second
    games, event = watched(lambda: [f"{games.over} told"])
    assert event.line(100.0) == "0 of 10 games, 0 told"
    games.over = 1
    assert event.shown(101.0) == "1 of 10 games, 0 told"  # a screen waits
    assert event.line(101.0) == "1 of 10 games, 1 told"


def test_a_line_says_the_pace():
    games, event = watched(lambda: [f"{games.over} told"])
    assert event.line(100.0) == "0 of 10 games, 0 told"
    games.over = 4
    assert event.look(102.0) == 4
    assert event.look(102.0) == 0
    assert event.line(102.0) == "4 of 10 games, 2.0 games/s, ETA 0:03, 4 told"


def test_games_of_an_earlier_run_say_nothing_of_the_pace():
    games, event = watched(list, over=6)
    assert event.line(100.0) == "6 of 10 games"
    games.over = 7
    event.look(102.0)
    assert event.line(102.0) == "7 of 10 games, 0.50 games/s, ETA 0:06"


def test_more_games_than_were_expected_leave_no_time():
    games, event = watched(list)
    games.over = 12
    event.look(102.0)
    assert event.line(102.0) == "12 of 10 games, 6.0 games/s, ETA 0:00"
