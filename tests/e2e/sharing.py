"""Servers that share the work, on one broker and one PostgreSQL, and small bots for them in the test's own loop."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

from serving import until
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from palio_server.addons.shared.node import Node
from palio_server.addons.shared.servers_on_broker import ServersOnBroker
from palio_server.app_state import ServerParts
from palio_server.server import running
from palio_server.settings import load

LEASE_S = 3.0


@asynccontextmanager
async def sharing(db: str, mqtt: str, *workers: str, **flags: Any) -> AsyncIterator[dict[str, ServerParts]]:
    """A server for each of `workers`, by name: `gateway1` is a gateway, `referee1` a referee, others do all."""
    async with AsyncExitStack() as stack:
        servers = {}
        for worker in workers:
            servers[worker] = await stack.enter_async_context(one_of_several(db, mqtt, worker, **flags))
        await until(lambda: all(_settled(each, len(workers)) for each in servers.values()), "the servers' meeting")
        yield servers


@asynccontextmanager
async def one_of_several(db: str, mqtt: str, worker: str, **flags: Any) -> AsyncIterator[ServerParts]:
    role = worker.rstrip("0123456789")
    role = role if role in ("gateway", "referee") else "all"
    if role != "all":
        flags = {**flags, "house_bots": 0}
    settings = {"auth": "open", "lease_s": LEASE_S, "house_bots": 0, "back_in": "1s", **flags}
    async with running(load({}, db=db, mqtt=mqtt, worker=worker, role=role, port=0, **settings)) as server:
        yield server


def _settled(server: ServerParts, count: int) -> bool:
    node = node_of(server)
    return node.settled.is_set() and len(node.roster.beats()) == count


def node_of(server: ServerParts) -> Node:
    assert isinstance(server.others, ServersOnBroker)
    return server.others.node


class SmallBot:
    """Plays the first legal move of breakthrough after `think_s`; reconnects without end, to the next of its addresses.

    While it not `may_move`, it plays no move from the ply `holds_at` on.
    """

    def __init__(self, name: str, *urls: str, token: str | None = None, think_s: float = 0.0) -> None:
        self.name, self.urls, self.think_s = name, list(urls), think_s
        self.token, self.session = token, None
        self.may_move = asyncio.Event()
        self.may_move.set()
        self.holds_at = 0
        self.heard: list[dict[str, Any]] = []
        self.closed: list[int | None] = []

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.heard if message["type"] == kind]

    async def run(self) -> None:
        while True:
            with suppress(OSError, ConnectionClosed, InvalidStatus, TimeoutError):
                await self._visit(self.urls[0])
            self.urls.append(self.urls.pop(0))
            await asyncio.sleep(0.2)

    async def _visit(self, url: str) -> None:
        address = url.replace("http", "ws") + "/ws/bot"
        async with connect(address, open_timeout=3, ping_interval=None, close_timeout=0.2) as socket:
            more = {"resume": self.session} if self.session else {}
            more |= {"token": self.token} if self.token else {}
            await socket.send(json.dumps({"type": "hello", "name": self.name, "games": ["breakthrough"], **more}))
            try:
                async for data in socket:
                    await self._hear(socket, json.loads(data))
            finally:
                self.closed.append(socket.close_code)

    async def _hear(self, socket: Any, message: dict[str, Any]) -> None:
        self.heard.append(message)
        match message["type"]:
            case "welcome":
                self.session = message["session"]
            case "game":
                await socket.send(json.dumps({"type": "ready", "match": message["match"]}))
            case "turn":
                await asyncio.sleep(self.think_s)
                if message["ply"] >= self.holds_at:
                    await self.may_move.wait()
                answer = {"type": "move", "match": message["match"], "id": message["id"], "move": message["moves"][0]}
                await socket.send(json.dumps(answer))


@asynccontextmanager
async def playing(*bots: SmallBot) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(bot.run()) for bot in bots]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
