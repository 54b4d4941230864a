"""The server's own bots, for people who want to play: a process each, started when it is first wanted.

It is started again when it crashes, ends a while after nobody has wanted it any more, and with the server for certain.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Protocol

from palio_server.arena.house_catalogue import HouseEntry, entry_of, house_name
from palio_server.processes import BotProcess, Entrant, how_it_ended

log = logging.getLogger(__name__)

IDLE_S = 180.0  # from its last match to its end: who wants another game finds it there
CRASHES = 3  # of one bot, while it is wanted; then it is given up
BACKOFF_S = 0.5  # from a crash to the next start


class Process(Protocol):
    """As much of a BotProcess as is used here."""

    async def ended(self) -> int:
        """The exit code, once it has ended."""

    async def end(self) -> None:
        """End it for certain."""

    def last_lines(self) -> str:
        """What it has said last."""


Start = Callable[[Entrant], Awaitable[Process]]


def starter(url: str, token: Callable[[str], Awaitable[str]]) -> Start:
    """Starts processes that join the server at `url`, each with the `token` of its name."""

    async def start(entrant: Entrant) -> Process:
        return await BotProcess.start(url, entrant, 1, log.debug, await token(entrant.name))

    return start


@dataclass(slots=True)
class _Resident:
    task: asyncio.Task[None]
    idle_since: float | None = None


class House:
    """The bots that run for people. `on_failure` is told who was given up, and why."""

    def __init__(self, start: Start, *, on_failure: Callable[[str, str], None] = lambda _bot, _reason: None) -> None:
        self._start = start
        self.on_failure = on_failure
        self._residents: dict[str, _Resident] = {}
        self._tasks: asyncio.TaskGroup | None = None

    @property
    def running(self) -> list[str]:
        """Those that run, or are being started."""
        return list(self._residents)

    def name_for(self, entry: HouseEntry, taken: Collection[str]) -> str:
        """The first name of that kind that is not `taken`: one that runs idly, if there is one."""
        number = 1
        while (name := house_name(entry, number)) in taken:
            number += 1
        return name

    def want(self, name: str) -> None:
        """Let that bot run from now on. Harmless if it does, or if the catalogue has none of that name."""
        entry = entry_of(name)
        if (resident := self._residents.get(name)) is not None:
            resident.idle_since = None
        elif entry is not None and self._tasks is not None:
            work = self._keep(Entrant(name, entry.spec))
            self._residents[name] = _Resident(self._tasks.create_task(work, name=f"house bot {name}"))

    def sweep(self, wanted: Collection[str]) -> None:
        """End whoever has not been `wanted` for a while; to be called now and then."""
        now = asyncio.get_running_loop().time()
        for name, resident in list(self._residents.items()):
            if name in wanted:
                resident.idle_since = None
            elif resident.idle_since is None:
                resident.idle_since = now
            elif now - resident.idle_since >= IDLE_S:
                resident.task.cancel()
                del self._residents[name]

    async def run(self) -> None:
        """Keep them until cancelled; then all their processes are gone."""
        async with asyncio.TaskGroup() as tasks:
            self._tasks = tasks
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                self._tasks = None
                for resident in self._residents.values():
                    resident.task.cancel()

    async def _keep(self, entrant: Entrant) -> None:
        reason = ""
        for _ in range(CRASHES):
            try:
                process = await self._start(entrant)
            except OSError as error:
                reason = f"{entrant.name} could not be started: {error}"
                break
            try:
                code = await process.ended()
            finally:
                await process.end()
            reason = f"{how_it_ended(entrant, code)}; {process.last_lines()}"
            log.warning("%s", reason)
            await asyncio.sleep(BACKOFF_S)
        del self._residents[entrant.name]
        self.on_failure(entrant.name, reason)
