"""A mirror shows the same as the server that plays the match, after any lost messages and at any time."""

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.contract.messages import Info, Result
from palio_rules.records.record import Ply, RejectedMove, Setup
from palio_server import live
from palio_server.live.feed import first_of
from palio_server.live.match_live import MatchLive
from palio_server.live.mirror import MatchMirror
from palio_server.match import events

SETUP = Setup("breakthrough", ("ann", "bob"), options={"rows": 5, "cols": 3}, opening=([[1, 0], [2, 0]],))


def story(seed, length):
    """Return random events of a match."""
    rng, rules, state = random.Random(seed), SETUP.rules(), SETUP.start()
    clocks = [9_000, 9_000]
    yield events.Started(state, clocks)
    for number in range(length):
        match rng.choice(["move", "move", "move", "refuse", "leave", "back"]):
            case "refuse" if state.to_move is not None:  # after the end no seat is asked
                refusal = RejectedMove(number, state.to_move, "[9]", "not-a-move", "that is no move")
                clocks = [clock - 5 for clock in clocks]
                yield events.Rejected(refusal, 1, clocks)
            case "leave":
                yield events.Absent(rng.randrange(2), 500)
            case "back":
                yield events.Back(rng.randrange(2), 500)
            case _ if moves := list(state.legal_moves()):
                move = rng.choice(moves)
                info = Info(score=rng.choice([-1.5, 0.0, 2.0])) if rng.random() < 0.5 else None
                ply = Ply(state.to_move, rules.move_to_wire(move), 30, info=info)
                state, clocks = state.play(move), [clock - 30 for clock in clocks]
                yield events.Played(number + 1, ply, move, state, clocks)
    yield events.Finished(Result("adjudicated", "stopped", [0.5, 0.5]), state, clocks)


def told(match, event):
    match.note(event)
    return msgspec.json.encode(match.delta(event))


def known(snapshot):
    return msgspec.json.decode(msgspec.json.encode(snapshot))


@given(st.integers(0, 999), st.integers(0, 12), st.sets(st.integers(0, 14)))
def test_it_is_what_it_mirrors_and_knows_when_it_is_not(seed, length, lost):
    match = MatchLive("m", SETUP)
    mirror = MatchMirror(match.snapshot())
    for number, event in enumerate(story(seed, length)):
        delta = told(match, event)
        if number in lost:
            continue
        if not mirror.hear(delta):
            assert mirror.seq < match.seq - 1
            mirror.renew(match.snapshot())
        assert known(mirror.snapshot()) == known(match.snapshot())
        assert msgspec.json.decode(mirror.snapshot_json()) == known(match.snapshot())
    assert mirror.over is (match.result is not None) or lost


def test_in_a_race_it_shows_whoever_is_ahead():
    setup = Setup("rush_hour", ("ann", "bob"), options={"board": "b.../b.../aa.c/.d.."})
    match = MatchLive("m", setup)
    mirror = MatchMirror(match.snapshot())
    assert mirror.hear(told(match, events.Started(None, [None, None])))
    assert known(mirror.snapshot()) == known(match.snapshot())
    for number, seat in enumerate((1, 1, 0, 1), 1):
        state = match.boards.of(seat)
        if (move := next(state.legal_moves(), None)) is None:
            break
        ply = Ply(seat, match.rules.move_to_wire(move), 10)
        event = events.Played(number, ply, move, state.play(move), [None, None])
        assert mirror.hear(told(match, event))
        assert known(mirror.snapshot()) == known(match.snapshot())
    refusal = RejectedMove(1, 1, "[9]", "not-a-move", "that is no move")
    last = events.Finished(Result("adjudicated", "stopped", [0.5, 0.5]), match.boards.of(0), [None, None])
    for event in (events.Rejected(refusal, 1, [5, None]), last):
        assert mirror.hear(told(match, event))
        assert known(mirror.snapshot()) == known(match.snapshot())


@pytest.mark.parametrize("data", [b"{", b'{"type":"tomorrow","seq":9}', b'{"type":"analysed","match":"m"}'])
def test_what_it_does_not_understand_changes_nothing(data):
    mirror = MatchMirror(MatchLive("m", SETUP).snapshot())
    before = mirror.snapshot()
    assert mirror.hear(data)
    assert mirror.snapshot() == before


def test_an_older_snapshot_does_not_take_the_place_of_a_newer_one():
    newer, older = MatchLive("m", SETUP, seq=7), MatchLive("m", SETUP, seq=3)
    mirror = MatchMirror(newer.snapshot())
    mirror.hear(msgspec.json.encode(older.snapshot()))
    assert mirror.seq == 7
    assert isinstance(mirror.snapshot(), live.MatchSnapshot)


@given(st.integers(0, 999), st.integers(1, 12), st.integers(0, 12), st.integers(1, 4))
def test_what_the_database_has_stands_until_the_matchs_server_is_heard(seed, length, before, epoch):
    match = MatchLive("m", SETUP, seq=first_of(epoch))
    happened = list(story(seed, length))
    for event in happened[:before]:
        match.note(event)
    mirror = MatchMirror(MatchLive("m", SETUP, seq=first_of(epoch + 1) - 1).snapshot(), saved=True)
    for event in happened[before:]:
        earlier = MatchLive("m", SETUP, seq=match.seq - (1 << 20))
        assert mirror.hear(told(earlier, events.Absent(0, 1))), "a server that has lost the match"
        if not mirror.hear(told(match, event)):
            assert event is happened[before]
            mirror.renew(match.snapshot())
        assert known(mirror.snapshot()) == known(match.snapshot())
    assert mirror.over == (before < len(happened)), "the end is among what it heard"
