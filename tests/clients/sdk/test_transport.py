"""Addresses of servers and brokers, as bots' authors write them."""

import pytest

from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.transport import address


@pytest.mark.parametrize("written", ["", "foo", "http://", "mqtt://x:y", "ws://x:0", "ws://[::1", "ftp://x"])
def test_what_is_no_address_is_refused_with_the_remedy(written):
    with pytest.raises(BadBot, match="is no address of a server; write ws://host:port"):
        address(written)


def test_a_password_in_an_address_is_not_repeated():
    with pytest.raises(BadBot, match=r"'mqtt://mine:\*\*\*@:1883' is no address") as caught:
        address("mqtt://mine:sw@rd:fish@:1883")
    assert "fish" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["ws", "https", "mqtt"])
def test_a_token_in_an_address_is_refused_with_the_remedy_and_not_repeated(scheme):
    with pytest.raises(BadBot, match=r"leave it out there, and give it as --token TOKEN or in PALIO_TOKEN") as caught:
        address(f"{scheme}://host:8000/ws/bot?token=s3cr3t")
    assert "s3cr3t" not in str(caught.value)
