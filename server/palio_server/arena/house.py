"""The server's own bots, for people who want to play: a process each, started at the first request.

A process is restarted when it crashes, ends a while after its last request, and always ends with the server.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, Protocol

from palio_db.errors import StoreError
from palio_rules.contract.names import HOUSE
from palio_rules.registry import game as rules_of
from palio_rules.registry import games
from palio_server.processes import BotProcess, Entrant, how_it_ended

# The bots that a server starts for people who want to play: name, strength and SPEC of each.

PUZZLES = ("chexers_solo", "rush_hour")  # races in which a path is planned
TOURS = ("tsp",)


class HouseEntry(NamedTuple):
    """A line of the catalogue. `level`: 1 (beginner) to 5; `spec` is a SPEC of `palio join`."""

    name: str
    title: str
    level: int
    games: tuple[str, ...]
    spec: str


@cache  # made at first use: it loads the rules of every game, which matches of programs do not need
def catalogue() -> tuple[HouseEntry, ...]:
    """Return every line, the weakest bots first."""
    every = tuple(games())
    duels = tuple(name for name in every if rules_of(name).kind == "duel")
    tables = tuple(name for name in every if rules_of(name).kind == "table")
    # `seconds` where a search could take long: a person who plays without a clock waits at most so long.
    return (
        HouseEntry("random", "beginner: plays any legal move", 1, every, "random"),
        HouseEntry("greedy", "easy: looks one move ahead", 2, every, "greedy"),
        HouseEntry("alpha_beta", "fair: looks two moves ahead", 3, duels, "alpha_beta:depth=2,seconds=2,seed=-1"),
        HouseEntry("deep", "strong: looks four moves ahead", 4, duels, "alpha_beta:depth=4,seconds=3,seed=-1"),
        HouseEntry(
            "max_n", "fair: every seat for itself, two moves ahead", 3, tables, "max_n:depth=2,seconds=2,seed=-1"
        ),
        HouseEntry("paranoid", "strong: all others against it", 4, tables, "paranoid:seconds=1,seed=-1"),
        HouseEntry("hill_climbing", "fair: improves its tour until no step helps", 3, TOURS, "hill_climbing"),
        HouseEntry("or_opt", "very strong: improves its tour again and again", 5, TOURS, "or_opt"),
        HouseEntry("planner", "very strong: finds a shortest way", 5, PUZZLES, "planner"),
        HouseEntry(
            "champion", "very strong: searches for a second a move", 5, (*duels, *tables), "champion:seconds=1,seed=-1"
        ),
    )


def house_entry(name: str) -> HouseEntry | None:
    """Return the line with that name."""
    return next((entry for entry in catalogue() if entry.name == name), None)


def house_name(entry: HouseEntry, number: int = 1) -> str:
    """Return the bot's name in a match; if several of one kind play at once, each after the first has a number.

    >>> house_name(catalogue()[1]), house_name(catalogue()[1], 2)
    ('house-greedy', 'house-greedy.2')
    """
    return f"{HOUSE}{entry.name}" if number == 1 else f"{HOUSE}{entry.name}.{number}"


def entry_of(name: str) -> HouseEntry | None:
    """Return the line behind a name in a match, for instance after a restart."""
    return house_entry(name.removeprefix(HOUSE).partition(".")[0])


log = logging.getLogger(__name__)

IDLE_S = 180.0  # seconds from its last match to its end, so that a player who wants another game finds it
CRASHES = 3  # crashes of one bot while it is wanted; then it is given up
BACKOFF_S = 0.5  # seconds from a crash to the next start


class HouseProcess(Protocol):
    """The part of BotProcess that is used here."""

    async def ended(self) -> int:
        """Return the exit code, once it has ended."""

    async def end(self) -> None:
        """End the process, and wait until it has ended."""

    def last_lines(self) -> str:
        """Return its last lines of output."""


Start = Callable[[Entrant], Awaitable[HouseProcess]]


def starter(url: str, token: Callable[[str], Awaitable[str]]) -> Start:
    """Return a function that starts processes that join the server at `url`, each with the `token` of its name."""

    async def start(entrant: Entrant) -> HouseProcess:
        return await BotProcess.start(url, entrant, 1, log.debug, await token(entrant.name))

    return start


@dataclass(slots=True)
class _Resident:
    task: asyncio.Task[None]
    idle_since: float | None = None


class House:
    """The bots that run for people. `on_failure` is called with a bot that was given up, and the reason."""

    def __init__(self, start: Start, *, on_failure: Callable[[str, str], None] = lambda _bot, _reason: None) -> None:
        self._start = start
        self.on_failure = on_failure
        self.failed: dict[
            str, str
        ] = {}  # bots that were given up, and why; they are not started again before their entry is removed
        self._residents: dict[str, _Resident] = {}
        self._tasks: asyncio.TaskGroup | None = None

    @property
    def running(self) -> list[str]:
        """Those that run, or are being started."""
        return list(self._residents)

    def name_for(self, entry: HouseEntry, taken: Collection[str]) -> str:
        """Return the first name of that kind that is not `taken`: that of an idle bot, if there is one."""
        number = 1
        while (name := house_name(entry, number)) in taken:
            number += 1
        return name

    def want(self, name: str) -> None:
        """Let that bot run from now on. Does nothing if it runs, or if the catalogue has no such name."""
        entry = entry_of(name)
        if (resident := self._residents.get(name)) is not None:
            resident.idle_since = None
        elif entry is not None and self._tasks is not None and name not in self.failed:
            work = self._keep(Entrant(name, entry.spec))
            self._residents[name] = _Resident(self._tasks.create_task(work, name=f"house bot {name}"))

    def sweep(self, wanted: Collection[str]) -> None:
        """End bots that have not been `wanted` for a while; to be called regularly."""
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
        """Keep them running until cancelled; then all their processes have ended."""
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
            except (OSError, StoreError) as error:  # no such program, too many processes, no secret for its token
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
        self.failed[entrant.name] = reason
        self.on_failure(entrant.name, reason)
