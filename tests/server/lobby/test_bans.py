"""The bans that a server keeps in memory: whom each concerns, and until when."""

import ipaddress
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_db.bans import Ban, Barred, network_of, within
from palio_server.edge.addresses import Proxies, key_of
from palio_server.lobby.bans import BanList

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def ban(kind, value, until=None):
    return Ban(1, kind, value, "why", "staff", NOW, until)


def list_of(*bans, proxies="", now=lambda: NOW, **more):
    found = BanList(Proxies.parse(proxies), now)
    found.update(Barred(bans, **more))
    return found


addresses = st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)).map(str)
networks = st.one_of(
    st.tuples(st.ip_addresses(v=4), st.integers(1, 32)), st.tuples(st.ip_addresses(v=6), st.integers(1, 64))
).map(lambda each: str(ipaddress.ip_network(each, strict=False)))


@given(st.lists(networks, max_size=6, unique=True), st.data())
def test_an_address_is_banned_if_one_of_the_networks_has_it(some, data):
    inside = [str(ipaddress.ip_network(each)[0]) for each in some]
    address = key_of(data.draw(st.one_of(addresses, st.sampled_from(inside)) if inside else addresses))
    banned = list_of(*(ban("address", each) for each in some)).of_address(address) is not None
    assert banned == any(within(each, [address]) for each in some)


@pytest.mark.parametrize(
    ("asked", "network"),
    [("203.0.113.7", "203.0.113.7/32"), ("203.0.113.7/24", "203.0.113.0/24"), ("2001:db8::5", "2001:db8::/64")],
)
def test_a_single_ipv6_address_stands_for_its_household(asked, network):
    assert str(network_of(asked)) == network


def test_the_address_of_a_trusted_proxy_is_never_banned():
    bans = list_of(ban("address", "192.0.2.0/24"), proxies="192.0.2.1")
    assert bans.of_address("192.0.2.1") is None
    assert bans.of_address("192.0.2.2") is not None
    assert bans.of_address("") is None  # this machine


def test_a_ban_ends_by_itself():
    moment = NOW
    bans = list_of(ban("bot", "ann", NOW + timedelta(hours=1)), now=lambda: moment)
    assert bans.of("Ann", "").reason == "Ann is banned until 2026-05-01 01:00 UTC: why"
    moment += timedelta(hours=1)
    assert bans.of("Ann", "") is None


def test_an_owner_is_banned_with_all_bots_and_former_names_are_refused():
    bans = list_of(ban("owner", "eve"), owned=(("ann", "eve"),), former=(("bob", "zoe"), ("forgotten-1", "")))
    assert bans.of("ANN", "").reason == "ANN is banned for good: why"
    assert bans.of("bob", "").reason == "the bot bob is called zoe now; come under that name"
    assert bans.of("forgotten-1", "").reason == "the name forgotten-1 is given to no bot; choose another one"
    assert bans.of("zoe", "") is None
