"""Addresses as people write them, and servers that are none."""

import asyncio
from urllib.parse import quote

import pytest
from websockets.asyncio.server import serve, unix_serve
from websockets.server import ServerProtocol

from palio_clients.sdk.failures import BadBot, LinkLost, RefusedByServer
from palio_clients.sdk.websocket import WebSocketTransport, bot_url
from palio_rules.contract import codec as wire
from palio_rules.contract import messages


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
        ("localhost:8000", "ws://localhost:8000/ws/bot"),
        ("[::1]:8000/cup", "ws://[::1]:8000/cup/ws/bot"),
        ("ws+unix:///run/palio/bots.sock", "ws+unix:///run/palio/bots.sock"),
    ],
)
def test_an_address_may_be_written_in_many_ways(text, url):
    assert bot_url(text) == url


@pytest.mark.parametrize(
    "text",
    [
        "",
        "localhost:port",
        "ftp://h",
        "ws://",
        "8000",
        "http//h",
        "ws://h:port",
        "ws://[::1",
        "ws+unix://",
        "ws+unix://a/b",
    ],
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


async def serving(handler, **options):
    server = await serve(handler, "127.0.0.1", 0, subprotocols=list(wire.SUBPROTOCOLS), compression=None, **options)
    return server, WebSocketTransport(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}")


async def heard_by(transport, count):
    """The first messages that come, and the failure with which `listen` ends if there are no more."""
    heard, enough = [], asyncio.Event()

    def hear(message):
        heard.append(message)
        if len(heard) == count:
            enough.set()

    async with transport.connect() as link:
        listening = asyncio.ensure_future(link.listen(hear))
        waiting = asyncio.ensure_future(enough.wait())
        await asyncio.wait([listening, waiting], return_when=asyncio.FIRST_COMPLETED, timeout=10)
        ended = listening.exception() if listening.done() else None
        for task in (listening, waiting):
            task.cancel()
        await asyncio.gather(listening, waiting, return_exceptions=True)
    return heard, ended


def played(ply, move=(0, 1)):
    return messages.Played("m1", ply, 0, list(move), [None, None])


async def test_messages_come_whole_however_they_are_sent():
    said = [played(1), played(2, range(100)), played(3, range(20_000)), played(4, range(40)), played(5)]

    async def talk(socket):
        short, medium, long, cut, last = (wire.encode(message) for message in said)
        await socket.send(short)
        await socket.send(medium)
        await socket.send(long)
        await socket.send([cut[:3], b"", cut[3:50], cut[50:]])  # in several frames
        await socket.ping()
        await socket.send(last)
        await socket.wait_closed()

    server, transport = await serving(talk)
    async with server:
        heard, ended = await heard_by(transport, len(said))
    assert (heard, ended) == (said, None)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 131, 4096])
async def test_frames_are_put_together_however_the_network_cuts_them(size):
    """The server's answer to the handshake, and what it says at once behind it, in pieces of `size` bytes."""
    said = [played(1), played(2, range(100)), played(3)]

    async def talk(reader, writer):
        peer = ServerProtocol(subprotocols=list(wire.SUBPROTOCOLS))
        peer.receive_data(await reader.readuntil(b"\r\n\r\n"))
        [request] = peer.events_received()
        peer.send_response(peer.accept(request))
        peer.send_binary(wire.encode(said[0]))
        peer.send_ping(b"hello")
        for message in said[1:]:
            peer.send_binary(wire.encode(message))
        data = b"".join(peer.data_to_send())
        for at in range(0, len(data), size):
            writer.write(data[at : at + size])
            await asyncio.sleep(0)
        await reader.read(4096)  # its goodbye
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        transport = WebSocketTransport(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        heard, ended = await heard_by(transport, len(said))
    assert (heard, ended) == (said, None)


async def test_what_is_longer_than_a_message_may_be_breaks_the_connection():
    codes = []

    async def talk(socket):
        await socket.send(bytes(wire.MAX_BYTES + 1))
        await socket.wait_closed()
        codes.append(socket.close_code)

    server, transport = await serving(talk)
    async with server:
        heard, ended = await heard_by(transport, 1)
    assert heard == []
    assert str(ended) == "the connection broke"
    assert codes == [1009]


@pytest.mark.parametrize(
    ("code", "reason", "failure", "sentence"),
    [
        (1013, "too many", LinkLost, "the server closed the connection (1013: too many)"),
        (4000, "", RefusedByServer, "refused: another connection has taken this session over (replaced)"),
    ],
)
async def test_a_goodbye_says_why_even_if_it_comes_at_once(code, reason, failure, sentence):
    async def leave(socket):
        await socket.close(code, reason)

    server, transport = await serving(leave)
    async with server:
        heard, ended = await heard_by(transport, 1)
    assert heard == []
    assert (type(ended), str(ended)) == (failure, sentence)


async def test_what_the_listener_raises_is_raised_where_it_listens_and_nothing_more_is_heard():
    async def talk(socket):
        await socket.send(wire.encode(played(1)))
        await socket.send(wire.encode(played(2)))
        await socket.wait_closed()

    heard = []

    def hear(message):
        heard.append(message.ply)
        raise RefusedByServer("bad-token", "no")

    server, transport = await serving(talk)
    async with server, transport.connect() as link:
        with pytest.raises(RefusedByServer):
            await link.listen(hear)
    assert heard == [1]


async def test_a_server_that_does_not_read_is_not_read_either():
    async with asyncio.timeout(20):
        server, transport = await serving(lambda socket: socket.wait_closed())
        async with server, transport.connect() as link:
            socket = link._socket
            socket.pause_writing()
            assert not socket.transport.is_reading()
            socket.resume_writing()
            assert socket.transport.is_reading()


async def test_a_unix_socket_is_reached_by_its_path(tmp_path):
    paths = []

    async def talk(socket):
        paths.append(socket.request.path)
        await socket.send(wire.encode(played(1)))
        await socket.wait_closed()

    path = tmp_path / "with space.sock"
    async with unix_serve(talk, str(path), subprotocols=list(wire.SUBPROTOCOLS)):
        heard, ended = await heard_by(WebSocketTransport(f"ws+unix://{quote(str(path))}"), 1)
        assert (heard, ended, paths) == ([played(1)], None, ["/ws/bot"])
        with pytest.raises(LinkLost, match="cannot connect to ws"):
            async with WebSocketTransport("ws+unix:///nowhere/at/all.sock").connect():
                pass


async def test_both_sides_may_ask_whether_the_other_one_is_there():
    pongs = []

    async def talk(socket):
        pongs.append(await (await socket.ping()))
        await socket.send(wire.encode(played(1)))
        await socket.wait_closed()

    server, transport = await serving(talk)
    async with asyncio.timeout(20), server, transport.connect() as link:
        assert await (await link._socket.ping()) >= 0
    assert len(pongs) == 1
