"""A language model's client, by the official library, with a model that plays the first legal move."""

import sys
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

PALIO = (sys.executable, "-c", "from palio_server.cli import main; main()")


def over_stdio(url: str, *words: str, mode: str = "auto", env: dict[str, str] | None = None) -> Client:
    command, *begin = PALIO
    return Client(StdioServerParameters(command=command, args=[*begin, "mcp", url, *words], env=env), mode=mode)


@asynccontextmanager
async def over_http(url: str, token: str | None = None, mode: str = "legacy"):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(30.0, read=90.0)) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return the tool's answer; it must not fail."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content[0].text
    return answer.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """The sentence by which the tool fails."""
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error, answer.content[0].text
    return answer.content[0].text


async def turn(client: Client, **more: Any) -> dict[str, Any]:
    """The next turn, or the end."""
    while (view := await call(client, "wait_for_turn", **more))["state"] == "nothing_yet":
        pass
    return view


async def play_to_the_end(client: Client, *, pick: int = 0, **more: Any) -> dict[str, Any]:
    """Play one match; how it has ended."""
    view = await turn(client, **more)
    while view["state"] == "your_turn":
        move = view["legal_moves"][pick % len(view["legal_moves"])]
        answer = await client.call_tool("move", dict(move=move, turn=view["turn"], wait_s=20, **more))
        late = answer.is_error and "the referee has not answered yet" in answer.content[0].text
        assert late or not answer.is_error, answer.content[0].text
        view = {"state": "nothing_yet"} if late else answer.structured_content["next"]
        if view["state"] == "nothing_yet":
            view = await turn(client, **more)
    return view
