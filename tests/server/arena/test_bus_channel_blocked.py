"""An event loop that is kept busy costs no bot time: real sockets, real loops, and something that blocks them."""

import asyncio
import functools
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from uvicorn.server import ServerState

from palio_rules.contract.codec import decode_from_server, encode, frame_at
from palio_rules.contract.messages import Hello, Message, Move, Ready, Turn
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl
from palio_server.arena.bus_channel import BusChannel
from palio_server.bus.local import LocalBus
from palio_server.lobby.access import Access
from palio_server.lobby.lobby import Lobby
from palio_server.match import events
from palio_server.match.referee import Referee
from palio_server.network.gateway import BotEndpoint
from palio_server.network.handshake import Handshake

BLOCKED_S = 0.3
GOODBYE = 0x88  # first byte of a close frame
UPGRADE = (
    b"GET /ws/bot HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Peer:
    """A bot with a blocking socket, in a thread of its own."""

    def __init__(self, family: int, address: Any, name: str) -> None:
        self.socket = socket.socket(family)
        self.socket.settimeout(20)
        self.socket.connect(address)
        self.socket.sendall(UPGRADE)
        self._read = b""
        while b"\r\n\r\n" not in self._read:
            self._read += self.socket.recv(4096)
        self._read = self._read.partition(b"\r\n\r\n")[2]
        self.say(Hello(name, ["breakthrough"]))
        self.hear()

    def say(self, message: Message) -> None:
        self.send(0x82, encode(message))

    def send(self, first: int, payload: bytes) -> None:
        self.socket.sendall(bytes([first, 0x80 | len(payload)]) + bytes(4) + payload)

    def hear(self) -> Any:
        while (bounds := frame_at(self._read, 0)) is None or bounds[1] > len(self._read):
            if not (data := self.socket.recv(65536)):
                raise ConnectionError("the server has gone")
            self._read += data
        start, end = bounds
        if self._read[0] == GOODBYE:
            raise ConnectionError("the server has said goodbye")
        payload, self._read = self._read[start:end], self._read[end:]
        return decode_from_server(payload)

    def turn(self) -> Turn:
        while not isinstance(message := self.hear(), Turn):
            if type(message).__name__ == "GameMessage":
                self.say(Ready(message.match))
        return message


class Answer:
    """The bot's answer to its turn while the loop is blocked, and its time."""

    def __init__(self, early: float = 0.0) -> None:
        """`early`: it sends a frame that says nothing, and so many seconds later its move."""
        self.early = early
        self.blocked, self.sent = threading.Event(), threading.Event()
        self.began = self.sent_at = 0.0

    def play(self, family: int, address: Any) -> None:
        first, second = (Peer(family, address, name) for name in ("a", "b"))
        other = threading.Thread(target=_until_gone, args=[second])
        other.start()
        turn = first.turn()
        self.blocked.wait(20)
        self.began = time.monotonic()
        if self.early:
            first.send(0x8A, b"")
            time.sleep(self.early)
        assert turn.moves
        first.say(Move(turn.match, turn.id, turn.moves[0]))
        self.sent_at = time.monotonic()
        self.sent.set()
        _until_gone(first)
        other.join()


def _until_gone(peer: Peer) -> None:
    with suppress(ConnectionError, TimeoutError):
        peer.turn()
    peer.socket.close()


async def first_event(transport: str, tmp_path: Any, block: Callable[..., None], answer: Answer, base_ms: int) -> Any:
    """Two bots begin a match; the loop is blocked when the first turn has been sent. What comes of it."""
    bus, loop = LocalBus(), asyncio.get_running_loop()
    lobby = Lobby(bus, games=["breakthrough"])
    app = Starlette(routes=[WebSocketRoute("/ws/bot", BotEndpoint(lobby, bus, Access(None, "open")))])
    config = uvicorn.Config(app, ws=Handshake, log_config=None)
    config.load()
    state = ServerState()
    factory = functools.partial(Handshake, config, state, {})
    if transport == "unix":
        family, address = socket.AF_UNIX, str(tmp_path / "palio.sock")
        server = await loop.create_unix_server(factory, address)
    else:
        family = socket.AF_INET
        server = await loop.create_server(factory, "127.0.0.1", 0)
        address = server.sockets[0].getsockname()
    bots = threading.Thread(target=answer.play, args=[family, address])
    bots.start()
    while len(lobby.connected()) < 2:
        await lobby.changed()
    time_control = TimeControl(base_ms=base_ms, increment_ms=0, margin_ms=0)
    setup = Setup(game="breakthrough", bots=("a", "b"), time=time_control)

    def stop() -> None:
        answer.blocked.set()
        answer.sent.wait(20)
        time.sleep(BLOCKED_S)

    try:
        with BusChannel(bus, lobby, "m", "breakthrough", setup.bots) as channel:
            async for event in Referee().play("m", setup, channel):
                if isinstance(event, events.Started):
                    block(loop, stop)
                elif isinstance(event, events.Played | events.Finished):
                    return event
    finally:
        server.close()
        for connection in list(lobby._register.here.values()):
            for session in list(connection.values()):
                session.link.close(1001, "the end")
        await asyncio.to_thread(bots.join)
        async with asyncio.timeout(10):
            while state.connections or state.tasks:  # noqa: ASYNC110  # uvicorn's state sends no notice
                await asyncio.sleep(0.01)


def by_callback(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    loop.call_soon(stop)


def by_timer(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    loop.call_later(0.001, stop)


def by_another_socket(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    ours, theirs = socket.socketpair()

    def read() -> None:
        loop.remove_reader(ours)
        stop()
        ours.close()
        theirs.close()

    loop.add_reader(ours, read)
    theirs.send(b"x")


LOOPS = [asyncio.new_event_loop, uvloop.new_event_loop]
both_loops = pytest.mark.parametrize("new_loop", LOOPS, ids=["asyncio", "uvloop"])
both_transports = pytest.mark.parametrize("transport", ["tcp", "unix"])


@pytest.mark.first(3)
@both_loops
@both_transports
@pytest.mark.parametrize("block", [by_callback, by_timer, by_another_socket])
def test_what_keeps_the_loop_busy_is_not_charged_to_the_bot(new_loop, transport, block, tmp_path) -> None:
    """Its clock would not even have sufficed: the flag falls only after the sockets have been looked at."""
    answer = Answer()
    with asyncio.Runner(loop_factory=new_loop) as runner:
        event = runner.run(first_event(transport, tmp_path, block, answer, base_ms=int(BLOCKED_S * 1000) // 2))
    assert isinstance(event, events.Played), event
    assert event.ply.ms < BLOCKED_S * 1000 / 2


@both_loops
def test_a_frame_sent_early_does_not_make_the_move_early(new_loop, tmp_path) -> None:
    """Over TCP: the kernel knows when the last bytes came, which are the move's."""
    answer = Answer(early=0.2)
    with asyncio.Runner(loop_factory=new_loop) as runner:
        event = runner.run(first_event("tcp", tmp_path, by_callback, answer, base_ms=10_000))
    assert isinstance(event, events.Played)
    assert 100 < event.ply.ms < (answer.sent_at - answer.began + BLOCKED_S) * 1000
