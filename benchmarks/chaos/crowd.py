"""The bots and viewers of a failing network: they reconnect, at any gateway that answers, until they are ended.

Usage: crowd.py FOLDER BOTS VIEWERS URL... Writes into FOLDER: `heard`, a line for each result that a bot got; `seen`, a
line for the last position of each match that a viewer has followed.
"""

import asyncio
import contextlib
import json
import random
import sys
from contextlib import aclosing
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from palio_rules.contract import endpoints
from palio_server import live
from palio_server.cli.command import CommandFailed
from palio_server.cli.live_stream import LiveStream
from palio_server.cli.spectator import Spectator

LOST = (OSError, WebSocketException, TimeoutError, ExceptionGroup)
THINK_S = (0.0, 0.15)
OPEN_S = 3.0
WAIT_S = 120.0  # for which a viewer waits for any gateway


class Bot:
    """A bot that plays random moves, and resumes its session at another gateway when it is cut off."""

    def __init__(self, name: str, urls: list[str], folder: Path, begun: asyncio.Queue[str]) -> None:
        self.name, self.urls, self.folder, self.begun = name, urls, folder, begun
        self.session: str | None = None
        self.told: dict[str, str] = {}

    async def run(self) -> None:
        while True:
            url = random.choice(self.urls).replace("http", "ws", 1)
            with contextlib.suppress(*LOST):
                async with connect(
                    f"{url}/ws/bot",
                    subprotocols=["palio.1.json"],  # type: ignore[list-item]
                    compression=None,
                    proxy=None,
                    open_timeout=OPEN_S,
                    close_timeout=1,
                    ping_interval=2,
                    ping_timeout=3,
                ) as socket:
                    await self._stay(socket)
            await asyncio.sleep(random.uniform(0.1, 1.0))

    async def _stay(self, socket: Any) -> None:
        hello = {"type": "hello", "name": self.name, "games": ["breakthrough"], "slots": 2}
        await socket.send(json.dumps(hello | ({"resume": self.session} if self.session else {})))
        async with asyncio.TaskGroup() as moves:
            async for data in socket:
                message = json.loads(data)
                match message["type"]:
                    case "welcome":
                        self.session = message["session"]
                    case "refused":
                        return
                    case "game":
                        await socket.send(json.dumps({"type": "ready", "match": message["match"]}))
                        if self.begun.qsize() < 64:
                            self.begun.put_nowait(message["match"])
                    case "turn" if message["moves"]:
                        moves.create_task(self._move(socket, message))
                    case "over":
                        self._hear(message)

    async def _move(self, socket: Any, turn: dict[str, Any]) -> None:
        await asyncio.sleep(random.uniform(*THINK_S))
        with contextlib.suppress(*LOST):
            move = {"type": "move", "match": turn["match"], "id": turn["id"], "move": random.choice(turn["moves"])}
            await socket.send(json.dumps(move))

    def _hear(self, over: dict[str, Any]) -> None:
        line = json.dumps({"bot": self.name, "match": over["match"], "scores": over["outcome"]["scores"]})
        if self.told.setdefault(over["match"], line) == line:  # again, after a resume: the guarantee is at least once
            with (self.folder / "heard").open("a") as file:
                file.write(f"{line}\n")
        else:
            with (self.folder / "heard").open("a") as file:
                file.write(f"{line}\n{self.told[over['match']]}\n")


async def watch(urls: list[str], folder: Path, begun: asyncio.Queue[str]) -> None:
    """Follow one match after the other to its end, as `palio watch` does."""
    while True:
        match = await begun.get()
        shuffled = random.sample(urls, len(urls))
        try:
            spectator = await _followed(LiveStream(shuffled, WAIT_S, lambda _: None), match)
        except CommandFailed as error:
            line = {"match": match, "failed": str(error)}
        else:
            view = spectator.summary.view
            lines = [[each.ply, each.seat, each.move] for each in spectator.lines]
            line = {"match": match, "ply": view.ply, "text": view.text, "lines": lines}
        with (folder / "seen").open("a") as file:
            file.write(f"{json.dumps(line)}\n")


async def _followed(stream: LiveStream, match: str) -> Spectator:
    async with aclosing(stream.follow(endpoints.live(match))) as messages:
        spectator: Spectator | None = None
        async for message in messages:
            if spectator is None:
                assert isinstance(message, live.MatchSnapshot), message
                spectator = Spectator(message)
            else:
                spectator.hear(message)
            if spectator.result is not None:
                return spectator
    raise AssertionError("it goes on until it fails")


async def main(folder: Path, bots: int, viewers: int, urls: list[str]) -> None:
    begun: asyncio.Queue[str] = asyncio.Queue()
    async with asyncio.TaskGroup() as tasks:
        for number in range(bots):
            tasks.create_task(Bot(f"bot{number:02}", urls, folder, begun).run())
        for _ in range(viewers):
            tasks.create_task(watch(urls, folder, begun))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]))
