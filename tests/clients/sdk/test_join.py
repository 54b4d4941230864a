"""What an author imports is small, and an address chooses the transport."""

import pytest

import palio_clients
from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.join import transport_for
from palio_clients.sdk.mqtt import MqttTransport
from palio_clients.sdk.websocket import WebSocketTransport


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("ws://h:1", WebSocketTransport),
        ("https://h", WebSocketTransport),
        ("ws+unix:///run/palio.sock", WebSocketTransport),
        ("mqtt://u:p@h", MqttTransport),
        ("mqtts://h", MqttTransport),
    ],
)
def test_an_address_chooses_the_transport(url, kind):
    assert type(transport_for(url, "mine", ("dominoes",))) is kind


def test_what_is_no_address_is_refused():
    with pytest.raises(BadBot, match="is no address of a server"):
        transport_for("ftp://h", "mine", ())


def test_all_that_authors_import_has_a_docstring():
    assert all(getattr(palio_clients, name).__doc__ for name in palio_clients.__all__)


def test_importing_a_bot_loads_no_library_but_msgspec(loaded_by):
    assert loaded_by("from palio_clients import Bot, run") == {"msgspec", "palio_clients", "palio_rules"}
