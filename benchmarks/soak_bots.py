"""The load of a soak: many bots in one process, on separate connections. `steady` ones play, the others misbehave.

Usage: soak_bots.py steady|trouble PORT BOTS FOLDER. Each prints a line of JSON every few seconds; steady ones add the
matches whose end they got to FOLDER/heard.
"""

import asyncio
import contextlib
import json
import random
import sys
import time
from collections import deque
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, ClassVar

import msgpack
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

THINK_S = (0.5, 2.5)  # of a steady bot, for each move
REPORT_S = 2.0
KEPT = 2000  # latencies, of which the 99th percentile is reported
AWAY_S = (0.5, 3.0)  # between two connections
VIEWERS = 12
LOST = (OSError, WebSocketException, asyncio.IncompleteReadError, TimeoutError, EOFError)
TROUBLE = ("cut", "garbage", "flood", "deaf", "silent", "churn", "token", "halves", "cut", "late")


class Seen:
    """The measurements of all bots of this process."""

    latencies: ClassVar[deque[float]] = deque(maxlen=KEPT)  # from a move to the message that it was played, in seconds
    over: ClassVar[set[str]] = set()  # matches
    connected: int = 0
    refused: int = 0


class Peer:
    """A connection of one of the three kinds: MessagePack, JSON, lines of JSON."""

    def __init__(self, way: str, socket: Any, reader: Any = None) -> None:
        self.way, self.socket, self.reader = way, socket, reader

    async def say(self, **message: Any) -> None:
        if self.way == "lines":
            self.socket.write(json.dumps(message).encode() + b"\n")
        else:
            await self.socket.send(json.dumps(message) if self.way == "json" else msgpack.packb(message))

    async def hear(self) -> dict[str, Any]:
        if self.way == "lines":
            line = await self.reader.readline()
            if not line:
                raise EOFError
            return json.loads(line)
        data = await self.socket.recv()
        return json.loads(data) if isinstance(data, str) else msgpack.unpackb(data)


@contextlib.asynccontextmanager
async def connected(port: int, way: str) -> AsyncIterator[Peer]:
    if way == "lines":
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
        try:
            yield Peer(way, writer, reader)
        finally:
            writer.close()
        return
    url = f"ws://127.0.0.1:{port}/ws/bot"
    protocol: Any = [f"palio.1.{way}"]
    async with connect(url, subprotocols=protocol, compression=None, proxy=None, close_timeout=1) as socket:
        yield Peer(way, socket)


class Bot:
    """A bot that plays random moves, and resumes its session when it is cut off."""

    def __init__(self, name: str, way: str, folder: Path, trouble: str = "") -> None:
        self.name, self.way, self.folder, self.trouble = name, way, folder, trouble
        self.session: str | None = None
        self.sent: dict[str, tuple[int, float]] = {}  # by match: the next ply, and when the move was sent

    async def run(self, port: int) -> None:
        while True:
            with contextlib.suppress(*LOST):
                async with connected(port, self.way) as peer:
                    await self._stay(peer)
            await asyncio.sleep(random.uniform(*AWAY_S))

    async def _stay(self, peer: Peer) -> None:
        hello: dict[str, Any] = {"type": "hello", "name": self.name, "games": ["breakthrough"]}
        if self.session is not None and self.trouble != "churn":
            hello["resume"] = self.session
        if self.trouble == "token":
            with contextlib.suppress(OSError):
                hello["token"] = (self.folder / "token").read_text().strip()
        if self.trouble == "halves":
            await self._half(peer)
        await peer.say(**hello)
        welcome = await peer.hear()
        if welcome["type"] != "welcome":
            Seen.refused += 1
            return
        self.session = welcome["session"]
        Seen.connected += 1
        misbehaving = asyncio.create_task(self._misbehave(peer)) if self.trouble else None
        try:
            while True:
                await self._answer(peer, await peer.hear())
        finally:
            Seen.connected -= 1
            if misbehaving is not None:
                misbehaving.cancel()

    async def _answer(self, peer: Peer, message: dict[str, Any]) -> None:
        match message["type"]:
            case "game":
                await peer.say(type="ready", match=message["match"])
            case "turn" if message["moves"]:
                asyncio.get_running_loop().create_task(self._move(peer, message))  # it ends by itself
            case "played":
                ply, at = self.sent.pop(message["match"], (0, 0.0))
                if ply == message["ply"]:
                    Seen.latencies.append(time.monotonic() - at)
            case "over":
                self.sent.pop(message["match"], None)
                if not self.trouble:
                    Seen.over.add(message["match"])
                    with (self.folder / "heard").open("a") as file:
                        file.write(f"{message['match']}\n")

    async def _move(self, peer: Peer, turn: dict[str, Any]) -> None:
        await asyncio.sleep(60 if self.trouble == "late" else random.uniform(*THINK_S))
        with contextlib.suppress(*LOST):
            self.sent[turn["match"]] = (turn["ply"] + 1, time.monotonic())
            await peer.say(type="move", match=turn["match"], id=turn["id"], move=random.choice(turn["moves"]))

    async def _misbehave(self, peer: Peer) -> None:
        await asyncio.sleep(random.uniform(2, 15))
        transport = peer.socket.transport
        with contextlib.suppress(*LOST):
            match self.trouble:
                case "garbage":
                    while True:
                        await peer.socket.send(random.randbytes(random.randrange(300)))
                        await asyncio.sleep(0.2)
                case "flood":
                    for _ in range(200):
                        transport.write(b"\x8a\x80\0\0\0\0" * 500)
                        await asyncio.sleep(0)
                case "deaf":
                    transport.pause_reading()
                    await asyncio.sleep(30)
                case "silent":
                    await asyncio.sleep(60)
            transport.abort()

    async def _half(self, peer: Peer) -> None:
        """Send the first half of a frame, then nothing for a while."""
        peer.socket.transport.write(b"\x82\xfe\xff\xff\0\0\0\0" + b"a" * 1000)
        await asyncio.sleep(5)
        peer.socket.transport.abort()


async def watch(port: int) -> None:
    """View the lobby, and a match from it."""
    while True:
        with contextlib.suppress(*LOST, KeyError, IndexError, ValueError, TypeError):
            url = f"ws://127.0.0.1:{port}/ws/live"
            async with connect(url, compression=None, proxy=None) as lobby, asyncio.timeout(random.uniform(20, 60)):
                found = json.loads(await lobby.recv())
                match = random.choice(found["matches"])
                match = match if isinstance(match, str) else match.get("match", match.get("id"))
                async with connect(f"{url}/{match}", compression=None, proxy=None) as viewer:
                    while True:
                        await viewer.recv()
        await asyncio.sleep(1)


async def report() -> None:
    while True:
        await asyncio.sleep(REPORT_S)
        waits = sorted(Seen.latencies)
        p99 = waits[int(len(waits) * 0.99)] * 1000 if waits else 0.0
        told = {"heard": len(Seen.over), "connected": Seen.connected, "refused": Seen.refused, "p99_ms": round(p99, 2)}
        print(json.dumps(told), flush=True)


async def main(kind: str, port: int, bots: int, folder: Path) -> None:
    if kind == "steady":
        ways = ("msgpack", "json", "lines", "msgpack")
        crowd = [Bot(f"steady{number}", ways[number % 4], folder) for number in range(bots)]
        others = [watch(port) for _ in range(VIEWERS)]
    else:
        crowd = [
            Bot(f"trouble-{trouble}{number}", "msgpack", folder, trouble)
            for number, trouble in zip(range(bots), TROUBLE * bots, strict=False)
        ]
        others = []
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(report())
        for other in others:
            tasks.create_task(other)
        for bot in crowd:
            tasks.create_task(bot.run(port))
            await asyncio.sleep(0.01)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])))
