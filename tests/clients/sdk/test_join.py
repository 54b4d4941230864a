"""What an author imports is small, and an address chooses the transport."""

import re

import pytest

import palio_clients
from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.join import build_of_class, transport_for
from palio_clients.sdk.mqtt import MqttTransport
from palio_clients.sdk.websocket import WebSocketTransport
from palio_rules.errors import BadOption


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


async def test_run_names_play_where_an_event_loop_runs_already():
    class Mine(palio_clients.Bot):
        def choose(self, state, clock): ...

    with pytest.raises(BadBot, match=re.escape("write: await play(Mine, 'ws://127.0.0.1:9')")):
        palio_clients.run(Mine, "ws://127.0.0.1:9")


@pytest.mark.parametrize(("url", "name"), [("ftp://h", "mine"), ("ws://127.0.0.1:9", "a name")])
async def test_a_bad_address_or_name_is_refused_before_anything_is_connected(url, name):
    class Mine(palio_clients.Bot):
        def choose(self, state, clock): ...

    with pytest.raises(BadBot):
        await palio_clients.play(Mine, url, name=name)


async def test_a_bot_that_cannot_warm_up_does_not_connect():
    class Mine(palio_clients.Bot):
        games = ("go",)

        @classmethod
        def warm_up(cls, game):
            raise BadOption(f"no searches of {game.name}")

        def choose(self, state, clock): ...

    with pytest.raises(BadBot, match="no searches of go"):
        await palio_clients.play(Mine, "ws://127.0.0.1:9")


def test_a_class_without_a_source_has_a_build_without_a_digest():
    space = {"__name__": "__main__", "Bot": palio_clients.Bot}
    exec("class Typed(Bot):\n    def choose(self, state, clock): ...", space)  # as a notebook does
    assert re.fullmatch(r"Typed( [0-9a-f]{8})?, palio \S+", build_of_class(space["Typed"]))


def test_all_that_authors_import_has_a_docstring():
    assert all(getattr(palio_clients, name).__doc__ for name in palio_clients.__all__)


def test_importing_a_bot_loads_no_library_but_msgspec(loaded_by):
    assert loaded_by("from palio_clients import Bot, run") == {"msgspec", "palio_clients", "palio_rules"}
