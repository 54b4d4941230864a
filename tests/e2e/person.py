"""A person who plays: what the page does, without the page. Opens a table over HTTP and speaks JSON on a WebSocket."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

Choose = Callable[[dict[str, Any]], Any]  # a turn's move


@dataclass
class Person:
    """A person at a table of the server at `url`."""

    url: str
    table: dict[str, Any]
    games: list[dict[str, Any]] = field(default_factory=list)  # the `game` messages that were heard
    _socket: ClientConnection | None = None

    @property
    def name(self) -> str:
        return self.table["name"]

    async def hello(self) -> dict[str, Any]:
        """Connect; the server's answer."""
        self._socket = await connect(f"{self.url.replace('http', 'ws', 1)}/ws/bot", subprotocols=["palio.1.json"])
        await self.say("hello", name=self.name, token=self.table["token"], games=[self.table["game"]])
        return await self.heard()

    async def say(self, kind: str, **fields: Any) -> None:
        assert self._socket is not None
        await self._socket.send(json.dumps({"type": kind, **fields}))

    async def heard(self) -> dict[str, Any]:
        assert self._socket is not None
        async with asyncio.timeout(60):
            return json.loads(await self._socket.recv())

    async def until(self, *kinds: str) -> dict[str, Any]:
        """The next message of one of these kinds; says that it is ready for every game."""
        while True:
            message = await self.heard()
            if message["type"] == "game":
                self.games.append(message)
                await self.say("ready", match=message["match"])
            if message["type"] in kinds:
                return message

    async def move(self, turn: dict[str, Any], move: Any) -> None:
        await self.say("move", match=turn["match"], id=turn["id"], move=move)

    async def play(self, choose: Choose) -> dict[str, Any]:
        """Play to the end; how it ended."""
        while (message := await self.until("turn", "over"))["type"] == "turn":
            await self.move(message, choose(message))
        return message["outcome"]

    async def ask(self, what: str, **body: Any) -> httpx.Response:
        """POST to this person's table."""
        return await post(self.url, f"{self.table['table']}/{what}", self.table["token"], **body)

    async def gone(self) -> None:
        if self._socket is not None:
            await self._socket.close()


def first_move(turn: dict[str, Any]) -> Any:
    return turn["moves"][0]


async def post(url: str, path: str = "", token: str | None = None, **body: Any) -> httpx.Response:
    """POST below /api/play."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=url, headers=headers) as client:
        return await client.post(f"/api/play/{path}".rstrip("/"), json=body)


async def get(url: str, path: str) -> Any:
    async with httpx.AsyncClient(base_url=url) as client:
        return (await client.get(path)).json()


@asynccontextmanager
async def seated(url: str, opening: Awaitable[httpx.Response], at: str | None = None) -> AsyncIterator[Person]:
    """Yield the person at the table that `opening` answers with, connected; perhaps `at` another server."""
    answer = await opening
    assert answer.status_code == 201, answer.text
    person = Person(at or url, answer.json())
    try:
        assert (await person.hello())["type"] == "welcome"
        yield person
    finally:
        await person.gone()
