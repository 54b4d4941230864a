"""The audience's side of bench_viewers: as little viewer as a WebSocket can do with, many in one process.

Usage: viewers_audience.py PORT MATCH VIEWERS CORE. Says "ready" once all have their snapshot, then, at the end of its
standard input, what they saw. Times are CLOCK_MONOTONIC, which all processes of a machine share.
"""

import asyncio
import json
import os
import socket
import sys
import time

import uvloop

HEAD = (
    "GET /ws/live/{match} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
STAMP = b'"text":"@'  # the server's clock as it was when the move was played, in nanoseconds, within `info`
DIGITS = 19


class Viewer(asyncio.Protocol):
    """Reads frames; remembers each move's number and delay."""

    ready = 0

    def __init__(self, match: str) -> None:
        self.match = match
        self.rest = b""
        self.upgraded = False
        self.snapshot = False
        self.seen: list[int] = []  # numbers, in order of arrival
        self.delays: list[int] = []  # ns
        self.lost_at: int | None = None

    def connection_made(self, transport) -> None:
        self.transport = transport
        transport.write(HEAD.format(match=self.match).encode())

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost_at = time.monotonic_ns()

    def data_received(self, data: bytes) -> None:
        now = time.monotonic_ns()
        data = self.rest + data
        at = 0
        if not self.upgraded:
            at = data.find(b"\r\n\r\n") + 4
            if at < 4:
                self.rest = data
                return
            assert data.startswith(b"HTTP/1.1 101"), data
            self.upgraded = True
        while (found := frame(data, at)) is not None:
            opcode, payload, at = found
            if opcode == 9:
                self.transport.write(b"\x8a" + (0x80 | len(payload)).to_bytes(1, "big") + b"\0\0\0\0" + payload)
            elif opcode == 1:
                self.hear(payload, now)
        self.rest = data[at:]

    def hear(self, payload: bytes, now: int) -> None:
        if not self.snapshot:
            assert payload.startswith(b'{"type":"match"'), payload[:80]
            self.snapshot = True
            Viewer.ready += 1
            return
        stamp = payload.find(STAMP)
        assert stamp > 0, payload[:80]
        stamp += len(STAMP)
        self.delays.append(now - int(payload[stamp : stamp + DIGITS]))
        self.seen.append(int(payload[payload.find(b'"seq":') + 6 : payload.find(b",", 20)]))


def frame(data: bytes, at: int) -> tuple[int, bytes, int] | None:
    """The whole frame at `at`: opcode, payload, where the next one begins."""
    if len(data) - at < 2:
        return None
    size, start = data[at + 1], at + 2
    if size >= 126:
        start += 2 if size == 126 else 8
        size = int.from_bytes(data[at + 2 : start], "big")
    if len(data) < start + size:
        return None
    return data[at] & 0x0F, data[start : start + size], start + size


async def main(port: int, match: str, count: int) -> None:
    loop = asyncio.get_running_loop()
    stalled = socket.socket()  # says hello and never reads again
    stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    stalled.connect(("127.0.0.1", port))
    stalled.sendall(HEAD.format(match=match).encode())
    viewers = [(await loop.create_connection(lambda: Viewer(match), "127.0.0.1", port))[1] for _ in range(count)]
    while Viewer.ready < count:  # a second's wait, once
        assert all(viewer.lost_at is None for viewer in viewers), "the server has hung up"
        await asyncio.sleep(0.01)
    print("ready", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    await asyncio.sleep(1)  # for what is on its way
    print(
        json.dumps(
            {
                "seen": [len(viewer.seen) for viewer in viewers],
                "gapless": sum(viewer.seen == list(range(2, 2 + len(viewer.seen))) for viewer in viewers),
                "lost": sum(viewer.lost_at is not None for viewer in viewers),
                "delays": sorted(delay for viewer in viewers for delay in viewer.delays),
                "cpu": time.process_time(),
            }
        ),
        flush=True,
    )


if __name__ == "__main__":
    os.sched_setaffinity(0, {int(sys.argv[4])})
    uvloop.run(main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
