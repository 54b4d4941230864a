"""Sessions of one address are counted, and those that have ended make room."""

import pytest

from palio_server.api.mcp.sessions import IDLE_S, OF_ONE, Sessions
from palio_server.edge.refusal import TooMuch


@pytest.fixture
def clock():
    return [0.0]


@pytest.fixture
def sessions(clock):
    found = Sessions(lambda: clock[0])
    for number in range(OF_ONE):
        found.opened(f"s{number}", "far")
    return found


def test_a_full_address_is_refused_and_others_are_not(sessions):
    with pytest.raises(TooMuch, match="your address has 32 sessions open; end one; try again in 30 s"):
        sessions.check_room("far")
    sessions.check_room("elsewhere")
    sessions.check_room("")


def test_an_ended_session_makes_room(sessions):
    sessions.ended("s3")
    sessions.check_room("far")


def test_sessions_that_were_not_used_for_long_are_forgotten_but_not_those_in_use(sessions, clock):
    with sessions.using("s0"), sessions.using("unknown"):
        clock[0] = IDLE_S + 1
        assert len(sessions) == 1
    clock[0] += IDLE_S
    assert len(sessions) == 1, "it was in use until a while ago"
    clock[0] += 1
    assert len(sessions) == 0
