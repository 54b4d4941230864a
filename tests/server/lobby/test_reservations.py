"""Slots of connections, kept for matches; the bus forwards what a match says to the connection that holds it."""

import pytest

from palio_rules.contract import topics
from palio_rules.contract.messages import Hello
from palio_server.bus.local import LocalBus
from palio_server.lobby.listing import Reservations
from palio_server.lobby.session import Session


class Link:
    """Notes what is forwarded."""

    def __init__(self):
        self.posted = []

    def post(self, topic, envelope):
        self.posted.append(envelope.data)

    def close(self, code, reason): ...


class Heard:
    """A match's listener."""

    def __init__(self):
        self.changes = []

    def present(self, name, present):
        self.changes.append((name, present))

    def expelled(self, name, why): ...


@pytest.fixture
def bus():
    return LocalBus()


@pytest.fixture
def reservations(bus):
    return Reservations(bus)


def session(name="ann", slots=1, transport="websocket", games=("chess",)):
    return Session.of(Hello(name, list(games), slots=slots), Link(), transport, None)


def test_what_a_match_says_reaches_the_connection_that_holds_it_until_it_is_over(bus, reservations):
    ann = session()
    reservations.add("m", "chess", {"ann": ann}, Heard())
    assert reservations.holder("m", "ann") is ann
    assert ann.free_slots == 0
    bus.publish(topics.bot_in("ann", "m"), b"one")
    assert reservations.remove("m") == [ann]
    bus.publish(topics.bot_in("ann", "m"), b"two")
    assert ann.link.posted == [b"one"]
    assert "m" not in reservations
    assert ann.free_slots == 1


def test_to_a_bot_on_the_broker_nothing_is_forwarded(bus, reservations):
    ann = session(transport="mqtt")
    reservations.add("m", "chess", {"ann": ann}, Heard())
    bus.publish(topics.bot_in("ann", "m"), b"one")
    assert (ann.link.posted, ann.free_slots) == ([], 0)


def test_a_match_hears_who_goes_and_who_takes_over(bus, reservations):
    heard, first, second = Heard(), session(), session()
    reservations.add("m", "chess", {"ann": first, "bob": None}, heard)
    assert reservations.withdraw(first) == ["m"]
    assert reservations.holder("m", "ann") is None
    reservations.take_over(second)
    reservations.take_over(session("bob"))
    assert heard.changes == [("ann", False), ("ann", True), ("bob", True)]
    assert reservations.holder("m", "ann") is second
    bus.publish(topics.bot_in("ann", "m"), b"one")
    assert (first.link.posted, second.link.posted) == ([], [b"one"])


def test_slots_are_filled_with_a_sessions_own_matches_first_then_the_oldest(reservations):
    for match in ("m1", "m2", "m3", "m4"):
        reservations.add(match, "chess", {"ann": None}, Heard())
    ann = session(slots=2)
    reservations.take_over(ann, ["m3"])
    assert [*ann.matches] == ["m3", "m1"]


def test_a_match_of_another_game_waits_on(reservations):
    reservations.add("m", "checkers", {"ann": None}, Heard())
    ann = session()
    reservations.take_over(ann)
    assert reservations.holder("m", "ann") is None
