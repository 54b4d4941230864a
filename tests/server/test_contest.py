"""What a tournament tells of a bot that has spoilt a match: its author wants to know why, not only that."""

from datetime import UTC, datetime

from palio_rules.messages import Result
from palio_rules.record import Record, Refusal, Setup
from palio_server.console.contest import blame

THEN = datetime(2026, 11, 20, tzinfo=UTC)


def record(result, *refusals):
    return Record("m1", Setup("breakthrough", ("mine", "random")), (), result, THEN, THEN, refusals)


def test_a_crash_is_told_with_the_last_line_of_the_traceback():
    detail = 'Traceback (most recent call last):\n  File "mine.py", line 5\nZeroDivisionError: division by zero\n'
    crash = Result("crashed", "bot-crashed", [0.0, 1.0], 0, detail)
    assert blame(record(crash)) == "  mine: ZeroDivisionError: division by zero; see palio match show m1"


def test_what_a_bot_says_in_dying_is_short_and_cannot_drive_the_terminal():
    told = blame(record(Result("crashed", "bot-crashed", [0.0, 1.0], 0, "\x1b[2J" + "x" * 5000)))
    assert told.isprintable()
    assert len(told) < 300


def test_the_last_refused_move_is_told_with_its_reason():
    refusals = [
        Refusal(0, 0, "1", "not-a-step", "the first reason"),
        Refusal(0, 0, "2", "not-a-step", "the last reason"),
        Refusal(1, 1, "3", "not-a-step", "the other seat's reason"),
    ]
    struck_out = Result("illegal", "too-many-illegal-moves", [0.0, 1.0], 0)
    assert blame(record(struck_out, *refusals)) == "  mine: the last reason; see palio match show m1"


def test_nobody_is_blamed_for_losing_or_for_being_slow():
    assert blame(record(Result("rule", "reached-far-row", [0.0, 1.0]))) == ""
    assert blame(record(Result("time", "flag-fell", [0.0, 1.0], 0))) == ""
