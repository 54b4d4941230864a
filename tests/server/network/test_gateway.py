"""Bots over real sockets, under the uvicorn that operators run. A misbehaving bot does not affect the others."""

import asyncio
import json
import socket as sockets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgpack
import pytest
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from palio_rules.contract.codec import MAX_BYTES, Encoding, decode_from_server, encode
from palio_rules.contract.endpoints import LATER, REPLACED
from palio_rules.contract.messages import Hello, Move, Ready, Turn
from palio_server.arena.bus_channel import BusChannel
from palio_server.bus.local import LocalBus
from palio_server.edge.budgets import Budgets
from palio_server.edge.places import SocketRoom
from palio_server.lobby.access import WRONG, Access
from palio_server.lobby.lobby import HELLOS, Lobby
from palio_server.match.channel import Joined, Left, Said
from palio_server.network import connection as connection_module
from palio_server.network import corked_socket
from palio_server.network.corked_socket import FLOOD
from palio_server.network.entrance import Entrance
from palio_server.network.gateway import BotEndpoint
from palio_server.network.http_server import serving
from palio_server.network.listeners import bind

MSGPACK, JSON = Encoding.MSGPACK.subprotocol, Encoding.JSON.subprotocol
JSON_HELLO = b'{"type":"hello","name":"a","games":["chess"]}'
REQUEST = (
    b"GET /ws/bot HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
HELLO = encode(Hello("a", ["chess"]))


class Peer:
    """A bot without any of our SDK."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def say(self, **message: Any) -> None:
        as_json = self.socket.subprotocol == JSON
        await self.socket.send(json.dumps(message) if as_json else msgpack.packb(message))

    async def hear(self) -> dict[str, Any]:
        async with asyncio.timeout(10):
            data = await self.socket.recv()
        return json.loads(data) if isinstance(data, str) else msgpack.unpackb(data)

    async def goodbye(self) -> tuple[int, str]:
        """Read on until the server closes the connection: the code and the reason."""
        with suppress(ConnectionClosed):
            async with asyncio.timeout(10):
                while True:
                    await self.socket.recv()
        assert self.socket.close_code is not None
        return self.socket.close_code, self.socket.close_reason or ""


class World:
    def __init__(self, lobby: Lobby, bus: LocalBus, port: int, entrance: Entrance) -> None:
        self.lobby, self.bus, self.port, self.entrance = lobby, bus, port, entrance
        self.url = f"ws://127.0.0.1:{port}/ws/bot"

    @asynccontextmanager
    async def socket(self, *subprotocols: str, **options: Any) -> AsyncIterator[Peer]:
        chosen: Any = list(subprotocols) or None
        async with connect(self.url, subprotocols=chosen, compression=None, proxy=None, **options) as socket:
            yield Peer(socket)

    @asynccontextmanager
    async def bot(self, name: str, **more: Any) -> AsyncIterator[Peer]:
        async with self.socket(MSGPACK) as peer:
            await peer.say(type="hello", name=name, games=["chess"], **more)
            assert (await peer.hear())["type"] == "welcome"
            yield peer

    def channel(self, *names: str) -> BusChannel:
        return BusChannel(self.bus, self.lobby, "m", "chess", names)

    async def until(self, present: int) -> None:
        """So many bots are here."""
        async with asyncio.timeout(10):
            while len(self.lobby.connected()) != present:
                await self.lobby.changed()


@pytest.fixture
def access() -> Access:
    return Access(None, "open")


@pytest.fixture
def room() -> SocketRoom:
    return SocketRoom.within(1024)


@pytest.fixture
async def world(access: Access, room: SocketRoom) -> AsyncIterator[World]:
    bus = LocalBus()
    lobby = Lobby(bus, games=["chess"])
    app = Starlette(routes=[WebSocketRoute("/ws/bot", BotEndpoint(lobby, bus, access, hello_s=0.5))])
    listener = bind("127.0.0.1", 0)
    entrance = Entrance(room)
    async with serving(app, listener, entrance=entrance):
        yield World(lobby, bus, listener.getsockname()[1], entrance)


def turn(number: int) -> Turn:
    return Turn("m", number, 0, "position", [[0, 1]], [None, None], None)


async def plays_on(channel: BusChannel, seat: int, peer: Peer, number: int) -> None:
    """One turn asked and answered."""
    channel.post(seat, turn(number))
    while (asked := await peer.hear())["type"] != "turn":
        pass
    await peer.say(type="move", match="m", id=asked["id"], move=[0, 1])
    async with asyncio.timeout(10):
        while not (isinstance(heard := await channel.next(None), Said) and heard.seat == seat):
            pass
    assert heard.message == Move("m", number, [0, 1])


# --- coming in --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("offered", "chosen"), [([MSGPACK], MSGPACK), ([JSON], JSON), ([JSON, MSGPACK], MSGPACK)])
async def test_a_bot_is_welcomed_in_the_encoding_of_its_subprotocol(world: World, offered, chosen) -> None:
    async with world.socket(*offered) as peer:
        assert peer.socket.subprotocol == chosen
        await peer.say(type="hello", name="a", games=["chess"])
        assert (await peer.hear()).keys() == {"type", "session", "server"}
        assert [each.name for each in world.lobby.connected("chess")] == ["a"]
    await world.until(present=0)


@pytest.mark.parametrize("encoding", list(Encoding))
async def test_a_bot_that_asks_for_no_subprotocol_is_welcomed_in_its_own_encoding(world: World, encoding) -> None:
    async with world.socket() as peer:
        data = encode(Hello("a", ["chess"]), encoding)
        await peer.socket.send(data.decode() if encoding is Encoding.JSON else data)
        answer = await peer.socket.recv()
        assert isinstance(answer, str) == (encoding is Encoding.JSON)


async def test_an_unknown_subprotocol_is_refused_with_the_known_ones(world: World) -> None:
    async with world.socket("chess.9") as peer:
        code, reason = await peer.goodbye()
    assert code == 1008
    assert MSGPACK in reason


async def test_who_does_not_say_hello_is_disconnected(world: World) -> None:
    async with world.socket(MSGPACK) as peer:
        assert await peer.goodbye() == (1008, "no hello within 0.5 seconds")


@pytest.mark.parametrize(
    ("more", "code"), [({"games": ["ches"]}, "unknown-game"), ({"games": ["chess"], "token": "guess"}, "bad-token")]
)
async def test_a_bot_that_is_not_let_in_is_told_why(world: World, more, code) -> None:
    async with world.socket(JSON) as peer:
        await peer.say(type="hello", name="a", **more)
        refused = await peer.hear()
        assert (refused["type"], refused["code"]) == ("refused", code)
        assert await peer.goodbye() == (1008, code)


class Failing(Access):
    async def bot(self, hello: Hello, address: str = "") -> None:
        raise OSError("the database is gone")


class TestWhenTheStoreIsDown:
    @pytest.fixture
    def access(self) -> Access:
        return Failing(None, "open")

    async def test_bots_are_asked_to_come_back(self, world: World, caplog) -> None:
        async with world.socket(MSGPACK) as peer:
            await peer.say(type="hello", name="a", games=["chess"])
            assert (await peer.goodbye())[0] == 1011
        assert "the database is gone" in caplog.text


class TestAtTheEdge:
    """Two places for strangers, and few wrong tokens."""

    @pytest.fixture
    def room(self) -> SocketRoom:
        return SocketRoom(2, 2, 2, 2)

    async def test_the_oldest_silent_stranger_makes_room_for_a_new_one(self, world: World) -> None:
        async with world.socket() as first, world.socket() as second, world.socket() as third:
            assert (await first.goodbye())[0] == LATER
            for peer, name in ((second, "a"), (third, "b")):
                await peer.say(type="hello", name=name, games=["chess"])
                assert (await peer.hear())["type"] == "welcome"
            async with world.bot("c"), world.bot("d"):  # who has been let in takes no stranger's place
                assert len(world.lobby.connected()) == 4

    async def test_a_bot_that_comes_again_and_again_is_told_when_to_come_back(self, world: World) -> None:
        for _ in range(int(HELLOS)):
            async with world.bot("a"):
                pass
        async with world.socket(MSGPACK) as peer:
            await peer.say(type="hello", name="a", games=["chess"])
            refused = await peer.hear()
            assert (refused["type"], refused["code"]) == ("refused", "too-many-hellos")
            assert 1000 <= refused["retry_ms"] <= 3000
            assert (await peer.goodbye())[0] == LATER
        async with world.bot("b"):
            pass

    async def test_floods_without_end_bar_their_address_for_a_while(self, world: World) -> None:
        world.entrance.floods = Budgets(0.1, 2, world.entrance.floods._now)
        for _ in range(2):
            async with world.socket() as peer:
                for _ in range(200):
                    with suppress(ConnectionClosed):
                        await peer.socket.pong()
                assert (await peer.goodbye()) == (1008, FLOOD)
        with pytest.raises(InvalidStatus) as barred:
            async with world.socket():
                pass
        assert barred.value.response.status_code == 429
        assert 1 <= int(barred.value.response.headers["Retry-After"]) <= 10
        assert json.loads(barred.value.response.body)["error"]["code"] == "flooded"


async def test_a_name_that_is_markup_is_no_name_and_comes_back_as_text_only(world: World) -> None:
    async with world.socket(JSON) as peer:
        await peer.say(type="hello", name="<script>alert(1)</script>", games=["chess"])
        answer = await peer.hear()
        assert answer["type"] == "error"
        assert "name" in answer["reason"]
        await peer.say(type="hello", name="a", games=["chess"], about="<script>", build="<script>")
        assert (await peer.hear())["type"] == "welcome"


class TestWithTokens:
    @pytest.fixture
    def access(self) -> Access:
        return Access(None, "required")

    async def test_wrong_tokens_are_looked_at_so_many_times(self, world: World) -> None:
        codes = []
        for number in range(int(WRONG) + 2):
            async with world.socket(MSGPACK) as peer:
                await peer.say(type="hello", name="a", games=["chess"], token=f"{number} is a wrong token")
                refused = await peer.hear()
                codes.append(refused["code"])
        assert codes == ["bad-token"] * int(WRONG) + ["too-many-tokens"] * 2
        assert 1000 <= refused["retry_ms"] <= 2000


@pytest.mark.parametrize(
    ("frames", "expected"),
    [
        (b"\x81" + bytes([0x80 | len(JSON_HELLO), 0, 0, 0, 0]) + JSON_HELLO, b'"welcome"'),
        (b"\x8a\x80\0\0\0\0" * 5000, FLOOD.encode()),
    ],
)
async def test_what_comes_behind_the_request_without_waiting_is_read_too(world: World, frames, expected) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", world.port)
    writer.write(REQUEST + frames)
    heard = b""
    async with asyncio.timeout(5):
        while expected not in heard:
            came = await reader.read(4096)
            assert came, heard
            heard += came
    writer.close()


# --- playing ----------------------------------------------------------------------------------------------------------


async def test_turns_and_moves_find_their_way(world: World) -> None:
    async with world.bot("a") as a, world.bot("b") as b:
        with world.channel("a", "b") as channel:
            for number in range(5):
                await plays_on(channel, 0, a, number)
                await plays_on(channel, 1, b, number)
        await b.say(type="move", match="m", id=9, move=[0, 1])
        assert (await b.hear())["code"] == "unknown-match"


async def test_instances_of_one_name_play_their_own_matches(world: World) -> None:
    async with world.bot("a") as one, world.bot("a") as two:
        channels = [BusChannel(world.bus, world.lobby, match, "chess", ["a"]) for match in ("m1", "m2")]
        with channels[0], channels[1]:
            for channel in channels:
                channel.post(0, Turn(channel.match, 1, 0, "", None, [None], None))
            assert [(await one.hear())["match"], (await two.hear())["match"]] == ["m1", "m2"]
            await one.say(type="ready", match="m2")
            assert (await one.hear())["code"] == "unknown-match"


async def test_a_very_fast_bot_is_no_flood(world: World) -> None:
    async with world.bot("a") as a:
        with world.channel("a") as channel:
            for number in range(0, 5000, 100):
                for offset in range(100):
                    channel.post(0, turn(number + offset))
                for _ in range(100):
                    asked = await a.hear()
                    await a.say(type="move", match="m", id=asked["id"], move=[0, 1])
                async with asyncio.timeout(10):
                    for offset in range(100):
                        heard = await channel.next(None)
                        assert isinstance(heard, Said)
                        assert heard.message == Move("m", number + offset, [0, 1])


async def test_a_bot_that_is_cut_off_returns_to_its_match(world: World) -> None:
    async with world.socket(MSGPACK) as a, world.bot("b") as b:
        await a.say(type="hello", name="a", games=["chess"])
        session = (await a.hear())["session"]
        with world.channel("a", "b") as channel:
            a.socket.transport.abort()
            assert isinstance(await asyncio.wait_for(channel.next(None), 10), Left)
            await plays_on(channel, 1, b, 1)
            async with world.bot("a", resume=session) as again:
                assert isinstance(await asyncio.wait_for(channel.next(None), 10), Joined)
                await plays_on(channel, 0, again, 2)


async def test_a_resumed_session_takes_the_place_of_its_old_connection(world: World) -> None:
    async with world.socket(MSGPACK) as old:
        await old.say(type="hello", name="a", games=["chess"])
        session = (await old.hear())["session"]
        with world.channel("a") as channel:
            async with world.bot("a", resume=session) as new:
                assert (await old.goodbye())[0] == REPLACED
                await plays_on(channel, 0, new, 1)
                assert len(world.lobby.connected()) == 1


@pytest.mark.parametrize("subprotocol", [MSGPACK, JSON])
async def test_who_comes_under_a_name_in_use_reads_it_in_the_welcome(world: World, subprotocol) -> None:
    async with world.bot("a"), world.socket(subprotocol) as second:
        await second.say(type="hello", name="a", games=["chess"])
        welcome = await second.hear()
        assert welcome["type"] == "welcome"
        assert "the name a is in use: one other connection plays under it" in welcome["notice"]


# --- misbehaving ------------------------------------------------------------------------------------------------------


@pytest.fixture
async def match(world: World) -> AsyncIterator[tuple[BusChannel, Peer, Peer]]:
    async with world.bot("good") as good, world.bot("bad") as bad:
        with world.channel("good", "bad") as channel:
            yield channel, good, bad
            await plays_on(channel, 0, good, 99)


async def test_a_bot_that_sends_nonsense_is_told_and_then_disconnected(match) -> None:
    channel, good, bad = match
    for number in range(10):
        await bad.socket.send(b"\xc1 nonsense")
        assert (await bad.hear())["code"] == "unreadable"
        if number % 4 == 0:
            await plays_on(channel, 0, good, number)
    code, reason = await bad.goodbye()
    assert code == 1008
    assert "10 bad messages" in reason


@pytest.mark.parametrize("fragments", [1, 3])
async def test_a_bot_that_sends_too_long_a_message_is_disconnected(match, fragments) -> None:
    *_, bad = match
    piece = b"x" * (MAX_BYTES // fragments + 1)
    with suppress(ConnectionClosed):  # closed before it had said all
        await bad.socket.send(piece if fragments == 1 else [piece] * fragments)
    code, _ = await bad.goodbye()
    assert code == 1009


async def test_a_bot_that_floods_is_disconnected(match) -> None:
    channel, good, bad = match
    data = encode(Ready("m"))
    with suppress(ConnectionClosed):
        for number in range(100_000):
            await bad.socket.send(data)
            if number % 300 == 0:
                await plays_on(channel, 0, good, number)
    code, reason = await bad.goodbye()
    assert code == 1008
    assert "flood" in reason


async def test_a_bot_that_disconnects_in_mid_move_has_left(match) -> None:
    channel, _, bad = match
    whole = encode(Move("m", 1, [0, 1]))
    head = b"\x82" + bytes([0x80 | len(whole)]) + b"\0\0\0\0"
    bad.socket.transport.write(head + whole[: len(whole) // 2])
    await asyncio.sleep(0)
    bad.socket.transport.abort()
    heard = await asyncio.wait_for(channel.next(None), 10)
    assert isinstance(heard, Left)
    assert heard.seat == 1


async def test_a_bot_that_never_answers_costs_nobody_anything(match) -> None:
    channel, good, _ = match
    channel.post(1, turn(1))
    for number in range(20):
        await plays_on(channel, 0, good, number)


class Deaf:
    """A peer that greets and then never reads a byte."""

    def __init__(self, port: int) -> None:
        self.socket = sockets.socket()
        self.socket.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
        self.socket.connect(("127.0.0.1", port))
        self.socket.sendall(
            b"GET /ws/bot HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        hello = encode(Hello("deaf", ["chess"]))
        self.frame = b"\x82" + bytes([0x80 | len(hello)]) + b"\0\0\0\0" + hello

    def greet(self) -> None:
        self.socket.sendall(self.frame)


@pytest.fixture
async def deaf(world: World) -> AsyncIterator[Deaf]:
    peer = Deaf(world.port)
    await asyncio.get_running_loop().run_in_executor(None, peer.socket.recv, 4096)  # the handshake's answer
    peer.greet()
    async with asyncio.timeout(10):
        while not any(each.name == "deaf" for each in world.lobby.connected()):
            await world.lobby.changed()
    yield peer
    peer.socket.close()


@pytest.mark.parametrize("bound", ["by time", "by queue"])
async def test_a_bot_that_never_reads_is_cut_off(world: World, deaf, monkeypatch, bound) -> None:
    monkeypatch.setattr(connection_module, "SEND_TIMEOUT_S", 0.2 if bound == "by time" else 60)
    monkeypatch.setattr(connection_module, "QUEUE", 1_000_000 if bound == "by time" else 10)
    large = Turn("m", 1, 0, "x" * 8000, None, [None, None], None)
    async with world.bot("good") as good:
        with world.channel("good", "deaf") as channel:
            number = 0
            while len(world.lobby.connected()) == 2:
                for _ in range(50):
                    channel.post(1, large)
                number += 1
                await plays_on(channel, 0, good, number)
                await asyncio.sleep(0.005)
            assert not world.lobby.present("m", "deaf")
            await plays_on(channel, 0, good, 0)


async def test_the_server_ends_though_a_bot_never_reads(world: World, deaf, monkeypatch) -> None:
    monkeypatch.setattr(connection_module, "QUEUE", 1_000_000)
    monkeypatch.setattr(corked_socket, "GOODBYE_S", 0.1)
    large = Turn("m", 1, 0, "x" * 8000, None, [None], None)
    with world.channel("deaf") as channel:
        for _ in range(2000):
            channel.post(0, large)
    # the world's server is closed now, with megabytes unsent: the test's timeout would tell if that hung


async def test_a_goodbye_does_not_wait_for_an_answer(world: World, deaf, monkeypatch) -> None:
    monkeypatch.setattr(corked_socket, "GOODBYE_S", 0.1)
    (session,) = world.lobby.connections("deaf")
    session.link.close(1008, "enough")
    await world.until(present=0)


async def test_long_turns_arrive_whole(world: World) -> None:
    async with world.bot("a") as a:
        with world.channel("a") as channel:
            for size in (10, 100, 1000, 8192):
                channel.post(0, Turn("m", 1, 0, "x" * size, None, [None], None))
                assert len((await a.hear())["state"]) == size


async def test_the_server_speaks_first_only_in_answer(world: World) -> None:
    async with world.socket(MSGPACK) as peer:
        await peer.socket.send(HELLO)
        assert decode_from_server(await peer.socket.recv(decode=False)).server.startswith("palio ")
