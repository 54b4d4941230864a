"""The address that counts as one visitor for limits."""

import pytest
from starlette.requests import Request

from palio_server.api.identity import address_of


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("127.0.0.1", ""),
        ("::1", ""),
        ("::ffff:127.0.0.1", ""),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::"),
        ("testclient", ""),
    ],
)
def test_an_address_is_the_connection_s(host, address):
    said = [(b"x-forwarded-for", b"198.51.100.1")]
    assert address_of(Request({"type": "http", "client": (host, 1), "headers": said})) == address


def test_without_an_address_there_is_none():
    assert address_of(Request({"type": "http", "client": None, "headers": []})) == ""
