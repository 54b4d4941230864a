"""Addresses as people write them, and servers that are none."""

import asyncio

import pytest
from websockets.asyncio.server import serve

from palio_clients.sdk.failures import BadBot, LinkLost, RefusedByServer
from palio_clients.sdk.websocket import WebSocketTransport, bot_url


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("ws://127.0.0.1:8000", "ws://127.0.0.1:8000/ws/bot"),
        ("http://127.0.0.1:8000/", "ws://127.0.0.1:8000/ws/bot"),
        ("https://palio.example", "wss://palio.example/ws/bot"),
        ("wss://palio.example/arena/", "wss://palio.example/arena/ws/bot"),
        ("ws://h:1/ws/bot", "ws://h:1/ws/bot"),
        ("ws://h:1/ws/bot/", "ws://h:1/ws/bot"),
        ("ws://[::1]:8000", "ws://[::1]:8000/ws/bot"),
    ],
)
def test_an_address_may_be_written_in_many_ways(text, url):
    assert bot_url(text) == url


@pytest.mark.parametrize(
    "text", ["", "localhost:8000", "ftp://h", "ws://", "8000", "http//h", "ws://h:port", "ws://[::1"]
)
def test_what_is_no_address_is_refused_with_the_remedy(text):
    with pytest.raises(BadBot, match=r"is no address of a server; write ws://host:port"):
        bot_url(text)


@pytest.mark.parametrize(
    ("status", "failure", "sentence"),
    [
        (503, LinkLost, "it may be starting"),
        (429, LinkLost, "HTTP 429"),
        (404, RefusedByServer, "is no Palio server"),
        (403, RefusedByServer, "HTTP 403"),
    ],
)
async def test_an_http_answer_tells_whether_to_come_again(status, failure, sentence):
    def answer(connection, request):
        return connection.respond(status, "")

    async with serve(lambda socket: None, "127.0.0.1", 0, process_request=answer) as server:
        transport = WebSocketTransport(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        with pytest.raises(failure, match=sentence):
            async with transport.connect():
                pass


async def test_a_server_without_our_protocol_is_no_place_to_stay():
    async def wait(socket):
        await socket.wait_closed()

    async with serve(wait, "127.0.0.1", 0) as server:
        transport = WebSocketTransport(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        with pytest.raises(RefusedByServer, match=r"does not speak palio\.1\.msgpack"):
            async with transport.connect():
                pass


async def test_a_port_where_something_else_answers_is_a_lost_link():
    async def chatter(reader, writer):
        writer.write(b"220 mail ready\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(chatter, "127.0.0.1", 0)
    async with server:
        transport = WebSocketTransport(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        with pytest.raises(LinkLost, match="cannot connect"):
            async with transport.connect():
                pass
