"""Hostile messages over a real socket: each is answered with an error, and the bot beside it plays on."""

import asyncio
import json
from contextlib import asynccontextmanager

import msgpack
import pytest
from hostile_messages import HOSTILE
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import WebSocketRoute
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from palio_rules.contract.codec import Encoding, decode_from_server, encode
from palio_rules.contract.messages import Error, Hello, Ready, Refused, Welcome
from palio_server.api.guard import Guard
from palio_server.bus.local import LocalBus
from palio_server.edge.addresses import Proxies
from palio_server.edge.sites import Sites
from palio_server.lobby.access import Access, AccessDenied
from palio_server.lobby.lobby import Lobby
from palio_server.network.gateway import BotEndpoint
from palio_server.network.http_server import serving
from palio_server.network.listeners import bind

BEFORE_CLOSED = 9  # bad messages that one connection may send
# Text in a WebSocket is UTF-8: other bytes end the connection before they are read as a message.
NO_TEXT = {"bad UTF-8 in JSON", "half a character in bytes", "UTF-16"}


@pytest.mark.parametrize("encoding", list(Encoding), ids=lambda encoding: encoding.value)
async def test_hostile_messages_are_answered_and_nobody_else_notices(encoding, caplog) -> None:
    bus = LocalBus()
    lobby = Lobby(bus, games=["chess"])
    app = Starlette(routes=[WebSocketRoute("/ws/bot", BotEndpoint(lobby, bus, Access(None, "open")))])
    listener = bind("127.0.0.1", 0)
    hostile = [data for name, (kind, data) in HOSTILE.items() if kind is encoding and data and name not in NO_TEXT]
    async with serving(app, listener), asyncio.timeout(60):
        url = f"ws://127.0.0.1:{listener.getsockname()[1]}/ws/bot"
        async with greeted(url, encoding, "good") as good:
            for start in range(0, len(hostile), BEFORE_CLOSED):
                async with greeted(url, encoding, "bad") as bad:
                    for data in hostile[start : start + BEFORE_CLOSED]:
                        await bad.send(data.decode() if encoding is Encoding.JSON else data)
                        answer = await bad.recv()
                        said = decode_from_server(answer.encode() if isinstance(answer, str) else answer, encoding)
                        assert isinstance(said, Error), data[:100]
                    assert {one.name for one in lobby.connected()} == {"good", "bad"}
            await good.send(written(Ready("m9"), encoding))
            heard = await good.recv()
            assert (json.loads(heard) if isinstance(heard, str) else msgpack.unpackb(heard))["code"] == "unknown-match"
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


def written(message, encoding):
    data = encode(message, encoding)
    return data.decode() if encoding is Encoding.JSON else data


@asynccontextmanager
async def greeted(url, encoding, name):
    """A connection that has been welcomed under a name."""
    async with connect(url, subprotocols=[encoding.subprotocol], compression=None, proxy=None) as socket:
        await socket.send(written(Hello(name, ["chess"]), encoding))
        answer = await socket.recv()
        data = answer.encode() if isinstance(answer, str) else answer
        assert isinstance(decode_from_server(data, encoding), Welcome)
        yield socket


class Keeper(Access):
    """Wants one token."""

    async def bot(self, hello: Hello, address: str = "") -> None:
        if hello.token != "valid":
            raise AccessDenied("bad-token", "this token is unknown or has been revoked")


@pytest.fixture
async def url():
    bus = LocalBus()
    endpoint = BotEndpoint(Lobby(bus, games=["chess"]), bus, Keeper(None, "required"))
    listener = bind("127.0.0.1", 0)
    guard = Middleware(Guard, sites=Sites.parse("127.0.0.1", None, ""), proxies=Proxies.parse(""))
    async with serving(Starlette(routes=[WebSocketRoute("/ws/bot", endpoint)], middleware=[guard]), listener):
        yield f"ws://127.0.0.1:{listener.getsockname()[1]}/ws/bot"


async def test_compression_is_not_negotiated_for_bots(url) -> None:
    async with connect(url, compression="deflate", proxy=None) as socket:
        assert "permessage-deflate" in socket.request.headers["Sec-WebSocket-Extensions"]
        assert socket.protocol.extensions == []


@pytest.mark.parametrize("origin", ["null", "file://", "http://127.0.0.1", "https://evil.example"])
async def test_pages_of_nobody_are_refused(url, origin) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with connect(url, origin=origin, proxy=None):
            pass
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize(("token", "answer"), [("valid", Welcome), ("invalid", Refused)])
async def test_a_program_with_a_valid_token_needs_no_origin(url, token, answer) -> None:
    async with connect(url, compression=None, proxy=None) as socket:
        await socket.send(encode(Hello("a", ["chess"], token=token)))
        assert isinstance(decode_from_server(await socket.recv()), answer)
