"""The lines of a tournament: on stdout what was asked for, on stderr what should be known beside it."""

import asyncio
import sys
from types import SimpleNamespace

import pytest

from palio_server.cli import ticker
from palio_server.cli.ticker import Ticker, Watching


def test_a_quiet_one_prints_only_warnings(capsys):
    with Ticker(quiet=True) as quiet:
        quiet.say("Started game 1")
        quiet.warn("a bot crashed")
    assert capsys.readouterr() == ("", "a bot crashed\n")


def test_a_bots_line_goes_where_the_tournaments_lines_go_and_beside_a_result_as_json(capsys):
    with Ticker() as plain:
        plain.show("mine: hello")
    with Ticker(quiet=True) as quiet:
        quiet.show("mine: hi")
    assert capsys.readouterr() == ("mine: hello\n", "mine: hi\n")


def test_a_long_wait_without_a_screen_is_one_line(capsys, monkeypatch):
    monkeypatch.setattr(ticker, "PATIENCE_S", 0.0)
    with Ticker() as plain, plain.counting("instances", 3) as count:
        assert plain.shown_after_s == 0
        for _ in range(3):
            count()
    assert capsys.readouterr() == ("", "drawing instances, 1 of 3 so far\n")


def event(total=40, over=0):
    return SimpleNamespace(known_total=total, over=over)


class Screen:
    """A bar that writes down how often it was touched."""

    def __init__(self, *_):
        self.console, self.printed, self.at = self, [], []
        self.touched = asyncio.Event()

    def start(self): ...
    def stop(self): ...
    def add_task(self, what, total, completed=0):
        return what

    def print(self, text, **_):
        self.printed.append(text.plain)
        self.touched.set()

    def update(self, task, completed, **_):
        self.at.append(completed)


async def test_lines_that_come_together_are_shown_together(monkeypatch):
    """A screen takes a millisecond for each change, as much as a short game."""
    screen = Screen()
    monkeypatch.setattr(ticker, "bar", lambda *_: screen)
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    games = event(total=9)
    assert Ticker().shown_after_s > ticker.SHOW_S
    with Ticker() as shown:
        shown.begin("Tournament 1", games)
        for games.over in range(1, 4):
            shown.say(f"Finished game {games.over}")
        assert not screen.printed
        async with asyncio.timeout(10):
            await screen.touched.wait()
        assert (screen.printed, screen.at) == (["Finished game 1\nFinished game 2\nFinished game 3"], [3])
        games.over = 4
        shown.say("Finished game 4")
        shown.warn("a bot crashed")
    assert (screen.printed[1:], screen.at[1:]) == (["Finished game 4\na bot crashed"], [4])


@pytest.mark.virtual_clock
async def test_without_a_screen_a_line_says_now_and_then_how_it_is_going(capsys):
    games = event()
    with Ticker() as shown:
        shown.begin("Tournament 1", games, Watching(lambda: ["best so far: ada 3/4", ""]))
        for game in range(1, 9):
            await asyncio.sleep(2.1)
            games.over = game
            shown.say(f"Finished game {game}")
        await asyncio.sleep(60)
    assert capsys.readouterr().out.splitlines() == [
        "Tournament 1",
        *(f"Finished game {number}" for number in range(1, 5)),
        "4 of 40 games, 0.40 games/s, ETA 1:30, best so far: ada 3/4",
        *(f"Finished game {number}" for number in range(5, 9)),
        "8 of 40 games, 0.40 games/s, ETA 1:20, best so far: ada 3/4",
    ]


@pytest.mark.virtual_clock
async def test_the_table_follows_every_so_many_games(capsys):
    games = event(over=4)  # of an earlier run
    with Ticker() as shown:
        shown.begin("Tournament 1", games, Watching(table=lambda: "Rank Name", table_every=5))
        for games.over in (5, 6, 9, 11, 11):
            await asyncio.sleep(1)
            shown.say(f"{games.over} over")
    assert capsys.readouterr().out.splitlines() == [
        "Tournament 1",
        "5 over",
        "5 of 40 games, 1.0 games/s, ETA 0:35",
        "Rank Name",
        "6 over",
        "9 over",
        "11 over",
        "11 of 40 games, 1.8 games/s, ETA 0:17",
        "Rank Name",
        "11 over",
    ]


@pytest.mark.virtual_clock
async def test_the_scores_follow_every_so_many_games_also_where_the_table_does(capsys):
    games = event(over=0)
    watching = Watching(table=lambda: "Rank Name", table_every=4, scores=lambda: "Score of A vs B", scores_every=2)
    with Ticker() as shown:
        shown.begin("Tournament 1", games, watching)
        for games.over in (1, 2, 3, 4):
            shown.say(f"{games.over} over")
    shown = [line for line in capsys.readouterr().out.splitlines() if "of 40" not in line]
    assert shown == [
        *("Tournament 1", "1 over", "2 over", "Score of A vs B", "3 over", "4 over", "Score of A vs B", "Rank Name")
    ]


@pytest.mark.virtual_clock
async def test_an_event_that_grows_has_no_end_in_sight(capsys):
    games = event(total=None)
    with Ticker() as shown:
        shown.begin("Tournament 1", games, Watching(about=True))
        await asyncio.sleep(2)
        games.over = 2
        shown.say("2 over")
        shown.progress()
        games.known_total = 10
        shown.progress()
    assert capsys.readouterr().out.splitlines() == [
        "Tournament 1",
        "2 over",
        "2 games, 1.0 games/s",
        "2 of about 10 games, 1.0 games/s, ETA 0:08",
    ]


@pytest.mark.virtual_clock
async def test_a_quiet_one_says_nothing_of_how_it_is_going(capsys):
    games = event()
    with Ticker(quiet=True) as quiet:
        quiet.begin("Tournament 1", games, Watching(table=lambda: "Rank Name", table_every=1))
        games.over = 3
        quiet.say("3 over")
        quiet.progress()
        await asyncio.sleep(30)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
async def test_a_terminal_that_wants_no_codes_gets_plain_lines(monkeypatch, capsys, name, value):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv(name, value)
    with Ticker() as ticker:
        ticker.begin("an event", event())
        ticker.progress()
    shown = capsys.readouterr()
    assert "\x1b" not in shown.out + shown.err
    assert "of 40 games" in shown.out
