"""Bots that speak JSON lines over real sockets, beside HTTP on the same port; and programs as their own connection."""

import asyncio
import contextlib
import json
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from websockets.asyncio.client import connect

from palio_rules.contract.messages import Error, GameMessage, Over, Ready, Result, SeatOf, Turn
from palio_rules.time_control import TimeControl
from palio_server.arena.bus_channel import BusChannel
from palio_server.bus.local import LocalBus
from palio_server.lobby.access import Access
from palio_server.lobby.lobby import Lobby
from palio_server.match.channel import Joined, Left, Said
from palio_server.network.entrance import Entrance
from palio_server.network.gateway import REPORTED, BotEndpoint
from palio_server.network.http_server import serving
from palio_server.network.listeners import bind, bind_unix


class Peer:
    """One end of a connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def say(self, **message: Any) -> None:
        await self.write(json.dumps(message).encode() + b"\n")

    async def write(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def hear(self) -> dict[str, Any]:
        async with asyncio.timeout(10):
            return json.loads(await self.reader.readline())

    async def rest(self) -> bytes:
        async with asyncio.timeout(10):
            with contextlib.suppress(ConnectionError):
                return await self.reader.read()
        return b""


class World:
    def __init__(self, lobby: Lobby, bus: LocalBus, port: int, path: str, stack: contextlib.AsyncExitStack) -> None:
        self.lobby, self.bus, self.port, self.path, self._stack = lobby, bus, port, path, stack
        self.entrance = Entrance()

    async def connect(self, *, unix: bool = False) -> Peer:
        connecting = (
            asyncio.open_unix_connection(self.path) if unix else asyncio.open_connection("127.0.0.1", self.port)
        )
        reader, writer = await connecting
        self._stack.callback(writer.close)
        return Peer(reader, writer)

    async def bot(self, name: str, *, unix: bool = False, **more: Any) -> Peer:
        peer = await self.connect(unix=unix)
        await peer.say(type="hello", name=name, games=["chess"], **more)
        assert (await peer.hear())["type"] == "welcome"
        return peer

    def channel(self, *names: str) -> BusChannel:
        return BusChannel(self.bus, self.lobby, "m", "chess", names)


@pytest.fixture
def mode() -> str:
    return "open"


@pytest.fixture
async def world(mode, tmp_path):
    bus = LocalBus()
    lobby = Lobby(bus, games=["chess"])
    bots = BotEndpoint(lobby, bus, Access(None, mode), hello_s=0.3)
    hello = Route("/", lambda _: PlainTextResponse("hello"))
    app = Starlette(routes=[hello, WebSocketRoute("/ws/bot", bots)])
    tcp, unix = bind("127.0.0.1", 0), bind_unix(str(tmp_path / "s"))
    async with contextlib.AsyncExitStack() as stack:
        found = World(lobby, bus, tcp.getsockname()[1], str(tmp_path / "s"), stack)
        await stack.enter_async_context(serving(app, tcp, unix, lines=bots.lines, entrance=found.entrance))
        yield found


@pytest.mark.parametrize("unix", [True, False])
async def test_a_bot_plays_with_lines_over_either_socket(world: World, unix: bool) -> None:
    peer = await world.bot("a", unix=unix)
    assert world.lobby.connected()[0].transport == "lines"
    with world.channel("a") as channel:
        channel.post(0, Turn("m", 1, 0, "position", [[0, 1]], [None], None))
        assert (await peer.hear())["id"] == 1
        await peer.say(type="ready", match="m")
        heard = await channel.next(None)
        assert isinstance(heard, Said)
        assert heard.message == Ready("m")
        peer.writer.close()
        assert isinstance(await channel.next(None), Left)


async def test_http_and_websockets_are_as_ever_however_slowly_their_first_bytes_come(world: World) -> None:
    peer = await world.connect()
    for byte in b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n":
        await peer.write(bytes([byte]))
        await asyncio.sleep(0)
    answer = await peer.rest()
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"hello")
    async with connect(f"ws://127.0.0.1:{world.port}/ws/bot", proxy=None) as socket:
        await socket.send('{"type": "hello", "name": "a", "games": ["chess"]}')
        assert json.loads(await socket.recv())["type"] == "welcome"


@pytest.mark.parametrize("first", [b"[]\n", b"\x00{}\n", b"\r\n[]\n", b" GET / HTTP/1.1\r\nHost: x", b"\n" * 2000])
async def test_what_begins_otherwise_is_no_connection_of_lines(world: World, first: bytes) -> None:
    peer = await world.connect()
    await peer.write(first + b"\r\n\r\n")
    assert (await peer.rest()).startswith(b"HTTP/1.1 400")


async def test_a_hello_may_come_byte_by_byte(world: World) -> None:
    peer = await world.connect()
    for byte in b'{"type": "hello", "name": "a", "games": ["chess"]}\n':
        await peer.write(bytes([byte]))
        await asyncio.sleep(0)
    assert (await peer.hear())["type"] == "welcome"


async def test_without_a_hello_the_connection_is_closed_with_a_reason(world: World) -> None:
    peer = await world.connect()
    await peer.write(b"{")
    assert json.loads(await peer.rest())["reason"] == "no hello within 0.3 seconds"


@pytest.mark.parametrize("mode", ["required"])
async def test_tokens_are_asked_for_as_everywhere(world: World) -> None:
    peer = await world.connect()
    await peer.say(type="hello", name="a", games=["chess"])
    refused, closed = (json.loads(line) for line in (await peer.rest()).splitlines())
    assert (refused["type"], refused["code"]) == ("refused", "token-missing")
    assert closed["type"] == "error"


async def test_the_oldest_silent_stranger_is_told_to_come_back(world: World) -> None:
    world.entrance.places.most = 1
    first = await world.connect()
    await first.write(b"{")
    await asyncio.sleep(0.05)
    await world.bot("a")
    assert json.loads(await first.rest())["code"] == "later"


async def test_garbage_is_answered_and_in_the_end_cut_off(world: World) -> None:
    peer = await world.bot("a")
    await peer.write(b"nonsense\n" * 20)
    answers = [json.loads(line) for line in (await peer.rest()).splitlines()]
    assert [answer["code"] for answer in answers] == ["unreadable"] * 10 + ["closed"]


@pytest.mark.parametrize("unix", [True, False])
async def test_empty_lines_between_messages_are_no_garbage(world: World, unix: bool) -> None:
    peer = await world.connect(unix=unix)
    hello = json.dumps({"type": "hello", "name": "a", "games": ["chess"]}).encode()
    await peer.write(hello + b"\r\n" + b"\n \r\n\t\n" * 50)
    assert (await peer.hear())["type"] == "welcome"
    with world.channel("a") as channel:
        await peer.write(b"\r\n" * 100 + b'{"type": "ready", "match": "m"}\r\n\n')
        heard = await channel.next(None)
        assert isinstance(heard, Said)
        assert heard.message == Ready("m")


async def test_one_that_does_not_read_is_cut_off_and_the_others_play_on(world: World, monkeypatch) -> None:
    monkeypatch.setattr("palio_server.network.connection.SEND_TIMEOUT_S", 0.2)
    await world.bot("a", unix=True)
    other = await world.bot("b")
    with world.channel("a", "b") as channel:
        for _ in range(200):
            channel.post(0, Error("long", "x" * 8000))
        assert isinstance(await channel.next(None), Left)
        channel.post(1, Error("short", "y"))
        assert (await other.hear())["code"] == "short"


@pytest.mark.parametrize(
    ("hello", "code"), [({"program": True, "slots": 2}, "one-slot"), ({"program": 1}, "bad-message")]
)
async def test_a_program_has_one_slot(world: World, hello: dict[str, Any], code: str) -> None:
    peer = await world.connect()
    await peer.say(type="hello", name="a", games=["chess"], **hello)
    assert (await peer.hear())["code"] == code


async def test_a_program_cannot_be_a_websocket(world: World) -> None:
    async with connect(f"ws://127.0.0.1:{world.port}/ws/bot", proxy=None) as socket:
        await socket.send('{"type": "hello", "name": "a", "games": ["chess"], "program": true}')
        assert json.loads(await socket.recv())["code"] == "no-lines"


async def test_when_its_match_is_over_a_program_is_gone_at_once(world: World) -> None:
    peer = await world.bot("a", unix=True, program=True)
    with world.channel("a") as channel:
        channel.post(0, GameMessage("m", "chess", {}, "start", 0, [SeatOf("white", "a")], TimeControl(1000, 0), 3))
        channel.post(0, Over("m", Result("rule", "mate", [1.0])))
        assert not world.lobby.is_here("a")
    assert [json.loads(line)["type"] for line in (await peer.rest()).splitlines()] == ["game", "over"]


async def test_a_match_of_a_program_that_is_cut_off_waits_for_the_next_one(world: World) -> None:
    peer = await world.bot("a", unix=True, program=True)
    with world.channel("a") as channel:
        peer.writer.close()
        assert isinstance(await channel.next(None), Left)
        await world.bot("a", unix=True, program=True)
        assert isinstance(await channel.next(None), Joined)


async def test_faults_of_programs_are_told_a_few_times_by_name(world: World, caplog) -> None:
    peer = await world.bot("a", unix=True, program=True)
    await peer.write(b"thinking...\n" * (2 * REPORTED))
    await peer.write(b'{"type": "error", "code": "died", "reason": ""}\n')
    assert await peer.rest() == b""
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == REPORTED
    assert told[0].startswith("a wrote 'thinking...', which is no message")
