"""A match as its viewers see it: every event counts one, and gives one delta; a journal is replayed with its clocks."""

import msgspec
import pytest

from palio_rules.contract.messages import Info, Result
from palio_rules.records import Ply, RejectedMove, Setup
from palio_rules.time_control import TimeControl
from palio_server import live
from palio_server.live.match_live import MatchLive, aborted
from palio_server.match import events

SETUP = Setup(
    "breakthrough",
    ("ann", "bob"),
    options={"rows": 5, "cols": 3},
    opening=([[1, 0], [2, 0]],),
    time=TimeControl(base_ms=10_000, increment_ms=100),
)
START = SETUP.start()
MOVE = next(START.legal_moves())
PLY = Ply(START.to_move, SETUP.rules().move_to_wire(MOVE), 700)
RESULT = Result("resigned", "resigned", [0.0, 1.0], 0)


def test_every_event_counts_one_and_gives_its_delta():
    match = MatchLive("m1", SETUP, seq=4)
    rejected = RejectedMove(0, 1, "[9]", "not-a-move", "that is no move")
    happened = [
        (events.Started(START, [10_000, 10_000]), live.Started),
        (events.Absent(0, 500), live.Absent),
        (events.Back(0, 400), live.Back),
        (events.Rejected(rejected, 2, [10_000, 9_000]), live.Rejected),
        (events.Played(1, PLY, MOVE, START.play(MOVE), [10_000, 9_400]), live.Played),
        (events.Finished(RESULT, START.play(MOVE), [10_000, 9_400]), live.Finished),
    ]
    for number, (event, kind) in enumerate(happened, 5):
        match.note(event)
        delta = match.delta(event)
        assert (type(delta), delta.seq, delta.match) == (kind, number, "m1")
    assert match.result == RESULT
    assert [line.ms for line in match.lines()] == [None, 700]
    assert match.snapshot().refusals[0].ply == 1, "viewers count the opening's plies"


def test_who_is_away_is_known_until_it_is_back_or_the_match_is_over():
    match = MatchLive("m1", SETUP)
    for seat in (1, 0):
        match.note(events.Absent(seat, 500))
    assert match.summary().absent == [0, 1]
    match.note(events.Back(1, 500))
    assert match.summary().absent == [0]
    match.end(RESULT)
    assert match.summary().absent == []


def test_whose_move_was_refused_is_known_until_it_has_played_another_or_the_match_is_over():
    match, to_move = MatchLive("m1", SETUP), START.to_move
    rejected = events.Rejected(RejectedMove(0, to_move, "[9]", "not-a-move", "no move"), 2, [10_000, 9_000])
    assert b"refused" not in msgspec.json.encode(match.summary()), "mostly there is none, and nothing is sent"
    match.note(rejected)
    assert match.summary().refused == to_move
    match.note(events.Played(1, PLY, MOVE, START.play(MOVE), [10_000, 9_400]))
    assert match.summary().refused is msgspec.UNSET
    match.note(rejected)
    match.end(RESULT)
    assert match.summary().refused is msgspec.UNSET


def test_the_clocks_of_a_journal_are_those_that_the_plies_have_left():
    match = MatchLive("m1", SETUP, journal=[PLY])
    left = [10_000, 10_000]
    left[PLY.seat] = 10_000 - 700 + 100
    assert match.clocks == match.summary().view.clocks_ms == left
    assert (match.ply, match.plies) == (2, [PLY])


def test_every_position_of_a_journal_is_drawn_for_whoever_wants_to_step_through_it():
    views = []
    match = MatchLive("m1", SETUP, journal=[PLY], views=views)
    assert [view.ply for view in views] == [0, 1, 2]
    assert views[-1] == match.summary().view


def test_a_snapshot_is_encoded_once_for_all_who_come_at_the_same_event():
    match = MatchLive("m1", SETUP)
    first = match.snapshot_json()
    assert match.snapshot_json() is first
    match.note(events.Started(START, [10_000, 10_000]))
    assert msgspec.json.decode(match.snapshot_json())["seq"] == msgspec.json.decode(first)["seq"] + 1


def test_a_match_that_was_aborted_counts_for_nobody():
    assert aborted(SETUP, "nobody was ready") == Result("adjudicated", "aborted", [0.0, 0.0], detail="nobody was ready")


def test_a_journal_that_cannot_be_played_is_no_match():
    with pytest.raises(ValueError, match="off the 5x3 board"):
        MatchLive("m1", SETUP, journal=[Ply(1, [[9, 9], [9, 9]], 1)])


def test_the_summary_has_the_newest_score_of_each_bot_and_keeps_it_while_the_bot_says_nothing():
    journaled = MatchLive("m1", SETUP, journal=[Ply(PLY.seat, PLY.move, 700, Info(score=0.5))])
    assert MatchLive("m1", SETUP, journal=[PLY]).summary().told == [], "nobody has told anything"
    assert journaled.summary().told == [None, 0.5] if PLY.seat else [0.5, None]
    state = START.play(MOVE)
    for number, info in enumerate((Info(score=-3.0), Info(depth=4)), 2):
        move = next(state.legal_moves())
        ply = Ply(state.to_move, SETUP.rules().move_to_wire(move), 100, info)
        state = state.play(move)
        journaled.note(events.Played(number, ply, move, state, [10_000, 9_000]))
    assert journaled.summary().told == ([-3.0, 0.5] if PLY.seat else [0.5, -3.0])


def test_viewers_see_the_moves_to_play_in_a_canadian_period():
    setup = msgspec.structs.replace(SETUP, time=TimeControl.parse("1+3/5"))
    match = MatchLive("m1", setup, journal=[msgspec.structs.replace(PLY, ms=1500)])
    assert (match.summary().view.clocks_ms, match.summary().view.moves_to_go) == (
        [4500, 6000] if PLY.seat == 0 else [6000, 4500],
        [2, None] if PLY.seat == 0 else [None, 2],
    )
    assert MatchLive("m1", SETUP).summary().view.moves_to_go is msgspec.UNSET
