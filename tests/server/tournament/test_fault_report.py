"""A bot that has lost by its own fault is reported with the reason."""

from datetime import UTC, datetime

import pytest

from palio_rules.contract.messages import Finish, Result
from palio_rules.records.record import Ply, Record, RejectedMove, Setup
from palio_rules.time_control import TimeControl
from palio_server.tournament.fault_report import LINES, FaultReport, fault_reports, faults_in, on_stderr

THEN = datetime(2026, 11, 20, tzinfo=UTC)


def record(result, *refusals, plies=(), time="inf"):
    setup = Setup("breakthrough", ("mine", "random"), time=TimeControl.from_text(time))
    return Record("m1", setup, plies, result, THEN, THEN, refusals)


def lines_of(record):
    return [each.line for each in fault_reports(record)]


def test_a_crash_is_reported_with_the_last_line_of_the_traceback():
    detail = 'Traceback (most recent call last):\n  File "mine.py", line 5\nZeroDivisionError: division by zero\n'
    crash = Result("crashed", "bot-crashed", [0.0, 1.0], 0, detail)
    sentence = "ZeroDivisionError: division by zero (mine.py, line 5)"
    assert lines_of(record(crash)) == [f"  mine: {sentence}; see palio match show m1"]


@pytest.mark.parametrize(
    ("frames", "place"),
    [
        (["/home/ann/mine.py:9", "/home/ann/mine.py:4", "/usr/lib/random.py:373"], " (mine.py, line 4)"),
        (["/site/palio_clients/sdk/player.py:320"], ""),
        (["<string>:1"], " (<string>, line 1)"),
        ([], ""),
    ],
)
def test_a_crash_is_reported_with_the_last_place_in_the_authors_file(frames, place):
    lines = [f'  File "{file}", line {line}, in choose' for file, line in (each.rsplit(":", 1) for each in frames)]
    crash = Result("crashed", "bot-crashed", [0.0, 1.0], 0, "\n".join((*lines, "KeyError: 1")))
    assert lines_of(record(crash)) == [f"  mine: KeyError: 1{place}; see palio match show m1"]


def test_what_a_bot_says_in_dying_is_short_and_cannot_drive_the_terminal():
    [line] = lines_of(record(Result("crashed", "bot-crashed", [0.0, 1.0], 0, "\x1b[2J" + "x" * 5000)))
    assert line.isprintable()
    assert len(line) < 300


def test_the_last_rejected_move_is_reported_with_its_reason():
    refusals = [
        RejectedMove(0, 0, "1", "not-a-step", "the first reason"),
        RejectedMove(0, 0, "2", "not-a-step", "the last reason"),
        RejectedMove(1, 1, "3", "not-a-step", "the other seat's reason"),
    ]
    struck_out = Result("illegal", "too-many-illegal-moves", [0.0, 1.0], 0)
    assert lines_of(record(struck_out, *refusals)) == ["  mine: the last reason; see palio match show m1"]


def test_to_lose_or_to_resign_is_no_fault():
    assert lines_of(record(Result("rule", "reached-far-row", [0.0, 1.0]))) == []
    assert lines_of(record(Result("resigned", "resigned", [0.0, 1.0], 0))) == []


def test_a_clock_that_ran_out_is_reported_with_what_was_left_on_it_and_what_the_moves_before_took():
    plies = (Ply(0, 0, 600), Ply(1, 0, 5), Ply(0, 0, 150), Ply(1, 0, 5))
    fell = Result("time", "flag-fell", [0.0, 1.0], 0)
    assert "".join(lines_of(record(fell, plies=plies, time="1+0.1"))) == (
        "  mine: its move 3 took longer than the 0.45 s left on its clock of 1+0.1,"
        " 2 before it 0.75 s; give more with --tc"
    )
    assert lines_of(record(fell, time="1+0.1")) == [
        "  mine: its move 1 took longer than the 1 s left on its clock of 1+0.1; give more with --tc"
    ]


@pytest.mark.parametrize(("termination", "reason"), [("time", "flag-fell"), ("stalled", "no-answer")])
def test_who_answered_in_time_with_what_cannot_be_read_is_told_so_and_not_to_take_more_time(termination, reason):
    said = "wrote 'b1-b2', which is no message: JSON is malformed"
    lost = record(Result(termination, reason, [0.0, 1.0], 0, said), time="1+0.1")
    assert lines_of(lost) == [f"  mine: {said}; no other answer came in time"]
    assert [fault.reason for fault in faults_in(lost)] == ["bad messages"]


def test_a_move_that_took_too_long_is_reported_with_its_limit():
    late = Result("time", "move-limit", [1.0, 0.0], 1)
    assert lines_of(record(late, plies=(Ply(0, 0, 5),), time="10+0.1 0.5/move")) == [
        "  random: its move 1 took longer than the 0.5 s of a move; give more with --st"
    ]


def test_silence_without_a_clock_is_reported_with_how_long_it_lasted():
    assert lines_of(record(Result("stalled", "no-answer", [0.0, 1.0], 0))) == [
        "  mine: no answer within 60 s, with no clock to run out; set one with --tc"
    ]
    assert lines_of(record(Result("stalled", "never-ready", [0.0, 1.0], 0))) == ["  mine: it was not ready within 30 s"]


def test_where_a_clock_runs_only_a_bot_that_never_got_ready_is_silent():
    """A race keeps no reason of its own for that, nor does a seat of a table: the rules' word stands there."""
    finishes = [Finish("rule", "best-tour", 9), Finish("stalled", "no-tour", None)]
    ranked = Result("rule", "ranked", [1.0, 0.0], finishes=finishes)
    race = Record("m1", Setup("tsp", ("a", "b"), time=TimeControl.from_text("2/move")), (), ranked, THEN, THEN)
    assert lines_of(race) == ["  b: it was not ready within 30 s"]
    setup = Setup("chexers", ("a", "b", "c"), time=TimeControl.from_text("10+0.1"))
    won = Result("rule", "four-exits", [0.0, 1.0, 0.0])
    table = Record("m1", setup, (Ply(0, None, 0, out="stalled"),), won, THEN, THEN)
    assert lines_of(table) == ["  a: it was not ready within 30 s"]


def test_the_deadline_of_an_anytime_race_is_nobody_s_fault():
    finishes = [Finish("time", "flag-fell", 120.0), Finish("time", "flag-fell", None)]
    ranked = Result("rule", "ranked", [1.0, 0.0], finishes=finishes)
    setup = Setup("tsp", ("a", "b"), time=TimeControl.from_text("1/move"))
    assert lines_of(Record("m1", setup, (), ranked, THEN, THEN)) == []


def test_what_a_bot_wrote_is_reported_as_plain_text_and_only_the_end_of_it():
    fault = FaultReport("mine", "", frozenset())
    lines = on_stderr(fault, "m1", ["", *map(str, range(50)), "\x1b[2J" + "x" * 5000])
    assert lines[0] == "  mine on stderr:"
    assert lines[1:-1] == [f"    {number}" for number in range(51 - LINES, 50)]
    assert lines[-1].isprintable()
    assert len(lines[-1]) < 300


def test_what_the_record_knows_already_is_not_reported_again():
    crash = Result("crashed", "bot-crashed", [0.0, 1.0], 0, 'Traceback\n  File "mine.py", line 5\nKeyError: 1')
    [fault] = fault_reports(record(crash))
    wrote = ["hm", "match m1: the bot has failed", "Traceback", '  File "mine.py", line 5', "KeyError: 1"]
    assert on_stderr(fault, "m1", wrote) == ["  mine on stderr:", "    hm"]
    assert on_stderr(fault, "m1", wrote[1:]) == []


def test_each_entrant_that_has_forfeited_in_its_race_is_reported():
    finishes = [
        Finish("rule", "solved", 8),
        Finish("crashed", "bot-crashed", None, "Traceback\nKeyError: 'a'"),
        Finish("time", "flag-fell", None),
        Finish("illegal", "too-many-illegal-moves", None),
    ]
    ranked = Result("rule", "ranked", [1.0, 1 / 3, 1 / 3, 1 / 3], finishes=finishes)
    refusal = RejectedMove(0, 3, "1", "off-board", "row 9 is off the board")
    race = Record(
        "m1", Setup("rush_hour", ("a", "b", "c", "d"), time=TimeControl.parse("2")), (), ranked, THEN, THEN, (refusal,)
    )
    assert lines_of(race) == [
        "  b: KeyError: 'a'; see palio match show m1",
        "  c: its move 1 took longer than the 2 s left on its clock of 2+0; give more with --tc",
        "  d: row 9 is off the board; see palio match show m1",
    ]


def test_a_bot_that_was_thrown_out_of_a_game_that_went_on_is_reported_of_too():
    refusal = RejectedMove(0, 1, "1", "off-board", "(4, 0) is off the board")
    plies = (Ply(0, ["PASS", None], 5), Ply(1, None, 0, out="illegal"))
    won = Result("rule", "four-exits", [1.0, 0.0, 0.0])
    game = Record("m1", Setup("chexers", ("a", "b", "c")), plies, won, THEN, THEN, (refusal,))
    assert lines_of(game) == ["  b: (4, 0) is off the board; see palio match show m1"]


def test_of_a_crash_in_a_game_that_went_on_the_last_line_under_its_seat_is_reported():
    plies = (Ply(0, None, 0, out="crashed"), Ply(2, None, 0, out="crashed"))
    detail = "red: Traceback\nKeyError: 'a'\nblue: Traceback\nred herring\nTypeError: b"
    won = Result("rule", "last-seat", [0.0, 1.0, 0.0], detail=detail)
    assert lines_of(Record("m1", Setup("chexers", ("a", "b", "c")), plies, won, THEN, THEN)) == [
        "  a: KeyError: 'a'; see palio match show m1",
        "  c: TypeError: b; see palio match show m1",
    ]
