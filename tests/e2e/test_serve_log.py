"""`palio serve --log json`: all its output, from the first message to the last, is one JSON object a line."""

import asyncio
import json
import re
import signal

import httpx
import pytest
from command import Palio
from websockets.asyncio.client import connect

from palio_rules.contract import endpoints


@pytest.mark.slow
async def test_every_line_is_json_and_a_refusal_names_match_and_bot(palio: Palio):
    server = palio.start("--debug", "serve", "--port", "0", "--log", "json", "--bot", "random")
    url = re.search(r"http://[\d.:]+", await asyncio.to_thread(server.line_with, "serves on"))[0]
    async with (
        asyncio.timeout(60),
        httpx.AsyncClient(base_url=url) as client,
        connect(url.replace("http", "ws") + endpoints.BOT) as socket,
    ):
        await socket.send(json.dumps({"type": "hello", "name": "ann", "games": ["breakthrough"]}))
        while (await client.get("/api/health")).json()["bots"] != 2:  # noqa: ASYNC110  # they are other processes
            await asyncio.sleep(0.05)
        asked = {"game": "breakthrough", "bots": ["ann", "random"]}
        match = (await client.post("/api/matches", json=asked)).json()["match"]
        async for text in socket:
            message = json.loads(text)
            if message["type"] == "game":
                await socket.send(json.dumps({"type": "ready", "match": match}))
            elif message["type"] == "turn":
                await socket.send(json.dumps({"type": "move", "match": match, "id": message["id"] - 1, "move": [0, 0]}))
            elif message["type"] == "error":
                assert message["code"] == "stale-id"
                break
    assert await asyncio.to_thread(server.end, signal.SIGTERM) == 0
    assert server.lines == []
    lines = [json.loads(line) for line in server.errors]
    assert all({"time", "level", "logger", "message"} <= line.keys() for line in lines)
    (refused,) = [line for line in lines if line.get("code") == "stale-id"]
    assert (refused["match"], refused["bot"], refused["level"]) == (match, "ann", "info")
    assert "stopping" in lines[-1]["message"] + lines[-2]["message"]


def test_an_error_that_ends_it_is_a_line_as_well(palio: Palio):
    done = palio("serve", "--log", "json", "--db", "sqlite:////nowhere/palio.db", "--port", "0", code=1)
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert lines[-1]["level"] == "error"
    assert "/nowhere" in lines[-1]["message"]
