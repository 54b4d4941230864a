"""Addresses of servers, as people write them."""

import pytest

from palio_rules.contract.endpoints import LOCAL, web
from palio_rules.errors import BadOption


@pytest.mark.parametrize(
    ("written", "address"),
    [
        (None, LOCAL),
        ("palio.example", "http://palio.example"),
        ("127.0.0.1:8000/", "http://127.0.0.1:8000"),
        ("localhost:8120", "http://localhost:8120"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("ws://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("https://palio.example/cup/", "https://palio.example/cup"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_an_address_may_be_written_in_many_ways(written, address):
    assert web(written) == address


@pytest.mark.parametrize(
    "written",
    [
        "http://",
        "ftp://x",
        "http://x:8000:",
        "http://x:99999",
        "http://x:0",
        "http://x:y",
        "http://[::1",
        "http://a b",
        "a\x1b",
    ],
)
def test_what_is_no_address_is_refused_with_the_remedy(written):
    with pytest.raises(BadOption, match="is no address of a server; write http://HOST:PORT"):
        web(written)


def test_a_token_in_an_address_is_refused_with_the_remedy_and_not_repeated():
    with pytest.raises(BadOption, match="give it as --token TOKEN or in PALIO_TOKEN") as caught:
        web("http://host:8000/?access_token=s3cr3t")
    assert "s3cr3t" not in str(caught.value)
