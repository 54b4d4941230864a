"""The load's side of bench_crowd: thousands of bots in one process, each answering every turn after a second.

Usage: crowd_bots.py PORT SERVER_PID BOTS SETTLE SECONDS CORE [BROKER_PORT BROKER_PID]. Prints one JSON object. The
frames are those of `net_client.py`; answers wait in one queue, since all wait equally long. With a broker all bots but
the probe play over MQTT (`crowd_mqtt.py`).
"""

import asyncio
import json
import os
import random
import resource
import sys
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import msgspec
import uvloop
from net_client import Client, frame, read_any

from palio_rules.contract.codec import encode
from palio_rules.contract.messages import Hello, Ready

THINK_S = 1.0
BEAT_S = 0.005  # between two checks of the queue of answers
STRANGERS = 200  # concurrent connections without a welcome; the server closes some of too many
PROBE_S = 0.02  # between two pings of the probe
PING = b"\x89\x80\0\0\0\0"
CLOSING = 3  # the first byte of a closing frame's payload, its code being 1000 or a little more
PING_MOST = 8  # bytes of a ping from the server
BEGIN_S = 300.0  # bots without a match after this time count as never started


class Turn(msgspec.Struct):
    match: str
    id: int
    moves: list[msgspec.Raw]


class Move(msgspec.Struct, tag_field="type", tag="move"):
    match: str
    id: int
    move: msgspec.Raw


read_turn = msgspec.msgpack.Decoder(Turn).decode
write = msgspec.msgpack.Encoder().encode


class Crowd:
    """The shared state of all bots: the waiting answers, and the measurements."""

    answers: ClassVar[deque[tuple[float, asyncio.Transport, bytes, str]]] = deque()
    sent: ClassVar[dict[str, float]] = {}  # by match: when its last move went out
    waits: ClassVar[list[float]] = []  # from a move to the opponent's turn
    begun: ClassVar[set[str]] = set()  # bots that have been in a match
    begun_at = 0.0  # when the last of them entered its first
    moves = matches = lost = 0
    faults: ClassVar[list[dict]] = []  # the server's complaints


def pong(payload: bytes) -> bytes:
    return b"\x8a" + (0x80 | len(payload)).to_bytes(1, "big") + b"\0\0\0\0" + payload


class Bot(Client):
    """A bot that plays a random move of each turn's list, after a second."""

    def __init__(self, name: str, welcomed: asyncio.Future[None]) -> None:
        super().__init__()
        self.name, self.welcomed = name, welcomed

    def begin(self) -> None:
        self.transport.write(frame(encode(Hello(self.name, ["breakthrough"]))))

    def packed(self, payload: bytes, about: str) -> bytes:
        """Return the bytes that carry a message `about` a match, or the lobby, which is named over MQTT only."""
        return frame(payload)

    def connection_lost(self, exc: Exception | None) -> None:
        Crowd.lost += 1
        if not self.welcomed.done():
            self.welcomed.set_exception(ConnectionError(f"{self.name} was not let in: {self.rest!r} {exc}"))

    def hear(self, payload: bytes) -> None:
        if payload[7:11] == b"turn":
            now = time.monotonic()
            turn = read_turn(payload)
            if (sent := Crowd.sent.pop(turn.match, None)) is not None:
                Crowd.waits.append(now - sent)
            move = turn.moves[int(random.random() * len(turn.moves))]
            answer = self.packed(write(Move(turn.match, turn.id, move)), turn.match)
            Crowd.answers.append((now + THINK_S, self.transport, answer, turn.match))
        elif payload[7:11] == b"game":
            Crowd.matches += 1
            if self.name not in Crowd.begun:
                Crowd.begun.add(self.name)
                Crowd.begun_at = time.monotonic()
            match = read_any(payload)["match"]
            self.transport.write(self.packed(encode(Ready(match)), match))
        elif payload[7:11] == b"over":
            Crowd.sent.pop(read_any(payload)["match"], None)
        elif len(payload) <= PING_MOST:  # the server's ping; its messages are longer
            self.transport.write(pong(payload))
        elif payload[0] == CLOSING:
            Crowd.faults.append({"closed": payload[2:].decode()})
        elif payload[7:13] != b"played":
            self.hear_aside(read_any(payload))

    def hear_aside(self, message: dict) -> None:
        if message["type"] == "welcome":
            self.welcomed.set_result(None)
        elif message["type"] in ("refused", "error"):
            Crowd.faults.append(message)


class Probe(Bot):
    """A bot that pings continuously: a pong takes as long as the server's loop is blocked."""

    def __init__(self, name: str, welcomed: asyncio.Future[None]) -> None:
        super().__init__(name, welcomed)
        self.since = 0.0
        self.delays: list[float] = []

    def begin(self) -> None:
        super().begin()
        self.ping()

    def ping(self) -> None:
        if not self.transport.is_closing():
            self.since = time.monotonic()
            self.transport.write(PING)

    def hear(self, payload: bytes) -> None:
        if payload:
            super().hear(payload)
        else:  # the pong; other frames are longer
            self.delays.append(time.monotonic() - self.since)
            asyncio.get_running_loop().call_later(PROBE_S, self.ping)


async def answer(late: list[float]) -> None:
    """Send the due answers."""
    answers = Crowd.answers
    while True:
        now = time.monotonic()
        while answers and answers[0][0] <= now:
            due, transport, data, match = answers.popleft()
            if transport.is_closing():
                continue
            late.append(now - due)
            transport.write(data)
            Crowd.moves += 1
            Crowd.sent[match] = time.monotonic()
        await asyncio.sleep(BEAT_S)


async def come(kind: type[Bot], port: int, count: int) -> None:
    """Connect all bots, as fast as the server admits them."""
    loop, turns = asyncio.get_running_loop(), asyncio.Semaphore(STRANGERS)

    async def enter(number: int) -> None:
        async with turns:
            welcomed = loop.create_future()
            await loop.create_connection(lambda: kind(f"bot{number}", welcomed), "127.0.0.1", port)
            await welcomed

    await asyncio.gather(*map(enter, range(1, count)))


def cpu_of(pid: int) -> float:
    """Return user and system time of a process, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def quantile(values: list[float], share: float) -> float:
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0.0


async def measure(
    port: int, pid: int, bots: int, settle: float, seconds: float, broker: Sequence[int] = ()
) -> dict[str, float]:
    loop = asyncio.get_running_loop()
    welcomed = loop.create_future()
    _, probe = await loop.create_connection(lambda: Probe("bot0", welcomed), "127.0.0.1", port)
    await welcomed
    late: list[float] = []
    answering = loop.create_task(answer(late))
    began, rush_cpu = time.monotonic(), cpu_of(pid)
    if broker:
        from crowd_mqtt import MqttBot  # noqa: PLC0415  # it imports this module

        await come(MqttBot, broker[0], bots)
    else:
        await come(Bot, port, bots)
    arrived = time.monotonic()
    while len(Crowd.begun) < bots // 2 * 2 and time.monotonic() < arrived + BEGIN_S and not answering.done():  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    all_begun = len(Crowd.begun) >= bots // 2 * 2
    rush_cpu = cpu_of(pid) - rush_cpu
    rush = list(probe.delays)
    await asyncio.sleep(settle)
    Crowd.waits.clear(), late.clear(), probe.delays.clear()
    moves, matches, since = Crowd.moves, Crowd.matches, time.monotonic()
    cpu, own = cpu_of(pid), time.process_time()
    broker_cpu = cpu_of(broker[1]) if broker else 0.0
    await asyncio.sleep(seconds)
    took = time.monotonic() - since
    if answering.done():
        answering.result()
    return {
        "arrived_s": arrived - began,
        "begun_s": Crowd.begun_at - began if all_begun else float("inf"),
        "rush_cpu_s": rush_cpu,
        "rush_longest_s": max(rush, default=0.0),
        "share": (cpu_of(pid) - cpu) / took,
        "broker_share": (cpu_of(broker[1]) - broker_cpu) / took if broker else 0.0,
        "moves": (Crowd.moves - moves) / took,
        "matches": (Crowd.matches - matches) / 2 / took,
        "p50_s": quantile(Crowd.waits, 0.5),
        "p99_s": quantile(Crowd.waits, 0.99),
        "pong_p99_s": quantile(probe.delays, 0.99),
        "pong_longest_s": max(probe.delays, default=0.0),
        "own_share": (time.process_time() - own) / took,
        "own_late_p99_s": quantile(late, 0.99),
        "lost": Crowd.lost,
        "faults": Crowd.faults[:3],
    }


def main() -> None:
    port, pid, bots = map(int, sys.argv[1:4])
    settle, seconds, core = float(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6])
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    print(json.dumps(uvloop.run(measure(port, pid, bots, settle, seconds, [*map(int, sys.argv[7:9])]))))


if __name__ == "__main__":
    sys.modules["crowd_bots"] = sys.modules["__main__"]  # `crowd_mqtt` shares this module's state
    main()
