"""The lines of a tournament: on stdout what was asked for, on stderr what should be known beside it."""

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
