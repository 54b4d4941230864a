"""The load's side of bench_network: a minimal WebSocket client, the same for both servers.

Frames are read and written by hand (masked with zeros, which costs nothing), so that the client is never the slower
side.
"""

import asyncio
import json
import os
import random
import statistics
import sys
import urllib.request
from dataclasses import dataclass

import msgspec
import uvloop

from palio_rules.contract.codec import encode
from palio_rules.contract.messages import Hello, Move, Ready

HANDSHAKE = (
    b"GET /ws/bot HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Turn(msgspec.Struct):
    match: str
    id: int
    state: str
    moves: list | None


read_turn = msgspec.msgpack.Decoder(Turn).decode
read_any = msgspec.msgpack.Decoder().decode


def frame(payload: bytes) -> bytes:
    size = len(payload)
    if size < 126:
        return b"\x82" + (0x80 | size).to_bytes(1, "big") + b"\0\0\0\0" + payload
    return b"\x82\xfe" + size.to_bytes(2, "big") + b"\0\0\0\0" + payload


class Client(asyncio.Protocol):
    """A connection after its handshake: calls `hear` with the payload of each frame."""

    trips = 0

    def __init__(self) -> None:
        self.transport: asyncio.Transport = None
        self.rest: bytes | None = None  # None during the handshake

    def connection_made(self, transport) -> None:
        self.transport = transport
        transport.write(HANDSHAKE)

    def data_received(self, data: bytes) -> None:
        if self.rest is None:
            assert b"\r\n\r\n" in data, data
            self.rest = b""
            self.begin()
            return
        if self.rest:
            data = self.rest + data
        at, end = 0, len(data)
        while end - at >= 2:
            size, start = data[at + 1], at + 2
            if size == 126:
                if end - at < 4:
                    break
                size, start = (data[at + 2] << 8) | data[at + 3], at + 4
            if end - start < size:
                break
            at = start + size
            self.hear(data[start:at])
        self.rest = data[at:]

    def begin(self) -> None:
        raise NotImplementedError

    def hear(self, payload: bytes) -> None:
        raise NotImplementedError


class Echoed(Client):
    """A client that sends a message as soon as it has come back."""

    message = b""

    def begin(self) -> None:
        self.transport.write(frame(self.message))

    def hear(self, payload: bytes) -> None:
        Client.trips += 1
        self.transport.write(frame(payload))


WIDTH = 9  # of a row of the board as text, with its separator
AHEAD = {"B": (WIDTH + 1, WIDTH - 1), "W": (-WIDTH + 1, -WIDTH - 1)}  # a pawn's diagonal steps


def diagonal_step(state: str) -> list:
    """Return a diagonal step of some pawn in a position of Breakthrough, 8x8; there always is one."""
    own = "B" if state[-1] == "k" else "W"  # black, white
    at = int(random.random() * 71)
    while True:
        at = state.find(own, at + 1, 71)
        for step in AHEAD[own] if at >= 0 else ():
            to = at + step
            if 0 <= to < 71 and state[to] not in (own, "/"):
                return [divmod(at, WIDTH), divmod(to, WIDTH)]


class Bot(Client):
    """A bot that plays a random diagonal step, like a program with its own board; or, if `listed`, any listed move."""

    names = iter(())
    without: tuple[str, ...] = ()

    def begin(self) -> None:
        self.transport.write(frame(encode(Hello(next(self.names), ["endless"], without=[*self.without]))))

    def hear(self, payload: bytes) -> None:
        if payload[7:11] == b"turn":
            turn = read_turn(payload)
            moves = turn.moves
            move = diagonal_step(turn.state) if moves is None else moves[int(random.random() * len(moves))]
            Client.trips += 1
            self.transport.write(frame(encode(Move(turn.match, turn.id, move))))
        elif payload[7:11] == b"game":
            self.transport.write(frame(encode(Ready(read_any(payload)["match"]))))
        elif payload[7:13] != b"played" and read_any(payload)["type"] not in ("over", "welcome"):
            raise AssertionError(read_any(payload))


@dataclass(frozen=True)
class Sample:
    rate: float  # round trips a second
    server_us: float  # CPU of the server for one
    client_us: float


async def measure(kind: str, port: int, connections: int, size: int, seconds: float, runs: int) -> list[Sample]:
    loop = asyncio.get_running_loop()
    Echoed.message = os.urandom(size)
    Bot.without = () if kind == "all" else ("moves", "played")
    Bot.names = iter([f"bot{number}" for number in range(connections)])
    for _ in range(connections):
        await loop.create_connection(Echoed if kind == "echo" else Bot, "127.0.0.1", port)

    def cpu() -> float:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/stats") as answer:
            return float(json.load(answer)["cpu"])

    while not Client.trips:  # noqa: ASYNC110  # no event a move
        await asyncio.sleep(0.1)
    await asyncio.sleep(1)
    samples = []
    for _ in range(runs):
        cpu_before, trips, started, own = await asyncio.to_thread(cpu), Client.trips, loop.time(), os.times()
        await asyncio.sleep(seconds)
        done, took = Client.trips - trips, loop.time() - started
        spent, times = await asyncio.to_thread(cpu) - cpu_before, os.times()
        own_spent = times.user + times.system - own.user - own.system
        samples.append(Sample(done / took, spent / done * 1e6, own_spent / done * 1e6))
    return samples


def main() -> None:
    kind, port, connections, size, core = sys.argv[1], *map(int, sys.argv[2:6])
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    samples = uvloop.run(measure(kind, port, connections, size, float(sys.argv[6]), int(sys.argv[7])))
    print(json.dumps({name: statistics.median(getattr(s, name) for s in samples) for name in Sample.__annotations__}))


if __name__ == "__main__":
    main()
