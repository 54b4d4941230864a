"""A server that stops informs all clients, lets no bot in, and lets no bot play on."""

import msgspec
import pytest
from msgspec import UNSET

from palio_rules.contract import topics
from palio_rules.contract.codec import decode_from_server
from palio_rules.contract.messages import Hello, ServerStopping
from palio_server.bus.local import LocalBus
from palio_server.lobby.lobby import Lobby, ServerStops
from palio_server.lobby.programs import announce_stop, notice, retry_after_s


class Wire:
    def __init__(self):
        self.heard = []

    def post(self, topic, envelope):
        self.heard.append((topic, decode_from_server(envelope.data)))

    def close(self, code, reason):
        raise AssertionError("nobody is sent away")


def test_everybody_hears_when_to_come_back_and_nobody_gets_in_or_is_free():
    bus, wire, viewers = LocalBus(), Wire(), []
    lobby = Lobby(bus, games=["chess"], now=lambda: 0.0)
    lobby.join(Hello("ann", ["chess"]), wire, "websocket")
    bus.subscribe(topics.STOPPING, lambda _, envelope: viewers.append(msgspec.json.decode(envelope.data)))
    said = notice(30)
    announce_stop(lobby, bus, said)
    assert wire.heard == [("palio/bot/ann/in/lobby", said)]
    assert viewers == [{"type": "server_stopping", "reason": said.reason, "back_in_ms": 30_000}]
    assert "come back in 30 s" in said.reason
    assert (lobby.free("chess"), lobby.is_free("ann", "chess")) == ([], False)
    with pytest.raises(ServerStops, match="come back in 30 s") as refused:
        lobby.join(Hello("bob", ["chess"]), Wire(), "websocket")
    assert (refused.value.code, refused.value.notice) == ("server-stopping", said)


@pytest.mark.parametrize(("back_in_ms", "seconds"), [(UNSET, 5), (0, 1), (1, 1), (1500, 2), (30_000, 30)])
def test_an_api_client_gets_whole_seconds(back_in_ms, seconds):
    assert retry_after_s(ServerStopping("it stops", back_in_ms)) == seconds


def test_where_nobody_knows_nothing_is_promised():
    assert notice(None).back_in_ms is UNSET
