"""The audience's side of bench_viewers: a minimal WebSocket viewer, many in one process.

Usage: viewers_audience.py PORT[,PORT]... MATCH VIEWERS CORE; they spread over the ports. Prints "ready" once all have
their snapshot, then, at the end of its standard input, the results. Times are CLOCK_MONOTONIC, which all processes of a
machine share.
"""

import asyncio
import gc
import json
import os
import resource
import socket
import sys
import time

import uvloop

HEAD = (
    "GET /ws/live/{match} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
STAMP = b'"text":"@'  # the server's clock when the move was played, in nanoseconds, within `info`
DIGITS = 19
TEXT, PING = 0x81, 0x89  # the first byte of a frame


class Viewer(asyncio.Protocol):
    """A viewer that reads frames, and stores each move's number and delay."""

    def __init__(self, match: str) -> None:
        self.match = match
        self.rest = b""
        self.upgraded = False
        self.snapshot = False
        self.seen: list[int] = []  # numbers, in order of arrival
        self.delays: list[int] = []  # ns
        self.lost_at: int | None = None
        self.closed = b""  # the reason, if the server gives one
        self.later: list[tuple[int, bytes]] = []  # received data with its time, parsed afterwards

    def connection_made(self, transport) -> None:
        self.transport = transport
        transport.write(HEAD.format(match=self.match).encode())

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost_at = time.monotonic_ns()

    def data_received(self, data: bytes) -> None:
        """Store data during a measurement for later parsing, which would otherwise slow the audience."""
        now = time.monotonic_ns()
        if self.snapshot and data[0] in (TEXT, PING):
            self.later.append((now, data if PING not in data else self.without_pings(data)))
        else:
            self.catch_up()
            self.read(data, now)

    def without_pings(self, data: bytes) -> bytes:
        """Answer the pings, which cannot wait; return the other data."""
        at, kept = 0, b""
        while (found := frame(data, at)) is not None:
            opcode, payload, end = found
            if opcode == PING & 0x0F:
                self.pong(payload)
            else:
                kept += data[at:end]
            at = end
        return kept + data[at:]

    def pong(self, payload: bytes) -> None:
        self.transport.write(b"\x8a" + (0x80 | len(payload)).to_bytes(1, "big") + b"\0\0\0\0" + payload)

    def catch_up(self) -> None:
        """Parse the stored data."""
        waiting, self.later = self.later, []
        for now, data in waiting:
            self.read(data, now)

    def read(self, data: bytes, now: int) -> None:
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
            if opcode == PING & 0x0F:
                self.pong(payload)
            elif opcode == 8:
                self.closed = payload
                self.transport.close()
            elif opcode == 1:
                self.hear(payload, now)
        self.rest = data[at:]

    def hear(self, payload: bytes, now: int) -> None:
        if not self.snapshot:
            assert payload.startswith(b'{"type":"match"'), payload[:80]
            self.snapshot = True
            return
        if payload.startswith(b'{"type":"viewers"'):  # the number of viewers
            return
        stamp = payload.find(STAMP)
        assert stamp > 0, payload[:80]
        stamp += len(STAMP)
        self.delays.append(now - int(payload[stamp : stamp + DIGITS]))
        self.seen.append(int(payload[payload.find(b'"seq":') + 6 : payload.find(b",", 20)]))


def frame(data: bytes, at: int) -> tuple[int, bytes, int] | None:
    """Return the whole frame at `at`: opcode, payload, start of the next one."""
    if len(data) - at < 2:
        return None
    size, start = data[at + 1], at + 2
    if size >= 126:
        start += 2 if size == 126 else 8
        size = int.from_bytes(data[at + 2 : start], "big")
    if len(data) < start + size:
        return None
    return data[at] & 0x0F, data[start : start + size], start + size


TRIES = 20
FROM_ONE = 900  # viewers of one address: a server admits a thousand, and ports would run out


async def come(ports: list[int], match: str, count: int) -> list[Viewer]:
    """Connect all viewers, a few at a time, from as many loopback addresses as needed."""
    loop, turns = asyncio.get_running_loop(), asyncio.Semaphore(50)

    async def enter(number: int) -> Viewer:
        async with turns:
            address = (f"127.0.{1 + number // FROM_ONE}.1", 0)
            port = ports[number % len(ports)]
            for _ in range(TRIES):  # a gateway that does not know the match yet asks for a retry
                _, viewer = await loop.create_connection(lambda: Viewer(match), "127.0.0.1", port, local_addr=address)
                while viewer.lost_at is None:
                    if viewer.snapshot:
                        return viewer
                    await asyncio.sleep(0.005)
                await asyncio.sleep(0.5)
            raise ConnectionError(f"the server hangs up: {viewer.closed}")

    return list(await asyncio.gather(*map(enter, range(count))))


async def main(ports: list[int], match: str, count: int) -> None:
    loop = asyncio.get_running_loop()
    stalled = socket.socket()  # sends its handshake and never reads again
    stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    stalled.connect(("127.0.0.1", ports[0]))
    stalled.sendall(HEAD.format(match=match).encode())
    viewers = await come(ports, match, count)
    gc.disable()  # its pauses would grow with the stored data
    print("ready", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    await asyncio.sleep(1)  # for data in transit
    for viewer in viewers:
        viewer.catch_up()
    print(
        json.dumps(
            {
                "seen": [len(viewer.seen) for viewer in viewers],
                "gapless": sum(
                    viewer.seen == list(range(viewer.seen[0], viewer.seen[0] + len(viewer.seen)))
                    for viewer in viewers
                    if viewer.seen
                ),
                "lost": sum(viewer.lost_at is not None for viewer in viewers),
                "delays": sorted(delay for viewer in viewers for delay in viewer.delays),
                "cpu": time.process_time(),
            }
        ),
        flush=True,
    )


if __name__ == "__main__":
    os.sched_setaffinity(0, {int(each) for each in sys.argv[4].split(",")})
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    uvloop.run(main([int(each) for each in sys.argv[1].split(",")], sys.argv[2], int(sys.argv[3])))
