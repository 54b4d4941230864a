"""Addresses of servers and brokers, as bots' authors write them."""

import pytest

from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.transport import address


@pytest.mark.parametrize("written", ["", "foo", "http://", "mqtt://x:y", "ws://x:0", "ws://[::1", "ftp://x"])
def test_what_is_no_address_is_refused_with_the_remedy(written):
    with pytest.raises(BadBot, match="is no address of a server; write ws://host:port"):
        address(written)


@pytest.mark.parametrize(
    "written", ["localhost:8120", "127.0.0.1:8000", "palio.example:80", "[::1]:8000", "hall:8000/cup", "h:1/ws/bot"]
)
def test_a_host_and_a_port_are_a_websocket_there(written):
    assert address(written).geturl() == f"ws://{written}"


@pytest.mark.parametrize(
    "written",
    [
        *(
            "ws:8000",
            "mqtt:1883",
            "http:80",
            "wx://h:8000",
            "ws//h:8000",
        ),  # schemes without their slashes, and no schemes
        *("localhost:", "localhost:99999", "h:0", ":8000", "h:80 00", "a b:80", "[::1:80"),
    ],
)
def test_what_only_looks_like_a_host_and_a_port_is_refused(written):
    with pytest.raises(BadBot, match="is no address of a server; write ws://host:port"):
        address(written)


def test_a_password_without_a_scheme_is_not_repeated_either():
    with pytest.raises(BadBot, match=r"'mine:\*\*\*@h:1883' is no address"):
        address("mine:fish@h:1883")


def test_a_password_in_an_address_is_not_repeated():
    with pytest.raises(BadBot, match=r"'mqtt://mine:\*\*\*@:1883' is no address") as caught:
        address("mqtt://mine:sw@rd:fish@:1883")
    assert "fish" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["ws", "https", "mqtt"])
def test_a_token_in_an_address_is_refused_with_the_remedy_and_not_repeated(scheme):
    with pytest.raises(BadBot, match=r"leave it out there, and give it as --token TOKEN or in PALIO_TOKEN") as caught:
        address(f"{scheme}://host:8000/ws/bot?token=s3cr3t")
    assert "s3cr3t" not in str(caught.value)
