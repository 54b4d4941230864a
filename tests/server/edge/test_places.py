"""Places: limits for each address and in all, and the one that is silent the longest goes first."""

import gc
import weakref

from hypothesis import given
from hypothesis import strategies as st

from palio_server.edge.places import ConnectionPlace, ConnectionPlaces, ConnectionShares


class Peers:
    def __init__(self, places: ConnectionPlaces) -> None:
        self.places = places
        self.dropped: list[str] = []
        self.silent: dict[str, bool] = {}

    def come(self, name: str, address: str = "", *, busy: bool = False) -> ConnectionPlace:
        place = ConnectionPlace(
            address, lambda: self.dropped.append(name), lambda: self.silent.get(name, True), busy=busy
        )
        self.places.enter(place)
        return place


def test_of_one_address_the_oldest_silent_connection_makes_room() -> None:
    peers = Peers(ConnectionPlaces(100, 3))
    for name in ("a", "b", "c"):
        peers.come(name, "203.0.113.1")
    peers.come("elsewhere", "203.0.113.2")
    peers.come("d", "203.0.113.1")
    assert peers.dropped == ["a"]


def test_of_all_the_oldest_silent_connection_makes_room() -> None:
    peers = Peers(ConnectionPlaces(3, 2))
    for number in range(5):
        peers.come(str(number), f"203.0.113.{number}")
    assert peers.dropped == ["0", "1"]


def test_whoever_has_said_something_or_is_being_answered_stays() -> None:
    peers = Peers(ConnectionPlaces(4, 9))
    peers.come("busy", busy=True)
    peers.silent["speaks"] = False
    peers.come("speaks")
    settled = peers.come("settled")
    peers.places.leave(settled)
    for name in ("a", "b", "c"):
        peers.come(name)
    assert peers.dropped == ["a"]


def test_this_machine_may_have_all_places() -> None:
    peers = Peers(ConnectionPlaces(10, 2))
    for number in range(10):
        peers.come(str(number))
    assert peers.dropped == []


def test_twice_the_limit_is_never_exceeded_even_by_busy_ones() -> None:
    peers = Peers(ConnectionPlaces(5, 5))
    for number in range(50):
        peers.come(str(number), busy=True)
    assert len(peers.places) <= 10


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.booleans()), max_size=80))
def test_there_are_never_more_than_twice_the_limits(comings: list[tuple[str, bool, bool]]) -> None:
    peers = Peers(ConnectionPlaces(6, 3))
    here: list[ConnectionPlace] = []
    for number, (address, busy, leaves) in enumerate(comings):
        if leaves and here:
            peers.places.leave(here.pop(0))
        else:
            here.append(peers.come(str(number), address, busy=busy))
        assert len(peers.places) <= 12
        for each in "abc":
            assert sum(place.stranger and place.address == each for place in here) <= 6


def test_a_proxy_may_say_later_where_somebody_comes_from() -> None:
    peers = Peers(ConnectionPlaces(10, 1))
    first, second = peers.come("a"), peers.come("b")
    peers.places.move(first, "203.0.113.1")
    peers.places.move(second, "203.0.113.1")
    assert peers.dropped == ["a"]


def test_viewers_have_shares_of_one_address_and_in_all() -> None:
    shares = ConnectionShares(3, 2)
    assert [shares.enter("x"), shares.enter("x"), shares.enter("x"), shares.enter(""), shares.enter("")] == [
        True, True, False, True, False,
    ]  # fmt: skip
    shares.leave("x")
    assert shares.enter("")


def test_whoever_has_left_is_not_held_by_its_place() -> None:
    class Peer:
        place: ConnectionPlace | None = None

        def drop(self) -> None: ...

    peer, places = Peer(), ConnectionPlaces(10, 10)
    peer.place = ConnectionPlace("", peer.drop)
    places.enter(peer.place)
    gone = weakref.ref(peer)
    places.leave(peer.place)
    gc.disable()
    try:
        del peer
        assert gone() is None
    finally:
        gc.enable()
