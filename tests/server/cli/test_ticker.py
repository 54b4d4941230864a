"""The lines of a tournament: on stdout what was asked for, on stderr what should be known beside it."""

import asyncio
import sys
from types import SimpleNamespace

from palio_server.cli import ticker
from palio_server.cli.ticker import Ticker


def test_a_quiet_one_prints_only_warnings(capsys):
    with Ticker(quiet=True) as quiet:
        quiet.say("Started game 1")
        quiet.warn("a bot crashed")
    assert capsys.readouterr() == ("", "a bot crashed\n")


def test_a_long_wait_without_a_screen_is_one_line(capsys, monkeypatch):
    monkeypatch.setattr(ticker, "PATIENCE_S", 0.0)
    with Ticker() as plain, plain.counting("instances", 3) as count:
        for _ in range(3):
            count()
    assert capsys.readouterr() == ("", "drawing instances, 1 of 3 so far\n")


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

    def update(self, task, completed):
        self.at.append(completed)


async def test_lines_that_come_together_are_shown_together(monkeypatch):
    """A screen takes a millisecond for each change, as much as a short game."""
    screen = Screen()
    monkeypatch.setattr(ticker, "bar", lambda *_: screen)
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    games = SimpleNamespace(total=9, over=0)
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
