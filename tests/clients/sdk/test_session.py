"""The conversation: asked once, answered once, whatever the network does to the messages."""

import math
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.sdk import events
from palio_clients.sdk.session import Session
from palio_rules.contract import codec as wire
from palio_rules.contract import messages
from palio_rules.contract.messages import Result, SeatOf
from palio_rules.errors import WireError
from palio_rules.time_control import TimeControl

RESULT = Result("rule", "reached-far-row", [1.0, 0.0])


def game(match="m1", seat=0, name="nim", strikes=3):
    seats = [SeatOf("first", "me"), SeatOf("second", "you")]
    return messages.GameMessage(match, name, {}, "3 4 5", seat, seats, TimeControl(10_000, 100), strikes)


def turn(id_=1, match="m1", limit_ms=5_000):
    return messages.Turn(match, id_, 0, "3 4 5", [[0, 1]], [9_000, 8_000], limit_ms)


def rejected(id_=1, left=2, match="m1"):
    return messages.Rejected(match, id_, "wrong-count", "cannot take 9", left, [7_000, 8_000])


def playing(slots=1, strict=False):
    """A session in the middle of match m1, its thought about turn 1 just begun."""
    session = Session("me", ["nim"], slots=slots, strict=strict)
    session.connect()
    session.receive(messages.Welcome("s1", "palio"), 0)
    session.receive(game(), 0)
    session.ready("m1")
    session.receive(turn(), 100.0)
    session.outgoing()
    return session


def test_hello_comes_first_and_nothing_else_until_the_server_has_answered():
    session = Session("me", ["nim"], token="secret", slots=2)
    session.connect()
    session.unreadable(WireError("unreadable", "not JSON"))
    assert session.outgoing() == [messages.Hello("me", ["nim"], token="secret", slots=2)]
    assert not session.welcomed
    assert session.receive(messages.Welcome("s1", "palio 1"), 0) == [events.Welcomed("s1", "palio 1", resumed=False)]
    session.unreadable(WireError("unreadable", "not JSON"))
    assert session.outgoing() == [messages.Error("unreadable", "not JSON")]


def test_being_refused_is_reported_with_its_reason():
    session = Session("me", ["nim"])
    session.connect()
    assert session.receive(messages.Refused("bad-token", "no such token"), 0) == [
        events.Refused("bad-token", "no such token")
    ]


def test_a_match_from_game_to_over():
    session = Session("me", ["nim"])
    session.connect()
    session.receive(messages.Welcome("s1", "palio"), 0)
    assert session.receive(game(), 0) == [events.GameBegins("m1", game())]
    session.ready("m1")
    [thought] = session.receive(turn(), 100.0)
    assert thought.turn == turn()
    assert session.answer("m1", 1, [0, 1])
    assert session.outgoing()[1:] == [messages.Ready("m1"), messages.Move("m1", 1, [0, 1])]
    played = messages.Played("m1", 1, 0, [0, 1], [9_000, 8_000])
    assert session.receive(played, 0) == [events.MovePlayed("m1", played)]
    assert session.receive(messages.Over("m1", RESULT), 0) == [events.MatchOver("m1", RESULT)]
    assert session._matches == {}


def test_the_clock_knows_the_deadline_and_whose_time_is_whose():
    session = Session("me", ["nim"])
    session.connect()
    session.receive(messages.Welcome("s1", "palio"), 0)
    session.receive(game(seat=1), 0)
    [thought] = session.receive(turn(limit_ms=5_000), 100.0)
    assert (thought.clock.remaining_ms, thought.clock.opponents_ms) == (8_000, (9_000,))
    assert (thought.clock.limit_ms, thought.clock.increment_ms, thought.clock.deadline) == (5_000, 100, 105.0)
    [thought] = session.receive(turn(2, limit_ms=None), 100.0)
    assert thought.clock.deadline == math.inf


def test_a_turn_that_is_asked_again_is_ignored_while_thinking_and_answered_alike_afterwards():
    session = playing()
    assert session.receive(turn(), 101.0) == []
    assert session.outgoing() == []
    session.answer("m1", 1, [0, 1])
    first = session.outgoing()
    assert session.receive(turn(), 102.0) == []
    assert session.outgoing() == first == [messages.Move("m1", 1, [0, 1])]


def test_a_newer_turn_ends_the_interest_in_the_old_thought():
    session = playing()
    [old] = Session.receive(session, turn(2), 101.0)
    [new] = session.receive(turn(3), 102.0)
    assert old.clock.expired()
    assert not new.clock._cancelled.is_set()
    assert not session.answer("m1", 2, [0, 1])
    assert session.answer("m1", 3, [0, 1])
    assert session.receive(turn(2), 103.0) == []  # overtaken
    assert session.outgoing() == [messages.Move("m1", 3, [0, 1])]


def test_a_second_answer_to_one_turn_is_not_sent():
    session = playing()
    assert session.answer("m1", 1, [0, 1])
    assert not session.answer("m1", 1, [0, 2])
    assert session.outgoing() == [messages.Move("m1", 1, [0, 1])]


def test_after_a_rejection_it_thinks_again_on_the_same_turn_with_less_time():
    session = playing()
    session.answer("m1", 1, [0, 9])
    event, thought = session.receive(rejected(), 102.0)
    assert event == events.MoveRejected("m1", rejected())
    assert (thought.turn.id, thought.clock.remaining_ms, thought.clock.limit_ms) == (1, 7_000, 3_000)
    assert thought.clock.deadline == 105.0
    assert session.answer("m1", 1, [0, 1])
    assert session.receive(rejected(), 103.0) == []  # the network has doubled it
    assert session.outgoing()[-1] == messages.Move("m1", 1, [0, 1])


def test_the_last_strike_is_reported_but_asks_for_no_further_thought():
    session = playing()
    session.answer("m1", 1, [0, 9])
    assert session.receive(rejected(left=0), 102.0) == [events.MoveRejected("m1", rejected(left=0))]


def test_a_strike_for_a_move_that_the_network_doubled_does_not_disturb_the_new_thought():
    session = playing()
    session.answer("m1", 1, [0, 9])
    session.receive(rejected(left=2), 102.0)
    assert session.receive(rejected(left=1), 102.1) == []
    assert session.answer("m1", 1, [0, 1])


def test_an_engine_says_that_its_rejected_move_loses_and_plays_on_with_a_lenient_referee():
    session = playing(strict=True)
    session.answer("m1", 1, [0, 9])
    session.outgoing()
    assert [type(event).__name__ for event in session.receive(rejected(left=2), 102.0)] == ["MoveRejected", "Think"]
    [error] = session.outgoing()
    assert (error.code, error.match, error.id) == ("illegal-move", "m1", 1)
    assert session.answer("m1", 1, [0, 1])


def test_whoever_crashed_says_so_once_and_again_to_whoever_asks():
    session = playing()
    session.crashed("m1", "x" * 9_000 + "ValueError: end")
    session.resign("m1")
    [error] = session.outgoing()
    assert (error.code, error.match) == ("crashed", "m1")
    assert error.reason.endswith("ValueError: end")
    assert wire.decode_from_bot(wire.encode(error)) == error  # within the limits
    assert not session.answer("m1", 1, [0, 1])
    assert session.receive(turn(2), 103.0) == []
    assert session.outgoing() == [error]


def test_resigning_travels_and_cancels_the_thought():
    session = playing()
    [thought] = session.receive(turn(2), 101.0)
    session.resign("m1")
    assert session.outgoing() == [messages.Resign("m1")]
    assert thought.clock.expired()


def test_a_bot_at_a_persons_table_hears_an_offer_of_a_draw_and_plays_on():
    session = playing()
    assert session.receive(messages.DrawOffered("m1", 1), 1.0) == []
    assert session.outgoing() == []


def test_a_reason_to_resign_travels_within_the_limits():
    session = playing()
    session.resign("m1", "no move after 3 answers" + "x" * 10_000)
    [resign] = session.outgoing()
    assert resign.reason.startswith("no move after 3 answers")
    assert wire.decode_from_bot(wire.encode(resign)) == resign


def test_after_a_lost_connection_the_session_is_asked_back_and_the_thought_survives():
    session = playing()
    session.disconnect()
    assert session.answer("m1", 1, [0, 1])  # found while nobody listened
    assert session.outgoing() == []
    session.connect()
    assert session.outgoing() == [messages.Hello("me", ["nim"], resume="s1")]
    assert session.receive(messages.Welcome("s1", "palio"), 0) == [events.Welcomed("s1", "palio", resumed=True)]
    assert session.receive(game(), 0) == []  # known already
    assert session.receive(turn(), 0) == []
    assert session.outgoing() == [messages.Ready("m1"), messages.Move("m1", 1, [0, 1])]


def test_a_match_that_ended_in_our_absence_makes_room_for_the_next():
    session = playing()
    session.connect()
    session.receive(messages.Welcome("s2", "palio"), 0)
    assert session.receive(game("m2"), 0) == [
        events.Abandoned("m1", "it ended while the connection was lost"),
        events.GameBegins("m2", game("m2")),
    ]


def test_a_match_that_the_server_does_not_know_is_given_up_but_may_begin_anew():
    session = playing()
    error = messages.Error("unknown-match", "no such match", match="m1")
    assert session.receive(error, 0) == [events.Abandoned("m1", "no such match")]
    assert session.receive(game(), 0) == [events.GameBegins("m1", game())]


def test_stragglers_of_a_finished_match_change_nothing():
    session = playing()
    session.receive(messages.Over("m1", RESULT), 0)
    for message in (game(), turn(), turn(2), rejected(), messages.Over("m1", RESULT)):
        assert session.receive(message, 0) == []
    assert session.outgoing() == []


def test_a_turn_of_an_unknown_match_is_answered_with_an_error_and_a_wish_for_a_new_hello():
    session = playing()
    [event] = session.receive(turn(7, match="m9"), 0)
    assert isinstance(event, events.HelloWanted)
    [error] = session.outgoing()
    assert (error.code, error.match, error.id) == ("unknown-match", "m9", 7)


def test_a_game_that_was_not_offered_is_declined_with_the_reason():
    session = playing()
    assert session.receive(game("m2", name="chess"), 0) == []
    [error] = session.outgoing()
    assert (error.code, error.match) == ("unknown-game", "m2")
    assert error.reason == "me does not play 'chess'; its hello offered nim"


def test_a_complaint_of_the_server_is_passed_on():
    session = playing()
    error = messages.Error("stale-id", "turn 1 is over", id=1, match="m1")
    assert session.receive(error, 0) == [events.Complaint(error)]


def test_absences_are_reported():
    session = playing()
    absent = messages.Absent("m1", 1, 30_000)
    assert session.receive(absent, 0) == [events.SeatAbsent("m1", absent)]
    back = messages.Back("m1", 1, 25_000)
    assert session.receive(back, 1) == [events.SeatBack("m1", back)]


@pytest.mark.parametrize("match", ["m1", "unknown"])
def test_saying_something_about_a_match_never_raises(match):
    session = playing()
    session.ready(match)
    session.crashed(match, "boom")
    session.resign(match)
    assert not session.answer(match, 99, None)


# --- laws ------------------------------------------------------------------------------------------------------------

names = st.sampled_from(["m1", "m2"])
ids = st.integers(1, 4)
said = st.one_of(
    st.builds(lambda: messages.Welcome("s1", "palio")),
    st.builds(game, names, st.sampled_from([0, 1])),
    st.builds(turn, ids, names, st.sampled_from([None, 500])),
    st.builds(rejected, ids, st.integers(0, 3), names),
    st.builds(lambda m, ply: messages.Played(m, ply, ply % 2, [0, 1], [1, None]), names, st.integers(0, 4)),
    st.builds(lambda m: messages.Over(m, RESULT), names),
    st.builds(lambda m, i: messages.Error("stale-id", "late", id=i, match=m), names, ids),
    st.builds(lambda m: messages.Error("unknown-match", "what", match=m), names),
)
steps = st.lists(
    st.one_of(said, st.sampled_from(["connect", "disconnect", "send"]), st.tuples(names, ids, st.integers(0, 9))),
    max_size=60,
)


class Listener:
    """Drives a session and keeps the law: for one turn at most one answer, or byte-equal repeats of it.

    Only a rejection that the session reported, or a match that began anew, opens a turn for another answer.
    """

    def __init__(self):
        self.session = Session("me", ["nim"], slots=2)
        self.round = defaultdict(int)
        self.answers = {}

    def step(self, step):
        match step:
            case "connect":
                self.session.connect()
            case "disconnect":
                self.session.disconnect()
            case "send":
                self.send()
            case (match, id_, stones):
                self.session.answer(match, id_, [0, stones])
            case message:
                self.send()
                for event in self.session.receive(message, 0.0):
                    if isinstance(event, events.MoveRejected | events.GameBegins):
                        self.round[event.match] += 1

    def send(self):
        for message in self.session.outgoing():
            data = wire.encode(message)
            assert wire.decode_from_bot(data) == message
            if isinstance(message, messages.Move):
                key = (message.match, message.id, self.round[message.match])
                assert self.answers.setdefault(key, data) == data


@given(steps)
@settings(max_examples=3 * settings().max_examples)
def test_no_order_of_events_raises_or_gives_two_answers_to_one_turn(script):
    listener = Listener()
    for step in ["connect", messages.Welcome("s1", "palio"), *script, "send"]:
        listener.step(step)


def plan(plies):
    """What a server says in one match of `plies` own turns, with a rejection in each third."""
    yield game()
    for id_ in range(1, plies + 1):
        yield turn(id_)
        if id_ % 3 == 0:
            yield rejected(id_, left=3 - id_ // 3)
        yield messages.Played("m1", 2 * id_ - 1, 0, [0, 1], [1, 1])
    yield messages.Over("m1", RESULT)


@given(st.integers(1, 8), st.data())
def test_a_network_that_doubles_and_delays_loses_no_match(plies, data):
    listener = Listener()
    listener.step("connect")
    listener.step(messages.Welcome("s1", "palio"))
    over = 0
    past = []
    for message in plan(plies):
        echoes = data.draw(st.lists(st.sampled_from(past), max_size=3)) if past else []
        past.append(message)
        for said_now in (message, *echoes):
            listener.send()
            for event in listener.session.receive(said_now, 0.0):
                over += isinstance(event, events.MatchOver)
                if isinstance(event, events.MoveRejected):
                    listener.round["m1"] += 1
                if isinstance(event, events.Think):
                    assert listener.session.answer("m1", event.turn.id, [0, event.turn.id])
    listener.send()
    assert over == 1
    assert {id_ for _, id_, _ in listener.answers} == set(range(1, plies + 1))
