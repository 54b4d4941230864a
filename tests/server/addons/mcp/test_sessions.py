"""Sessions of one address are counted, and those that have ended make room."""

from contextlib import ExitStack

import pytest

from palio_server.addons.mcp.sessions import IDLE_S, MOST, OF_ONE, Sessions
from palio_server.edge.budgets import TooMuch


@pytest.fixture
def clock():
    return [0.0]


@pytest.fixture
def sessions(clock):
    found = Sessions(lambda: clock[0])
    for number in range(OF_ONE):
        with found.opening("far") as opened:
            opened(f"s{number}")
    return found


def come(sessions, address):
    with sessions.opening(address):
        pass


def test_a_full_address_is_refused_and_others_are_not(sessions):
    with pytest.raises(TooMuch, match="your address has 32 sessions open; end one; try again in 30 s"):
        come(sessions, "far")
    come(sessions, "elsewhere")
    come(sessions, "")


def test_an_ended_session_makes_room(sessions):
    sessions.ended("s3")
    come(sessions, "far")


def test_openings_that_come_together_count_from_their_beginning():
    found = Sessions()
    with ExitStack() as stack:
        for _ in range(OF_ONE):
            stack.enter_context(found.opening("far"))
        with pytest.raises(TooMuch, match="your address has 32 sessions open"):
            come(found, "far")
        for number in range(MOST - OF_ONE):
            stack.enter_context(found.opening(f"other {number}"))
        with pytest.raises(TooMuch, match="512 sessions are open here"):
            come(found, "elsewhere")
    assert len(found) == 0, "none of them came to be"
    come(found, "far")


def test_a_session_that_is_open_before_its_request_has_ended_counts_once():
    found = Sessions()
    with ExitStack() as stack:
        for number in range(OF_ONE - 1):
            stack.enter_context(found.opening("far"))(f"s{number}")
        come(found, "far")


def test_an_opening_that_fails_leaves_its_place():
    found = Sessions()
    for _ in range(OF_ONE + 1):
        with pytest.raises(RuntimeError), found.opening("far"):
            raise RuntimeError


def test_a_session_is_known_while_it_is_open(sessions):
    assert sessions.knows("s3")
    sessions.ended("s3")
    assert not sessions.knows("s3")


def test_sessions_that_were_not_used_for_long_are_forgotten_but_not_those_in_use(sessions, clock):
    with sessions.using("s0"), sessions.using("unknown"):
        clock[0] = IDLE_S + 1
        assert len(sessions) == 1
    clock[0] += IDLE_S
    assert len(sessions) == 1, "it was in use until a while ago"
    clock[0] += 1
    assert len(sessions) == 0
