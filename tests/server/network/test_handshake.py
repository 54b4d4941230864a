"""From a request to a socket: what the application learns, and what the peer gets for an answer."""

import asyncio
from typing import Any

import pytest
import uvicorn
from starlette.websockets import WebSocketClose
from uvicorn.server import ServerState

from palio_rules.contract.endpoints import FAILED, POLICY
from palio_server.network.corked_socket import GOODBYE_S
from palio_server.network.handshake import Handshake, handshake_of

pytestmark = pytest.mark.virtual_clock
REQUEST = (
    b"GET /ws/bot%2F?a=1 HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
)
GOODBYE = b"\x88\x82\0\0\0\0\x03\xe8"  # as a client says it, with code 1000


class World:
    """A server of one request; its application does what a test says."""

    def __init__(self, wire: Any, ears: Any) -> None:
        self.wire, self.ears, self.state = wire, ears, ServerState()
        self.scope: dict[str, Any] = {}
        self.does = self.listens

    async def listens(self, receive: Any, send: Any) -> None:
        handshake_of(self.scope).accept().listen(self.ears)
        assert (await receive())["type"] == "websocket.connect"
        assert (await receive())["type"] == "websocket.disconnect"

    async def app(self, scope: Any, receive: Any, send: Any) -> None:
        self.scope = scope
        await self.does(receive, send)

    async def ask(self, more: bytes = b"") -> bytes:
        """Send the request with `more` headers; what is answered."""
        config = uvicorn.Config(self.app, interface="asgi3", proxy_headers=False, ws=Handshake, lifespan="off")
        config.load()
        self.handshake = Handshake(config, self.state, {"a": "state"})
        self.handshake.connection_made(self.wire)
        self.handshake.data_received(REQUEST + more + b"\r\n")
        self.wire.set_protocol(self.wire.protocol or self.handshake)  # as uvicorn does
        assert not self.wire.reading or self.wire.said_all
        await asyncio.sleep(0.001)
        answer, _, self.wire.written = self.wire.written.partition(b"\r\n\r\n")
        return answer


@pytest.fixture
async def world(wire_type, ears_type) -> World:
    return World(wire_type(), ears_type())


# --- yes --------------------------------------------------------------------------------------------------------------


async def test_whoever_is_accepted_gets_a_socket_and_is_read_as_soon_as_somebody_listens(world: World) -> None:
    answer = await world.ask()
    assert answer.startswith(b"HTTP/1.1 101 ")
    assert b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in answer, "RFC 6455, section 1.3"
    assert world.state.connections == {world.wire.protocol}
    assert world.wire.reading
    world.wire.protocol.data_received(b"\x82\x81\0\0\0\0x")
    assert world.ears.heard == [(b"x", False)]


async def test_the_application_learns_what_was_asked_for(world: World) -> None:
    await world.ask(b"Sec-WebSocket-Protocol: one, two\r\nX-Name: \xe4\r\n")
    assert (world.scope["type"], world.scope["scheme"]) == ("websocket", "ws")
    assert (world.scope["path"], world.scope["raw_path"]) == ("/ws/bot/", b"/ws/bot%2F")
    assert (world.scope["query_string"], world.scope["state"]) == (b"a=1", {"a": "state"})
    assert world.scope["subprotocols"] == ["one", "two"]
    assert (b"x-name", b"\xe4") in world.scope["headers"]


async def test_nothing_is_read_before_somebody_listens_and_the_chosen_subprotocol_is_told(world: World) -> None:
    async def accepts(receive: Any, send: Any) -> None:
        handshake_of(world.scope).accept("two")
        await asyncio.sleep(1)

    world.does = accepts
    assert b"Sec-WebSocket-Protocol: two" in await world.ask()
    assert not world.wire.reading


async def test_the_application_ends_with_the_connection(world: World) -> None:
    await world.ask()
    assert len(world.state.tasks) == 1
    world.wire.protocol.data_received(GOODBYE)
    await asyncio.sleep(0.001)
    assert not world.state.tasks


@pytest.mark.parametrize(("goodbye", "code"), [(GOODBYE, 1000), (b"\x88\x80\0\0\0\0", 1005), (b"", 1006)])
async def test_the_application_hears_by_asgi_how_the_peer_has_left(world: World, goodbye: bytes, code: int) -> None:
    heard: list[Any] = []

    async def waits(receive: Any, send: Any) -> None:
        handshake_of(world.scope).accept().listen(world.ears)
        heard.extend([await receive(), await receive()])

    world.does = waits
    await world.ask()
    if goodbye:
        world.wire.protocol.data_received(goodbye)
    world.wire.protocol.connection_lost(None)
    await asyncio.sleep(0.001)
    assert heard == [{"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": code}]


async def test_an_application_that_fails_later_closes(world: World, caplog) -> None:
    async def fails(receive: Any, send: Any) -> None:
        handshake_of(world.scope).accept().listen(world.ears)
        raise ZeroDivisionError

    world.does = fails
    await world.ask()
    assert world.wire.goodbye() == (FAILED, "")
    assert "the application failed on a WebSocket for /ws/bot/" in caplog.text


async def test_an_application_may_close_by_asgi(world: World) -> None:
    async def closes(receive: Any, send: Any) -> None:
        handshake_of(world.scope).accept().listen(world.ears)
        await send({"type": "websocket.close", "code": POLICY, "reason": "enough"})

    world.does = closes
    await world.ask()
    assert world.wire.goodbye() == (POLICY, "enough")


# --- no ---------------------------------------------------------------------------------------------------------------


async def test_an_application_refuses_by_closing_before_it_accepts(world: World) -> None:
    async def refuses(receive: Any, send: Any) -> None:
        await send({"type": "websocket.close", "code": POLICY})
        with pytest.raises(RuntimeError, match="answered before"):
            handshake_of(world.scope).accept()

    world.does = refuses
    assert (await world.ask()).startswith(b"HTTP/1.1 403 ")
    assert world.wire.said_all
    await asyncio.sleep(GOODBYE_S + 0.1)
    assert world.wire.ended == "aborted", "it does not read the answer"


async def test_a_path_without_a_websocket_is_refused_with_the_paths_that_have_one(world: World) -> None:
    async def has_no_route(receive: Any, send: Any) -> None:
        await WebSocketClose()(world.scope, receive, send)  # as Starlette's router does

    world.does = has_no_route
    assert (await world.ask()).startswith(b"HTTP/1.1 403 ")
    assert b"there is no WebSocket at '" in world.wire.written
    assert b"; bots connect to /ws/bot, viewers to /ws/live" in world.wire.written


@pytest.mark.parametrize("fault", [ZeroDivisionError, None])
async def test_an_application_that_ends_without_an_answer_is_a_fault_of_the_server(world: World, fault, caplog) -> None:
    async def ends(receive: Any, send: Any) -> None:
        if fault is not None:
            raise fault

    world.does = ends
    assert (await world.ask()).startswith(b"HTTP/1.1 500 ")
    assert ("ZeroDivisionError" in caplog.text) == (fault is not None)


async def test_an_application_that_accepts_by_asgi_is_told_how_to(world: World) -> None:
    async def accepts(receive: Any, send: Any) -> None:
        with pytest.raises(RuntimeError, match=r"handshake_of\(scope\)\.accept\(\)"):
            await send({"type": "websocket.accept"})

    world.does = accepts
    assert (await world.ask()).startswith(b"HTTP/1.1 500 ")


@pytest.mark.parametrize(
    ("more", "status"), [(b"Sec-WebSocket-Version: 12\r\n", b"426"), (b"X-Long: " + b"x" * 10_000 + b"\r\n", b"431")]
)
async def test_what_is_no_handshake_is_refused(world: World, more: bytes, status: bytes) -> None:
    assert (await world.ask(more)).startswith(b"HTTP/1.1 " + status)
    assert world.wire.said_all
    assert world.scope == {}, "the application was not asked"


# --- the end ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("accepts", [True, False])
async def test_a_peer_that_leaves_before_it_has_an_answer_leaves_nothing_behind(world: World, accepts: bool) -> None:
    async def thinks(receive: Any, send: Any) -> None:
        await asyncio.sleep(1)
        if accepts:
            await world.listens(receive, send)

    world.does = thinks
    await world.ask()
    world.wire.ended = "lost"
    world.handshake.connection_lost(None)
    await asyncio.sleep(2)
    assert world.wire.written == b""
    assert not world.state.connections
    assert not world.state.tasks


async def test_when_the_server_ends_an_open_request_is_refused(world: World) -> None:
    async def thinks(receive: Any, send: Any) -> None:
        await asyncio.sleep(1)

    world.does = thinks
    assert await world.ask() == b""
    world.handshake.shutdown()
    assert world.wire.written.startswith(b"HTTP/1.1 503 ")
    world.handshake.connection_lost(None)
    await asyncio.sleep(GOODBYE_S + 2)
    assert world.wire.said_all
    assert not world.state.connections


def test_under_another_protocol_the_operator_is_told_what_is_missing() -> None:
    with pytest.raises(RuntimeError, match=r"ws=palio_server\.network\.handshake\.Handshake"):
        handshake_of({"type": "websocket", "extensions": {}})
