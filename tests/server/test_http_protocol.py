"""HTTP connections: whoever does not finish a request, or does not read the answer, is cut off; nobody else is."""

import asyncio
import contextlib

import pytest

from palio_server.network import http_protocol
from palio_server.network.http_server import bind, serving

LONG = b"x" * 30_000_000  # more than the sockets' buffers hold
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def _answer(scope, receive, send):
    """The size of the body, or a long answer to a GET."""
    if scope["type"] != "http":
        return
    body, more = b"", True
    while more:
        part = await receive()
        if part["type"] == "http.disconnect":
            return
        body, more = body + part.get("body", b""), part.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": LONG if scope["path"] == "/long" else f"{len(body)}.".encode()})


@pytest.fixture
async def connect(monkeypatch):
    """Opens connections to a server that loses its patience soon."""
    monkeypatch.setattr(http_protocol, "REQUEST_S", 0.3)
    monkeypatch.setattr(http_protocol, "READ_S", 0.3)
    listener = bind("127.0.0.1", 0)
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(serving(_answer, listener))

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


@pytest.mark.parametrize(
    "begun", [b"", b"GET / HT", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf of i"]
)
async def test_a_request_that_does_not_come_whole_is_cut_off(connect, begun):
    reader, writer = await connect()
    writer.write(begun)
    assert await _rest(reader) == b""


async def test_a_request_that_comes_drop_by_drop_is_cut_off(connect):
    reader, writer = await connect()
    ended = asyncio.ensure_future(_rest(reader))
    for drop in GET * 100:
        writer.write(bytes([drop]))
        await asyncio.sleep(0.05)
        if ended.done():
            break
    assert await ended == b""


async def test_who_does_not_read_a_long_answer_is_cut_off(connect):
    reader, writer = await connect()
    writer.transport.pause_reading()
    writer.write(b"GET /long HTTP/1.1\r\nHost: x\r\n\r\n")
    await asyncio.sleep(1.0)
    writer.transport.resume_reading()
    assert len(await _rest(reader)) < len(LONG)


async def test_patience_is_for_one_request_not_for_the_connection(connect):
    reader, writer = await connect()
    for _ in range(4):
        writer.write(GET)
        assert b"200" in await reader.readuntil(b"0.")
        await asyncio.sleep(0.15)
