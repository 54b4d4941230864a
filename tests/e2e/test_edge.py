"""The edge of a real server: crowds, tokens in addresses and foreign pages disturb no other client."""

import asyncio
import contextlib
import json
import logging
import os
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import server_in
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from palio_rules.contract.endpoints import BOT, LIVE, POLICY, TOO_LONG
from palio_rules.records.record import Setup
from palio_server.app_state import ServerParts

FILES, CROWD = 1024, 600  # a system that lets a server have so many gives strangers 256 places
HEAD = b"GET /ws/bot HTTP/1.1\r\nHost: localhost\r\nUpgrade: web"
SECRET = "s3cr3t-t0ken-that-no-log-may-keep"  # not a valid token


@pytest.fixture
async def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ServerParts]:
    monkeypatch.setattr("palio_server.server.raise_limit", lambda: FILES)
    async with server_in(tmp_path, auth="required") as found:
        yield found


@contextlib.asynccontextmanager
async def bot(server: ServerParts, name: str, token: str | None = None) -> AsyncIterator[ClientConnection]:
    """A bot that has been let in, by plain JSON."""
    url = server.url.replace("http", "ws") + BOT
    async with asyncio.timeout(10), connect(url, proxy=None, ping_interval=None) as peer:
        hello: dict[str, Any] = {"type": "hello", "name": name, "games": ["breakthrough"]}
        await peer.send(json.dumps(hello | ({} if token is None else {"token": token})))
        answer = json.loads(await peer.recv())
        assert answer["type"] == "welcome", answer
        yield peer


@contextlib.contextmanager
def crowd(server: ServerParts, count: int, said: bytes) -> Iterator[list[socket.socket]]:
    host, port = server.url.removeprefix("http://").split(":")
    with contextlib.ExitStack() as stack:
        peers = []
        for _ in range(count):
            peer = stack.enter_context(socket.create_connection((host, int(port)), timeout=10))
            if said:
                peer.sendall(said)
            peers.append(peer)
        yield peers


def gone(peer: socket.socket) -> bool:
    """Return True if the server has sent a goodbye, or nothing."""
    peer.setblocking(False)
    try:
        peer.recv(1)
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
    return True


@pytest.mark.parametrize("said", [b"", HEAD, b"{"], ids=["silent", "half a head", "half a line"])
async def test_a_token_always_finds_a_place(server: ServerParts, said: bytes) -> None:
    await server.store.add_bot("ann")
    token = await server.store.issue_token({"play"}, "ann")
    with contextlib.ExitStack() as stack:
        peers = await asyncio.to_thread(lambda: stack.enter_context(crowd(server, CROWD, said)))
        async with bot(server, "ann", token):
            assert server.lobby.is_here("ann")
        ended = [gone(peer) for peer in peers]
        assert ended[0]
        assert not ended[-1], "the oldest goes first"
        assert sum(ended) < CROWD


@pytest.mark.parametrize("path", [BOT, LIVE])
@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"Origin": "https://evil.example"}, "foreign-origin"),
        ({"Origin": "null"}, "foreign-origin"),
        ({"Host": "evil.example"}, "foreign-host"),
    ],
)
async def test_with_tokens_too_foreign_pages_and_names_are_refused(server, path, headers, code) -> None:
    answer = await handshake(server, path, headers)
    assert answer.startswith(b"HTTP/1.1 403")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"] == code
    assert b"content-security-policy" in answer.lower()


async def handshake(server: ServerParts, target: str, headers: dict[str, str]) -> bytes:
    """Return the answer to a request for a WebSocket, to the end of the connection."""
    host, port = server.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    given = {
        "Host": "localhost",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
        **headers,
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    writer.write(f"GET {target} HTTP/1.1\r\n{lines}\r\n".encode())
    async with asyncio.timeout(10):
        answer = await reader.read()
    writer.close()
    return answer


async def test_a_token_in_an_address_is_refused_and_stands_in_no_log(server, caplog, capfd, monkeypatch) -> None:
    caplog.set_level(logging.DEBUG)
    for path in (BOT, LIVE, f"{LIVE}/x"):
        for name in ("token", "access_token"):
            answer = await handshake(server, f"{path}?{name}={SECRET}", {"Referer": f"http://x/?token={SECRET}"})
            assert answer.startswith(b"HTTP/1.1 403")
            assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"] == "token-in-query"
    monkeypatch.setattr(server.store, "search", None)  # a bug of the server, with its traceback
    host, port = server.url.removeprefix("http://").split(":")
    for target in (f"/api/matches?token={SECRET}", "/api/matches", f"/nothing?x=1&token={SECRET}"):
        reader, writer = await asyncio.open_connection(host, int(port))
        referer = f"Referer: http://localhost/?token={SECRET}"
        writer.write(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{referer}\r\n\r\n".encode())
        status = (await reader.read())[9:12]
        assert status == (b"400" if "token" in target else b"500")
        writer.close()
    assert "Traceback" in caplog.text
    out, err = capfd.readouterr()
    assert SECRET not in caplog.text + out + err


async def test_a_flood_of_ten_thousand_frames_in_one_write_costs_no_memory(tmp_path: Path) -> None:
    async with server_in(tmp_path) as server, bot(server, "ann") as ann:
        before = _resident()
        for _ in range(3):
            host, port = server.url.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            answered = (
                f"GET {LIVE} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
            )
            writer.write(answered.encode())
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 101")
            assert b"deflate" not in head, "nothing is compressed"
            writer.write(b"\x82\x81\0\0\0\0\xc0" * 10_000)
            async with asyncio.timeout(5):
                with contextlib.suppress(ConnectionError):
                    assert b"\x88" in await reader.read()
            writer.close()
        assert _resident() - before < 20 * 2**20
        await ann.ping()


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def test_fragments_without_an_end_are_closed_when_they_are_too_long(tmp_path: Path) -> None:
    async with server_in(tmp_path) as server, bot(server, "bob") as other:
        async with bot(server, "ann") as ann:

            async def parts() -> AsyncIterator[str]:
                for _ in range(70):
                    yield "x" * 1000

            with contextlib.suppress(Exception):
                await ann.send(parts())
            await ann.wait_closed()
            assert ann.close_code == TOO_LONG
        await (await other.ping())


@pytest.mark.slow
async def test_a_storm_of_reconnections_is_limited_and_the_opponent_hears_little(tmp_path: Path) -> None:
    async with server_in(tmp_path) as server, bot(server, "ann") as ann:
        setup = Setup("breakthrough", ("ann", "bob"))
        async with bot(server, "bob"):
            await server.arena.schedule(setup)
            heard = [json.loads(await ann.recv())]
            assert heard[0]["type"] == "game"
        refused = []
        for _ in range(150):
            url = server.url.replace("http", "ws") + BOT
            async with connect(url, proxy=None) as peer:
                await peer.send(json.dumps({"type": "hello", "name": "bob", "games": ["breakthrough"]}))
                answer = json.loads(await peer.recv())
                if answer["type"] == "refused":
                    refused.append(answer)
        assert len(refused) >= 120
        assert refused[0]["code"] == "too-many-hellos"
        assert refused[0]["retry_ms"] >= 1000
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1):
                while True:
                    heard.append(json.loads(await ann.recv()))
        assert 1 <= sum(message["type"] in ("absent", "back") for message in heard) <= 8


async def test_flooding_bots_lose_their_connection_with_the_reason(tmp_path: Path) -> None:
    async with server_in(tmp_path) as server, bot(server, "ann") as ann:
        with contextlib.suppress(Exception):
            for _ in range(5000):
                await ann.send("{}")
        await ann.wait_closed()
        assert ann.close_code == POLICY


async def test_old_clients_without_origin_and_with_a_good_token_are_let_in(server: ServerParts) -> None:
    await server.store.add_bot("ann")
    token = await server.store.issue_token({"play"}, "ann")
    async with bot(server, "ann", token):
        pass
    with pytest.raises(InvalidStatus):
        # type: ignore[arg-type]
        async with connect(server.url.replace("http", "ws") + BOT, proxy=None, origin="https://evil.example"):
            pass
