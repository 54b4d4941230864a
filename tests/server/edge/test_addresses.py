"""Addresses: the true one behind named proxies, and only their headers are believed."""

import pytest

from palio_rules.errors import BadOption
from palio_server.edge.addresses import Proxies, key_of


@pytest.mark.parametrize(
    ("host", "key"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::9%eth0", "2001:db8:1:2::"),
        ("127.0.0.9", ""),
        ("::1", ""),
        ("", ""),
        ("no address", ""),
    ],
)
def test_an_address_counts_as_one_household(host: str, key: str) -> None:
    assert key_of(host) == key


PROXIES = Proxies.parse("127.0.0.1, 10.0.0.0/8,2001:db8::/32")


@pytest.mark.parametrize(
    ("peer", "header", "found"),
    [
        ("127.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("127.0.0.1", "198.51.100.1, 203.0.113.7", "203.0.113.7"),  # any client may have written the left one
        ("127.0.0.1", "203.0.113.7, 10.1.2.3", "203.0.113.7"),
        ("::ffff:127.0.0.1", "203.0.113.7:5555", "203.0.113.7"),
        ("127.0.0.1", "[2001:4860::1]:443", "2001:4860::1"),
        ("127.0.0.1", "10.1.1.1, 10.2.2.2", "10.1.1.1"),
        ("127.0.0.1", "203.0.113.7, unknown", "127.0.0.1"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),  # not a trusted proxy
        ("", "198.51.100.1", ""),  # a Unix socket
    ],
)
def test_the_rightmost_address_that_is_no_proxy_of_ours_is_the_true_one(peer: str, header: str, found: str) -> None:
    assert PROXIES.true_host(peer, header) == found


def test_forwarded_says_the_same_in_its_own_words() -> None:
    header = 'for=198.51.100.1;proto=http, for="[2001:4860::1]:443";proto=https;by=10.0.0.1, for=10.0.0.1'
    assert PROXIES.true_host("127.0.0.1", "", header) == "2001:4860::1"


def test_a_header_without_end_is_read_from_its_end_only() -> None:
    assert PROXIES.true_host("127.0.0.1", "203.0.113.7, " + ", ".join(["10.0.0.1"] * 10_000)) == "10.0.0.1"


def test_what_is_no_network_is_refused_with_an_example() -> None:
    with pytest.raises(BadOption, match=r"'10\.0\.0\.0/40' .*10\.0\.0\.0/8"):
        Proxies.parse("127.0.0.1,10.0.0.0/40")
