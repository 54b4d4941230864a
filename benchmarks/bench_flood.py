"""Floods of every kind during a match: their cost for the match, and the time until each flooder is disconnected.

A real server process on loopback; in another process flooders send as fast as they are read, as viewers, before a hello
and as bots, over WebSocket and JSON lines, and reconnect as soon as they are closed. Two bots play meanwhile, and
measure their own thinking time; the referee's clocks must agree. Any more time on a clock is the cost of the floods for
a bot. Linux only.
"""

import argparse
import asyncio
import contextlib
import json
import os
import select
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench_crowd import server_on
from figures import Figure, keep, table
from websockets.asyncio.client import connect

GOAL_MS, GOAL_CLOSED_S = 20.0, 1.0
MASK = b"\0\0\0\0"
FLOODS = {
    "pongs": b"\x8a\x80" + MASK,
    "pings": b"\x89\xfd" + MASK + b"p" * 125,
    "bytes": b"\x82\x81" + MASK + b"\xc0",
    "empty parts": b"\x00\x80" + MASK,
}
WAYS = ("/ws/live", "/ws/bot", "lines", "as a bot")
HANDSHAKE = (
    "GET {} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Flooder(threading.Thread):
    """A flooder that reconnects until it is stopped."""

    def __init__(self, port: int, number: int, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.port, self.number, self.stop = port, number, stop
        self.way = WAYS[number % len(WAYS)]
        self.closed_s: list[float] = []
        self.turned_away = 0

    def run(self) -> None:
        while not self.stop.is_set():
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=10) as peer:
                    self.flood(peer)
            except OSError:
                time.sleep(0.01)

    def flood(self, peer: socket.socket) -> None:
        kind = list(FLOODS)[self.number // len(WAYS) % len(FLOODS)]
        frame = b'{"type":"error"}\n' if self.way == "lines" else FLOODS[kind]
        if self.way != "lines":
            peer.sendall(HANDSHAKE.format("/ws/live" if self.way == "/ws/live" else "/ws/bot").encode())
            if not peer.recv(4096).startswith(b"HTTP/1.1 101"):
                self.turned_away += 1
                time.sleep(0.05)
                return
        if self.way == "as a bot":
            hello = json.dumps({"type": "hello", "name": f"mallory{self.number}", "games": ["tsp"]}).encode()
            peer.sendall(b"\x81" + bytes([0x80 | len(hello)]) + MASK + hello)
            peer.recv(4096)
        begins = b"\x02\x80" + MASK if kind == "empty parts" and self.way != "lines" else b""
        rest = many = begins + frame * 10_000
        begun = time.monotonic()
        peer.setblocking(False)
        while not self.stop.is_set():
            readable, writable, _ = select.select([peer], [peer], [], 10)
            if readable and (b"flood" in (came := peer.recv(2**16)) or not came):
                self.closed_s.append(time.monotonic() - begun)
                return
            if writable:
                rest = rest[peer.send(rest) :] or many


def flood(port: int, count: int, seconds: float) -> None:
    """Run the flooders in the other process, and print the result."""
    stop = threading.Event()
    flooders = [Flooder(port, number, stop) for number in range(count)]
    for flooder in flooders:
        flooder.start()
    time.sleep(seconds)
    stop.set()
    closed = [seconds for flooder in flooders for seconds in flooder.closed_s]
    never = sum(not flooder.closed_s and not flooder.turned_away for flooder in flooders)
    found = {"closed": len(closed), "slowest_s": max(closed, default=0.0), "never": never}
    print(json.dumps(found | {"turned_away": sum(flooder.turned_away for flooder in flooders)}))


def be_prompt() -> None:
    """Give this process the highest priority, so that our own lateness is not measured."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))


async def player(port: int, name: str, over: list[float], until: float) -> None:
    """Play the first move after a short thought; `over`: the clock's time beyond the thinking time, in ms."""
    async with connect(f"ws://127.0.0.1:{port}/ws/bot", subprotocols=["palio.1.json"], proxy=None) as server:
        await server.send(json.dumps({"type": "hello", "name": name, "games": ["breakthrough"]}))
        left, seat = None, 0
        while time.monotonic() < until:
            try:
                message = json.loads(await asyncio.wait_for(server.recv(), 5))
            except TimeoutError:
                continue
            if message["type"] == "game":
                left, seat = None, message["seat"]
                await server.send(json.dumps({"type": "ready", "match": message["match"]}))
            elif message["type"] == "turn":
                came = time.monotonic()
                await asyncio.sleep(0.003)
                answer = {"type": "move", "match": message["match"], "id": message["id"], "move": message["moves"][0]}
                await server.send(json.dumps(answer))
                left, thought = message["clocks_ms"][seat], 1000 * (time.monotonic() - came)
            elif message["type"] == "played" and message["seat"] == seat and left is not None:
                over.append(left - message["clocks_ms"][seat] - thought)


async def measure(flooders: int, seconds: float) -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        words = ("--ladder", "--tc", "600+0", "--house-bots", "0")
        async with server_on(Path(folder), *words) as (port, _):
            be_prompt()
            over: list[float] = []
            until = time.monotonic() + seconds + 3
            bots = [asyncio.create_task(player(port, name, over, until)) for name in ("ann", "bob")]
            await asyncio.sleep(2)
            calm = max(over, default=0.0)
            over.clear()
            command = [sys.executable, __file__, "--port", str(port), "--flooders", str(flooders)]
            load = await asyncio.create_subprocess_exec(
                *command, "--seconds", str(seconds), stdout=asyncio.subprocess.PIPE,
                preexec_fn=lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)),
            )  # fmt: skip
            out, _ = await load.communicate()
            await asyncio.gather(*bots)
    found = json.loads(out)
    worst = sorted(over)
    note = (
        f"{len(over)} turns, p99 {worst[len(worst) * 99 // 100]:.1f} ms; {calm:.1f} ms without; {found['never']} never"
    )
    return [
        Figure(f"floods: {flooders} flooders, a clock's worst error", worst[-1], "ms", GOAL_MS, True, note=note),
        Figure("floods: slowest flooder until closed", found["slowest_s"], "s", GOAL_CLOSED_S, True,
               note=f"{found['closed']} closed, {found['turned_away']} turned away, {found['never']} never"),
    ]  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flooders", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.port is not None:
        flood(args.port, args.flooders, args.seconds)
        return 0
    figures = asyncio.run(measure(args.flooders, args.seconds))
    keep(figures)
    print(table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
