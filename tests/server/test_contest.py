"""What a tournament tells of a bot that has spoilt a match: its author wants to know why, not only that."""

from datetime import UTC, datetime

from palio_rules.messages import Finish, Result
from palio_rules.record import Ply, Record, Refusal, Setup
from palio_server.console.contest import blame

THEN = datetime(2026, 11, 20, tzinfo=UTC)


def record(result, *refusals):
    return Record("m1", Setup("breakthrough", ("mine", "random")), (), result, THEN, THEN, refusals)


def test_a_crash_is_told_with_the_last_line_of_the_traceback():
    detail = 'Traceback (most recent call last):\n  File "mine.py", line 5\nZeroDivisionError: division by zero\n'
    crash = Result("crashed", "bot-crashed", [0.0, 1.0], 0, detail)
    assert blame(record(crash)) == ["  mine: ZeroDivisionError: division by zero; see palio match show m1"]


def test_what_a_bot_says_in_dying_is_short_and_cannot_drive_the_terminal():
    [told] = blame(record(Result("crashed", "bot-crashed", [0.0, 1.0], 0, "\x1b[2J" + "x" * 5000)))
    assert told.isprintable()
    assert len(told) < 300


def test_the_last_refused_move_is_told_with_its_reason():
    refusals = [
        Refusal(0, 0, "1", "not-a-step", "the first reason"),
        Refusal(0, 0, "2", "not-a-step", "the last reason"),
        Refusal(1, 1, "3", "not-a-step", "the other seat's reason"),
    ]
    struck_out = Result("illegal", "too-many-illegal-moves", [0.0, 1.0], 0)
    assert blame(record(struck_out, *refusals)) == ["  mine: the last reason; see palio match show m1"]


def test_nobody_is_blamed_for_losing_or_for_being_slow():
    assert blame(record(Result("rule", "reached-far-row", [0.0, 1.0]))) == []
    assert blame(record(Result("time", "flag-fell", [0.0, 1.0], 0))) == []


def test_each_entrant_that_has_spoilt_its_race_is_told_of_by_itself():
    finishes = [
        Finish("rule", "solved", 8),
        Finish("crashed", "bot-crashed", None, "Traceback\nKeyError: 'a'"),
        Finish("time", "flag-fell", None),
        Finish("illegal", "too-many-illegal-moves", None),
    ]
    ranked = Result("rule", "ranked", [1.0, 1 / 3, 1 / 3, 1 / 3], finishes=finishes)
    refusal = Refusal(0, 3, "1", "off-board", "row 9 is off the board")
    race = Record("m1", Setup("rush_hour", ("a", "b", "c", "d")), (), ranked, THEN, THEN, (refusal,))
    assert blame(race) == [
        "  b: KeyError: 'a'; see palio match show m1",
        "  d: row 9 is off the board; see palio match show m1",
    ]


def test_a_bot_that_was_thrown_out_of_a_game_that_went_on_is_told_of_too():
    refusal = Refusal(0, 1, "1", "off-board", "(4, 0) is off the board")
    plies = (Ply(0, ["PASS", None], 5), Ply(1, None, 0, out="illegal"))
    won = Result("rule", "four-exits", [1.0, 0.0, 0.0])
    game = Record("m1", Setup("chexers", ("a", "b", "c")), plies, won, THEN, THEN, (refusal,))
    assert blame(game) == ["  b: (4, 0) is off the board; see palio match show m1"]


def test_of_a_crash_in_a_game_that_went_on_the_last_line_under_its_seat_is_told():
    plies = (Ply(0, None, 0, out="crashed"), Ply(2, None, 0, out="crashed"))
    detail = "red: Traceback\nKeyError: 'a'\nblue: Traceback\nred herring\nTypeError: b"
    won = Result("rule", "last-seat", [0.0, 1.0, 0.0], detail=detail)
    assert blame(Record("m1", Setup("chexers", ("a", "b", "c")), plies, won, THEN, THEN)) == [
        "  a: KeyError: 'a'; see palio match show m1",
        "  c: TypeError: b; see palio match show m1",
    ]
