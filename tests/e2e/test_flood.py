"""A peer that floods a WebSocket, with any frames, is closed with 1008; no other match or request is affected."""

import asyncio
import contextlib
import json
import select
import socket
import threading
import urllib.request
from pathlib import Path

import uvloop
from command import Palio
from serving import bots, connected, played, server_in

from palio_rules.contract.codec import encode, frame_at
from palio_rules.contract.endpoints import BOT, LIVE, POLICY
from palio_rules.contract.messages import Hello
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl

MASK = b"\x00\x00\x00\x00"  # leaves a payload unchanged
BEGUN = b"\x02\x80" + MASK  # the first part, empty, of a message that goes on
FRAMES = {
    "pongs": b"\x8a\x80" + MASK,
    "pings": b"\x89\xfd" + MASK + b"p" * 125,
    "messages of a byte": b"\x82\x81" + MASK + b"\xc0",
    "empty parts": b"\x00\x80" + MASK,
}
LINES = "JSON lines"  # the path, as it were, of those who have none
LINE = b'{"type":"error","code":"x","reason":"y"}\n'
TURNED_AWAY = 429  # who comes back too often
SENT_AT_ONCE = 10_000  # frames
CLOSE = 0x88  # first byte of a close frame
MATCHES = 5
HANDSHAKE = (
    "GET {} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
BREATH_S = 0.5  # until a flooder comes again
TIME = TimeControl(base_ms=20_000)


class Flooder(threading.Thread):
    """Sends frames as fast as the server reads them, until its connection is closed; then connects again."""

    def __init__(self, url: str, path: str, kind: str, bot: str | None) -> None:
        super().__init__(daemon=True, name=f"{kind} to {path} as {bot or 'nobody'}")
        host, port = url.removeprefix("http://").split(":")
        self.address, self.path, self.kind, self.bot = (host, int(port)), path, kind, bot
        self.flooding, self.enough = threading.Event(), threading.Event()
        self.codes: list[int] = []
        self.fault: Exception | None = None

    def run(self) -> None:
        try:
            while not self.enough.wait(BREATH_S if self.codes else 0):
                with socket.create_connection(self.address, timeout=20) as peer:
                    self.codes.append(self.flood(peer))
        except Exception as fault:  # noqa: BLE001  # the test's own thread tells of it
            self.fault = fault
        finally:
            self.flooding.set()

    def flood(self, peer: socket.socket) -> int:
        """The code with which the server closes the connection, or refuses it."""
        if self.path == LINES:
            return self.flood_with_lines(peer)
        peer.sendall(HANDSHAKE.format(self.path).encode())
        head, _, heard = peer.recv(4096).partition(b"\r\n\r\n")
        if head.startswith(b"HTTP/1.1 429"):
            assert b"retry-after" in head.lower()
            return TURNED_AWAY
        assert head.startswith(b"HTTP/1.1 101"), head
        if self.bot is not None:
            hello = encode(Hello(self.bot, ["breakthrough"]))
            peer.sendall(b"\x82" + bytes([0x80 | len(hello)]) + MASK + hello)
            heard += peer.recv(4096)
            if b"too-many-hellos" in heard:
                return TURNED_AWAY
            assert b"welcome" in heard, heard
        many = FRAMES[self.kind] * SENT_AT_ONCE
        rest = (BEGUN if self.kind == "empty parts" else b"") + many
        peer.setblocking(False)
        while (code := _closed_with(heard)) is None:
            readable, writable, _ = select.select([peer], [peer], [], 20)
            assert readable or writable, "neither read nor closed"
            if readable:
                came = peer.recv(2**16)
                assert came, "cut off without a word"
                heard += came
            elif writable:
                rest = rest[peer.send(rest) :] or many
                self.flooding.set()
        return code

    def flood_with_lines(self, peer: socket.socket) -> int:
        peer.settimeout(20)
        heard = b""
        with contextlib.suppress(ConnectionError):
            peer.sendall(LINE)
            self.flooding.set()
            peer.sendall(LINE * SENT_AT_ONCE)
        with contextlib.suppress(ConnectionError):
            while came := peer.recv(2**16):
                heard = (heard + came)[-4096:]
        assert b"flood" in heard, heard
        return TURNED_AWAY if b"from your address" in heard else POLICY


def _closed_with(heard: bytes) -> int | None:
    """The code in the close frame among the frames that a server has sent; None: there is none yet."""
    at = 0
    while (bounds := frame_at(heard, at)) is not None and bounds[1] <= len(heard):
        if heard[at] == CLOSE:
            return int.from_bytes(heard[bounds[0] : bounds[0] + 2], "big")
        at = bounds[1]
    return None


def _troubled(url: str) -> dict[str, str]:
    """The parts that are not well, with their reasons. Raises HTTPError if one does not do its work.

    A loop that is late by parts of a second is left out: the flooders are threads of its own process.
    """
    with urllib.request.urlopen(f"{url}/api/health", timeout=10) as answer:
        parts = json.load(answer)["parts"]
    return {part["name"]: part["reason"] for part in parts if part["status"] != "ok" and part["name"] != "loop"}


def test_floods_of_all_kinds_end_at_their_sources_while_matches_go_on(palio: Palio, tmp_path: Path) -> None:
    uvloop.run(_matches_go_on(palio, tmp_path))  # as operators run it


async def _matches_go_on(palio: Palio, tmp_path: Path) -> None:
    async with server_in(tmp_path) as server, bots(palio, server.url, "ann=random", "bob=random"):
        await connected(server, "ann", "bob")
        flooders = [
            Flooder(server.url, path, kind, bot and f"mallory{number}")
            for number, kind in enumerate(FRAMES)
            for path, bot in ((LIVE, None), (BOT, None), (BOT, "mallory"))
        ] + [Flooder(server.url, LINES, "lines", None) for _ in range(2)]
        for flooder in flooders:
            flooder.start()
        try:
            for flooder in flooders:
                await asyncio.to_thread(flooder.flooding.wait, 20)
            for _ in range(MATCHES):
                record = await played(server, Setup("breakthrough", ("ann", "bob"), time=TIME))
                assert record.result.termination == "rule"
                assert await asyncio.to_thread(_troubled, server.url) == {}
        finally:
            for flooder in flooders:
                flooder.enough.set()
            for flooder in flooders:
                await asyncio.to_thread(flooder.join, 30)
        for flooder in flooders:
            assert flooder.fault is None, flooder.name
            assert flooder.codes[0] == POLICY, flooder.name
            assert set(flooder.codes) <= {POLICY, TURNED_AWAY}, flooder.name
