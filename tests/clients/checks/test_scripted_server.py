"""The check's server takes JSON lines as a server does: on the same port, in whatever pieces, empty ones or not."""

import asyncio
import json
from contextlib import closing, suppress
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import pytest
import websockets
from hypothesis import example, given
from hypothesis import settings as limited
from hypothesis import strategies as st

from palio_clients.checks import check_bot
from palio_clients.checks.scripted_server import JsonLinesConnection, open_server
from palio_clients.checks.subject import CheckFailed, CheckTimes, ConnectingSubject
from palio_rules.contract.codec import MAX_BYTES
from palio_rules.contract.messages import Hello

PATIENCE = CheckTimes(connect=30, ready=30, move=30, quiet=0.1, leave=30, margin_ms=2000, race_ms=1000)
HELLO = b'{"type":"hello","name":"ann","games":["dominoes"]}'


async def opened(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = urlsplit(url)
    return await asyncio.open_connection(parts.hostname, parts.port)


@pytest.mark.parametrize("before", [b"", b"\n", b"\r\n \t\r\n"])
async def test_a_connection_that_begins_with_a_brace_is_one_of_lines(before: bytes) -> None:
    async with open_server() as server:
        _, writer = await opened(server.url)
        for byte in before + HELLO + b"\r\n":
            writer.write(bytes([byte]))
            await writer.drain()
        connection = await server.connection(server.url)
        assert isinstance(connection, JsonLinesConnection)
        assert await connection.receive(10, "hello") == Hello("ann", ["dominoes"])
        writer.close()


async def test_a_websocket_is_one_though_its_first_byte_comes_alone() -> None:
    async with open_server() as server, websockets.connect(server.url, subprotocols=["palio.1.json"]) as socket:
        await socket.send(HELLO.decode())
        assert await (await server.connection(server.url)).receive(10, "hello") == Hello("ann", ["dominoes"])


async def test_who_leaves_before_its_first_byte_does_no_harm() -> None:
    async with open_server() as server:
        for data in (b"", b"\n"):
            _, writer = await opened(server.url)
            writer.write(data)
            writer.close()
            await writer.wait_closed()
        async with websockets.connect(server.url) as socket:
            assert socket.subprotocol is None


async def test_a_line_that_is_too_long_is_a_fault_as_on_the_network() -> None:
    async with open_server() as server:
        _, writer = await opened(server.url)
        writer.write(b'{"type":"' + b"x" * (MAX_BYTES + 1) + b"\n")
        with pytest.raises(CheckFailed, match="too-long"):
            await (await server.connection(server.url)).receive(10, "hello")
        writer.close()


async def bot(url: str, ends: bytes = b"\n") -> None:
    """Plays with JSON lines, and ends each with `ends`."""
    session: dict[str, Any] = {}
    answers: dict[Any, bytes] = {}
    while True:
        reader, writer = await opened(url)
        hello = {"type": "hello", "name": "ann", "games": ["dominoes"], **session}
        writer.write(json.dumps(hello).encode() + ends)
        with suppress(OSError), closing(writer):
            while line := await reader.readline():
                with suppress(ValueError):
                    message = json.loads(line)
                    match message.get("type"):
                        case "welcome":
                            session = {"resume": message["session"]}
                        case "game":
                            writer.write(json.dumps({"type": "ready", "match": message["match"]}).encode() + ends)
                        case "turn" | "rejected":
                            about = message["match"], message["id"]
                            if "moves" in message:
                                move = {"type": "move", "id": message["id"], "match": message["match"]}
                                answers.setdefault(about, json.dumps(move | {"move": message["moves"][0]}).encode())
                            writer.write(answers[about] + ends)


@pytest.mark.parametrize("ends", [b"\n", b"\r\n", b" \r\n\r\n \t\n" * 9])
async def test_a_bot_of_lines_passes_every_check(ends: bytes) -> None:
    tasks = []

    def announce(line: str) -> None:
        assert "JSON lines at 127.0.0.1:" in line
        tasks.append(asyncio.create_task(bot(line.rpartition(" ")[2], ends)))

    subject = ConnectingSubject(announce)
    found = [each async for each in check_bot(subject, patience=replace(PATIENCE))]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert [each for each in found if each.verdict != "ok"] == []
    assert found[0].detail == "ann plays dominoes, in json"


@limited(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from([HELLO, b"", b"\r", b" \t", HELLO + b"\r"]), max_size=6), st.lists(st.integers(1, 99)))
@example([b"", HELLO + b"\r", b"\r", HELLO], [1, 2, 3])
def test_lines_are_heard_however_they_are_cut(lines: list[bytes], cuts: list[int]) -> None:
    data = b"".join(line + b"\n" for line in lines)
    said = [line for line in lines if line.strip()]

    async def story() -> None:
        reader = asyncio.StreamReader()
        connection = JsonLinesConnection(reader, None)  # type: ignore[arg-type]  # nothing is written
        at = 0
        for cut in (*cuts, len(data)):
            reader.feed_data(data[at : at + cut])
            at += cut
            await asyncio.sleep(0)
        reader.feed_eof()
        assert len(await connection.receive_all(10)) == len(said)

    asyncio.run(story())
