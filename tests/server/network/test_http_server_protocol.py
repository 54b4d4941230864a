"""HTTP connections: a peer that does not finish a request, or does not read the answer, is
disconnected; no other is.
"""

import asyncio
import contextlib

import pytest
import uvicorn
from uvicorn.server import ServerState

from palio_server.network import http_server
from palio_server.network.handshake import Handshake
from palio_server.network.http_server import HEAD_S, READ_S, REQUEST_S, HttpProtocol, serving
from palio_server.network.listeners import bind

LONG = b"x" * 30_000_000  # more than the sockets' buffers hold
UPGRADE = (
    b"Upgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
)
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def _answer(scope, receive, send):
    """The size of the body, or a long answer to a GET."""
    if scope["type"] != "http":
        await asyncio.sleep(10 * REQUEST_S)  # a WebSocket's application may think for long
        return
    body, more = b"", True
    while more:
        part = await receive()
        if part["type"] == "http.disconnect":
            return
        body, more = body + part.get("body", b""), part.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    part = LONG if scope["path"] == "/long" else f"{len(body)}.".encode()
    await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": b""})  # waits for the peer to read, or to be cut off


@pytest.fixture
def gone():
    """Set when the server has done with an answer."""
    return asyncio.Event()


@pytest.fixture
async def connect(monkeypatch, gone):
    """Opens connections to a server that loses its patience soon."""
    monkeypatch.setattr(http_server, "REQUEST_S", 0.3)
    monkeypatch.setattr(http_server, "READ_S", 0.3)
    listener = bind("127.0.0.1", 0)
    async with contextlib.AsyncExitStack() as stack:

        async def answer(scope, receive, send):
            await _answer(scope, receive, send)
            gone.set()

        await stack.enter_async_context(serving(answer, listener))

        async def open_one():
            reader, writer = await asyncio.open_connection(*listener.getsockname(), limit=2**25)
            stack.push_async_callback(_closed, writer)
            return reader, writer

        yield open_one


async def _closed(writer):
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


async def _rest(reader):
    """All that still comes; b"" too when the connection is reset."""
    with contextlib.suppress(ConnectionError):
        async with asyncio.timeout(20):
            return await reader.read()
    return b""


@pytest.mark.slow
@pytest.mark.parametrize(
    "begun", [b"", b"GET / HT", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf of i"]
)
async def test_a_request_that_does_not_come_whole_is_cut_off(connect, begun):
    reader, writer = await connect()
    writer.write(begun)
    assert await _rest(reader) == b""


async def test_who_does_not_read_a_long_answer_is_cut_off(connect, gone):
    reader, writer = await connect()
    writer.transport.pause_reading()
    writer.write(b"GET /long HTTP/1.1\r\nHost: x\r\n\r\n")
    async with asyncio.timeout(20):
        await gone.wait()
    writer.transport.resume_reading()
    assert len(await _rest(reader)) < len(LONG)


# --- on a clock that jumps --------------------------------------------------------------------------------------------


@pytest.fixture
async def connection(wire_type):
    """A connection's two sides: uvicorn's protocol and its transport."""
    config = uvicorn.Config(_answer, http=HttpProtocol, ws=Handshake, lifespan="off", log_config=None)
    config.load()
    wire = wire_type()
    protocol = HttpProtocol(config, ServerState(), {})
    wire.set_protocol(protocol)
    protocol.connection_made(wire)
    return protocol, wire


@pytest.mark.virtual_clock
async def test_the_deadline_is_for_one_request_not_for_the_connection(connection):
    protocol, wire = connection
    for number in range(1, 11):
        await asyncio.sleep(REQUEST_S / 5)
        protocol.data_received(GET)
        await asyncio.sleep(0.001)
        assert wire.written.count(b"200 OK") == number
    assert wire.ended is None


@pytest.mark.virtual_clock
async def test_a_request_that_comes_drop_by_drop_is_cut_off(connection):
    protocol, wire = connection
    for drop in GET[:11]:
        assert wire.ended is None
        protocol.data_received(bytes([drop]))
        await asyncio.sleep(HEAD_S / 10.5)
    assert wire.ended == "aborted"


@pytest.mark.virtual_clock
async def test_a_connection_that_becomes_a_websocket_has_no_deadline(connection):
    protocol, wire = connection
    protocol.data_received(GET[:-2] + UPGRADE + b"\r\n")
    assert isinstance(wire.get_protocol(), Handshake)
    await asyncio.sleep(2 * REQUEST_S)
    assert wire.ended is None


@pytest.mark.virtual_clock
async def test_a_peer_that_reads_again_in_time_stays_connected(connection):
    protocol, wire = connection
    protocol.data_received(GET)
    for _ in range(3):
        protocol.pause_writing()
        await asyncio.sleep(0.9 * READ_S)
        protocol.resume_writing()
    protocol.connection_lost(None)
    assert wire.ended == "closed"
