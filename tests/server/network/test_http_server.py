"""The one port: addresses, errors with a remedy, small messages without delay, and an end without waiting for peers."""

import asyncio
import contextlib
import socket

import pytest

from palio_server.network.http_server import serving
from palio_server.network.listeners import bind, bind_unix


async def _hello(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"hello"})


async def _closed(writer):
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


async def test_an_app_is_served_while_the_context_lasts():
    listener = bind("127.0.0.1", 0)
    port = listener.getsockname()[1]
    async with serving(_hello, listener):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert b"hello" in await reader.read()
        await _closed(writer)
    with pytest.raises(OSError):
        await asyncio.open_connection("127.0.0.1", port)


async def test_an_app_is_served_on_a_unix_socket_beside_the_port(tmp_path):
    """A client on that socket has no address."""
    path = str(tmp_path / "palio.sock")
    seen = []

    async def app(scope, receive, send):
        seen.append((scope["client"], scope["server"]))
        await _hello(scope, receive, send)

    async def ask(connecting):
        reader, writer = await connecting
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert b"hello" in await reader.read()
        await _closed(writer)

    listener = bind("127.0.0.1", 0)
    port = listener.getsockname()[1]
    async with serving(app, listener, bind_unix(path)):
        await ask(asyncio.open_unix_connection(path))
        await ask(asyncio.open_connection("127.0.0.1", port))
    assert seen[0] == (None, (path, None))
    assert seen[1][1] == ("127.0.0.1", port)
    with pytest.raises(OSError):
        await asyncio.open_unix_connection(path)


async def test_connections_do_not_wait_to_fill_their_packets():
    """With Nagle's algorithm a small message waits 40 ms for the acknowledgement of the one before it."""
    accepted: asyncio.Future[socket.socket] = asyncio.get_running_loop().create_future()

    async def arrived(_, writer):
        accepted.set_result(writer.get_extra_info("socket"))
        await _closed(writer)

    listener = bind("127.0.0.1", 0)
    async with await asyncio.start_server(arrived, sock=listener):
        _, writer = await asyncio.open_connection(*listener.getsockname())
        assert (await accepted).getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        await _closed(writer)
        await asyncio.sleep(0.05)  # both ends are gone


async def test_a_connection_that_never_says_goodbye_does_not_hold_up_the_end():
    listener = bind("127.0.0.1", 0)
    async with serving(_hello, listener):
        _, writer = await asyncio.open_connection(*listener.getsockname())
        writer.write(b"GET / HTTP/1.1\r\nHost: x")
        await writer.drain()
    await _closed(writer)


@pytest.mark.slow
@pytest.mark.parametrize("read", [True, False])
async def test_the_end_cuts_requests_short_without_a_word_in_the_log(caplog, read):
    """Half of a body that an application waits for, and an application that would run without end."""
    seen, begun = [], asyncio.Event()

    async def app(scope, receive, send):
        begun.set()
        if read:
            while (message := await receive())["type"] != "http.disconnect":
                seen.append(message["type"])
            seen.append("gone")
        else:
            seen.append("working")
            await asyncio.sleep(60)

    listener = bind("127.0.0.1", 0)
    port = listener.getsockname()[1]
    async with serving(app, listener):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n" + (b"half" if read else b"all of it"))
        await begun.wait()
    await _closed(writer)
    assert seen[-1] == ("gone" if read else "working")
    assert not [record for record in caplog.records if record.exc_info]
