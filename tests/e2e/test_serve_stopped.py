"""SIGTERM of a server in the midst of everything: all are told, nothing is lost, and no traceback."""

import asyncio
import json
import signal
import socket
import time
from contextlib import AsyncExitStack

import httpx
import pytest
from command import Palio, Started
from raw_bot import Bot, of
from test_serve import url_of
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

EXIT_S = 10.0
HALF_SENT = (
    b'POST /api/matches HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{"game":',
    b'POST /api/tournaments HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"ga',
    b"GET /api/matches HTTP/1.1\r\nHos",
    b"GET /ws/bot HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n",
    b'{"type": "hel',
    b"",
    b"GET /api/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 50,  # and it never reads
)


async def told(socket: ClientConnection) -> list[dict]:
    """Return the messages on a socket until it is closed, and the close code."""
    heard = []
    try:
        async for data in socket:
            heard.append(json.loads(data))  # noqa: PERF401  # what was heard before the end counts
    except ConnectionClosed:
        pass
    return [*heard, {"type": "closed", "code": socket.close_code}]


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_everybody_is_told_and_the_match_goes_on_after_the_restart(palio: Palio):
    server = palio.start("serve", "--port", "0", "--back-in", "3s")
    url = url_of(server)
    port, ws = int(url.rpartition(":")[2]), url.replace("http", "ws", 1)
    bots = [Bot("ann"), Bot("bob")]
    async with AsyncExitStack() as stack, httpx.AsyncClient(base_url=url) as client:
        sockets = [await stack.enter_async_context(connect(f"{ws}/ws/bot")) for _ in bots]
        playing = [asyncio.create_task(bot.play(end, 4)) for bot, end in zip(bots, sockets, strict=True)]
        for _ in range(200):
            if len((await client.get("/api/bots")).json()) == 2:
                break
            await asyncio.sleep(0.02)
        asked = {"game": "breakthrough", "bots": ["ann", "bob"], "tc": "60+1"}
        match = (await client.post("/api/matches", json=asked)).json()["match"]
        await playing[0]  # the fifth ply is ann's, who thinks now
        watching = [await stack.enter_async_context(connect(f"{ws}/ws/live{path}")) for path in ("", f"/{match}")]
        await asyncio.sleep(0.3)  # what has been played is in the journal
        half_sent = []
        for data in HALF_SENT * 3:
            half_sent.append(end := socket.create_connection(("127.0.0.1", port)))
            end.sendall(data)
        since = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        hearing = [asyncio.create_task(told(end)) for end in (sockets[0], *watching)]
        server.line_with("stopping")
        await refused(client, asked, f"{ws}/ws/bot")
        assert await asyncio.to_thread(server.wait) == 0
        assert time.monotonic() - since < EXIT_S
        for heard in await asyncio.gather(*hearing):
            [notice] = of(heard, "server_stopping")
            assert notice["back_in_ms"] == 3000
            assert heard[-1] == {"type": "closed", "code": 1012}
        await playing[1]
        assert of(bots[1].heard, "server_stopping")
        assert not of(bots[1].heard, "absent")
        for end in half_sent:
            end.close()
    assert not [line for line in server.errors if "Traceback" in line or "Exception" in line], server.errors
    await goes_on(palio, port, bots)


async def refused(client: httpx.AsyncClient, asked: dict, bots_at: str) -> None:
    """No client gets in, and all are told when to come back."""
    answer = await client.post("/api/matches", json=asked)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "server-stopping")
    assert answer.headers["Retry-After"] == "3"
    assert (await client.get("/api/health")).status_code == 503
    late = Bot("late")
    async with connect(bots_at) as end:
        await late.play(end, 0)
    assert [message["type"] for message in late.heard] == ["server_stopping", "refused", "closed"]
    assert (late.heard[0]["back_in_ms"], late.heard[1]["code"], late.heard[2]["code"]) == (
        3000,
        "server-stopping",
        1012,
    )


async def goes_on(palio: Palio, port: int, bots: list[Bot]) -> None:
    """After the restart the match is there as it was, and is played to its end."""
    server = palio.start("serve", "--port", str(port))
    server.line_with("serves on")
    for bot in bots:
        bot.heard.clear()
    async with AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(connect(f"ws://127.0.0.1:{port}/ws/bot")) for _ in bots]
        await asyncio.gather(*(bot.play(end, 1000) for bot, end in zip(bots, sockets, strict=True)))
    first = min((turn for bot in bots for turn in of(bot.heard, "turn")), key=lambda turn: turn["ply"])
    assert first["ply"] == 4
    assert len(of(bots[0].heard, "over")) == len(of(bots[1].heard, "over")) == 1
    assert server.end(signal.SIGTERM) == 0


def test_a_second_signal_ends_it_at_once(palio: Palio):
    server: Started = palio.start("serve", "--port", "0", "--bot", "random")
    url_of(server)
    server.process.send_signal(signal.SIGTERM)
    server.line_with("stopping")
    assert server.end(signal.SIGTERM) in (128 + signal.SIGTERM, 0)  # 0: it had ended before
    assert not [line for line in server.errors if "Traceback" in line]
