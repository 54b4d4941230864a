"""Addresses of a server's parts, and of several servers."""

import pytest

from palio_rules.errors import BadOption
from palio_server.cli.addresses import several, socket


def test_the_same_server_has_websockets():
    assert socket("https://palio.example/cup", "/ws/live") == "wss://palio.example/cup/ws/live"


def test_several_addresses_come_with_commas_or_one_by_one_and_each_counts_once():
    assert several(["a:8000,ws://b:8000/", "http://a:8000", " c "]) == ["http://a:8000", "http://b:8000", "http://c"]
    assert several([]) == several([","]) == []
    with pytest.raises(BadOption, match="is no address of a server"):
        several(["a:8000,b:port"])
