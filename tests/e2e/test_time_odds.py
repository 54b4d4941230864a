"""`palio run` with time odds: each bot's own time, in records, in the table, and after a resume."""

import json

from command import Palio

from palio_rules.records.text import record_from_text
from palio_rules.time_control import TimeControl

GAME = ("run", "breakthrough:rows=5,cols=3", "a=random", "b=random", "--rounds", "1")


def test_each_bot_plays_on_its_own_clock(palio: Palio, tmp_path):
    shown = palio(*GAME, "--tc", "40/10+0.1", "--odds", "b=5+0.05", "--margin", "70", "--records", "games.txt").stdout
    assert "Time odds: b 5+0.05" in shown
    texts = (tmp_path / "games.txt").read_text().split("\n\n[Event")
    for text in ["[Event" * bool(number) + text for number, text in enumerate(texts)]:
        setup = record_from_text(text).setup
        own = {"a": TimeControl.parse("40/10+0.1", margin_ms=70), "b": TimeControl.parse("5+0.05", margin_ms=70)}
        assert setup.clocks() == tuple(own[bot] for bot in setup.bots)


def test_a_resumed_run_keeps_its_odds(palio: Palio):
    palio(*GAME, "--tc", "10", "--odds", "b=5")
    palio("run", "--resume", "1", "--rounds", "2")
    found = [json.loads(line) for line in palio("match", "export", "--format", "json").stdout.splitlines()]
    assert [sorted(time["base_ms"] for time in each["setup"]["times"]) for each in found] == [[5000, 10_000]] * 4


def test_odds_for_a_bot_that_does_not_play_are_refused(palio: Palio):
    refused = palio(*GAME, "--odds", "bb=5", code=2).stderr
    assert "--odds names 'bb', who does not play; did you mean" in refused
    assert "write NAME=TIME, as in b=5+0.05" in palio(*GAME, "--odds", "b", code=2).stderr
