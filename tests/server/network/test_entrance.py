"""Visits: a connection's place and address from its first byte to its end."""

import pytest

from palio_server.edge.addresses import Proxies
from palio_server.edge.places import SocketRoom
from palio_server.network.entrance import FLOODS, Entrance


class Transport:
    def __init__(self, host: str | None) -> None:
        self.host, self.aborted = host, False

    def get_extra_info(self, name: str) -> object:
        return (self.host, 5) if name == "peername" and self.host is not None else None

    def abort(self) -> None:
        self.aborted = True


@pytest.fixture
def entrance() -> Entrance:
    return Entrance(SocketRoom(4, 2, 2, 1), Proxies.parse("10.0.0.0/8"), lambda: 0.0)


def test_a_connection_is_one_visit_until_it_is_lost(entrance: Entrance) -> None:
    transport = Transport("203.0.113.1")
    visit = entrance.visit(transport)  # type: ignore[arg-type]
    assert entrance.visit(transport) is visit  # type: ignore[arg-type]
    assert len(entrance.places) == 1
    visit.lost()
    visit.lost()
    assert len(entrance.places) == 0
    assert entrance.visit(transport) is not visit  # type: ignore[arg-type]


def test_of_one_address_the_oldest_is_cut_off(entrance: Entrance) -> None:
    transports = [Transport("203.0.113.1") for _ in range(3)]
    for transport in transports:
        entrance.visit(transport)  # type: ignore[arg-type]
    assert [transport.aborted for transport in transports] == [True, False, False]


def test_who_comes_by_a_proxy_counts_by_the_address_that_it_tells(entrance: Entrance) -> None:
    visits = [entrance.visit(Transport("10.0.0.1")) for _ in range(3)]  # type: ignore[arg-type]
    assert [visit.address for visit in visits] == ["", "", ""], "nobody knows yet"
    assert visits[0].forwarded("198.51.100.1, 203.0.113.7", "") == "203.0.113.7"
    assert visits[0].address == "203.0.113.7"
    stranger = entrance.visit(Transport("192.0.2.1"))  # type: ignore[arg-type]
    assert stranger.forwarded("203.0.113.7", "") == stranger.address == "192.0.2.1", "anybody may say so"


def test_programs_on_the_unix_socket_take_nobodys_place(entrance: Entrance) -> None:
    for _ in range(4):
        entrance.visit(Transport(None))  # type: ignore[arg-type]
    assert len(entrance.places) == 0


def test_floods_bar_their_address_and_no_other(entrance: Entrance) -> None:
    for _ in range(int(FLOODS)):
        visit = entrance.visit(Transport("203.0.113.1"))  # type: ignore[arg-type]
        assert visit.barred_s() == 0
        visit.flooded()
        visit.flooded()  # one is one
        visit.lost()
    assert entrance.visit(Transport("203.0.113.1")).barred_s() == pytest.approx(1.0)  # type: ignore[arg-type]
    assert entrance.visit(Transport("203.0.113.2")).barred_s() == 0  # type: ignore[arg-type]


def test_viewers_have_a_share_for_each_address_and_are_no_strangers(entrance: Entrance) -> None:
    first, second = (entrance.visit(Transport("203.0.113.1")) for _ in range(2))  # type: ignore[arg-type]
    assert first.take_viewer_share()
    assert first.take_viewer_share(), "it has its share"
    assert not second.take_viewer_share()
    assert len(entrance.places) == 1
    first.lost()
    assert second.take_viewer_share()
