"""Games on their way to workers: which task has which game, who plays it, and until when it must be over. Pure."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeVar

from msgspec import UNSET

from palio_db.values import Claim
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl
from palio_server.arena.running_match import printable
from palio_server.processes import BotFailed


@dataclass(eq=False)
class Task:
    """A portion on its way."""

    claims: dict[str, Claim]  # of those that are not over
    future: Any  # Dask's
    sent: float
    begun: float = 0.0  # when its first game began
    worker: str = ""  # who plays it, as far as known
    deadline: dict[str, float] = field(default_factory=dict)  # of games that have begun


class TasksOut:
    """Tasks by key, and the key of each game. A game that is being committed is out still, with no task."""

    def __init__(self) -> None:
        self._tasks: dict[str, Task] = {}
        self._keys: dict[str, str] = {}  # by match

    def __len__(self) -> int:
        """Return the number of games that are out."""
        return len(self._keys)

    @property
    def count(self) -> int:
        """Return the number of tasks that have them."""
        return len(self._tasks)

    def __contains__(self, key: object) -> bool:
        return key in self._tasks

    def add(self, key: str, task: Task) -> None:
        self._tasks[key] = task
        self._keys.update((match, key) for match in task.claims)

    def take(self, key: str) -> Task | None:
        """Take a task out. Its games are out until each is `over`."""
        return self._tasks.pop(key, None)

    def settling(self, match: str) -> None:
        """The game has ended, and is to be committed."""
        self._keys[match] = ""

    def over(self, match: str) -> None:
        """The game is out no more. Harmless twice."""
        self._keys.pop(match, None)

    def keys(self) -> list[str]:
        return [*self._tasks]

    def all(self) -> list[Task]:
        return [*self._tasks.values()]

    def games(self) -> list[str]:
        return [*self._keys]

    def claims(self) -> list[Claim]:
        """All that is held for them."""
        return [claim for task in self._tasks.values() for claim in task.claims.values()]

    def of(self, match: str) -> Task | None:
        """The task that has the game."""
        return self._tasks.get(self._keys.get(match, ""))

    def of_worker(self, worker: str) -> list[str]:
        """The keys of what a worker has."""
        return [key for key, task in self._tasks.items() if task.worker == worker]

    def late(self, now: float) -> Iterator[tuple[str, list[str]]]:
        """Workers, and those of their games that take longer than their clocks allow."""
        for task in self._tasks.values():
            late = [match for match, deadline in task.deadline.items() if match in task.claims and deadline < now]
            if late and task.worker:
                yield task.worker, late


# How long a game can last: no longer than its clocks and graces allow. A worker that takes longer hangs.

START_S = 120.0  # until the bots are there: their first start loads what they need, perhaps from a network's disk
SLACK = 1.25  # a machine that is busy is late in everything


def longest_s(setup: Setup, factor: float = 1.0) -> float:
    """Seconds from the moment that a game was handed to a worker whose clocks are scaled by `factor`.

    It is a bound, not a guess: with an increment, or without a clock, it supposes as many plies as there may be.
    """
    race = setup.rules().kind == "race"
    seats = len(setup.bots)
    plies = setup.max_plies if race else -(-setup.max_plies // seats)  # of one seat
    thinks = [_thinks_ms(time, plies, setup.stall_ms) * factor + time.margin_ms * plies for time in setup.clocks()]
    away = setup.grace_ms
    whole = max(thinks) + away if race else sum(thinks) + away * seats  # entrants of a race play at the same time
    return START_S + SLACK * (setup.ready_ms + whole) / 1000


def _thinks_ms(time: TimeControl, plies: int, stall_ms: int) -> int:
    """Return how long a seat may think for so many plies of its own."""
    limits = []
    if time.base_ms is not None:
        periods = 1 if time.moves is UNSET else 1 + plies // time.moves
        after = 0 if time.byoyomi is UNSET else time.byoyomi.longest_ms(plies)
        limits.append(time.base_ms * periods + time.increment_ms * plies + after)
    if time.move_ms is not None:
        limits.append(time.move_ms * plies)
    return min(limits) if limits else stall_ms * plies


# How many games one task of Dask carries. A task costs a millisecond of the coordinator, however much it carries.
#
# Quick games go by the dozen, so that a task takes about a second; long ones go one by one, so that a result is known
# when its game is over, and little is lost with a worker.

T = TypeVar("T")

TASK_S = 1.0  # how long a task should take
MOST = 64  # games in one
AHEAD = 2  # tasks for each free place of a worker: one is played, the next one is there already
SLOW_S = 5.0  # of longer games none waits at a worker: another one may be free sooner
WEIGHT = 0.2  # of the newest task in what is thought of the time for a game


class Portions:
    """Sizes of tasks, by what games have taken so far."""

    def __init__(self) -> None:
        self.game_s: float | None = None  # on average; None: not known yet

    def note(self, games: int, seconds: float) -> None:
        """A task with so many games took so long at its worker."""
        if games < 1:
            return
        each = max(seconds, 0.0) / games
        self.game_s = each if self.game_s is None else (1 - WEIGHT) * self.game_s + WEIGHT * each

    @property
    def size(self) -> int:
        """Games in the next task."""
        if self.game_s is None:
            return 1
        return max(1, min(MOST, int(TASK_S / max(self.game_s, 1e-6))))

    @property
    def _ahead(self) -> int:
        return 1 if self.game_s is not None and self.game_s > SLOW_S else AHEAD

    def room(self, places: int, games: int) -> int:
        """Return how many more games may be handed out, where workers have `places` and `games` are with them."""
        return max(0, places * self._ahead * self.size - games)

    def worth(self, waiting: int, places: int, tasks: int) -> int:
        """Return how many of those that wait, and for which there is room, are sent now; `tasks` are out.

        While all places have something to do, only whole tasks are: else tasks would stay as small as they were when
        it was not known how long a game takes, each new one as large as the one that has just ended.
        """
        return waiting - waiting % self.size if tasks >= places * self._ahead else waiting

    def cut(self, waiting: Sequence[T], places: int, games: int) -> list[Sequence[T]]:
        """Those that wait, in portions: as large and as equal as may be, but so that all places get something to do.

        `games` are with the workers already.
        """
        count = len(waiting)
        if not count:
            return []
        share = -(-places * count // (count + games))  # of the places
        portions = max(-(-count // self.size), min(count, share))
        ends = [count * number // portions for number in range(portions + 1)]
        return [waiting[begin:end] for begin, end in pairwise(ends)]


# How often a game was tried whose tasks fail, and whether it is tried again. Pure.

TRIES = 4  # at so many a game is aborted: each failed task of it alone is one, after Dask's own tries,
KILLED = 2  # and one for which several workers have died is two


class Tries:
    """By match."""

    def __init__(self) -> None:
        self._alone: set[str] = set()
        self._tries: Counter[str] = Counter()

    def failed(self, matches: Iterable[str], error: Exception) -> None:
        """A task with these games has no result: they are handed out one by one, to tell whose fault it is."""
        found = [*matches]
        if len(found) == 1:
            self._tries.update(found * (KILLED if _is_killed(error) else 1))
        self._alone.update(found)

    def hung(self, matches: Iterable[str]) -> None:
        """These have taken longer than their clocks allow."""
        self._tries.update([*matches] * KILLED)

    def alone(self, match: str) -> bool:
        """Return whether the game is handed out by itself."""
        return match in self._alone

    def spent(self, match: str) -> bool:
        """Return whether the game was tried often enough."""
        return self._tries[match] >= TRIES

    def forget(self, match: str) -> None:
        """It is over."""
        self._alone.discard(match)
        self._tries.pop(match, None)


def why_failed(error: Exception) -> str:
    """Return why a task has no result, in a sentence for the match that it played."""
    if _is_killed(error):
        workers = getattr(error, "last_worker", None)
        where = f", the last one {workers.address}" if workers is not None else ""
        return printable(f"the workers that played it died, {getattr(error, 'allowed_failures', 0) + 1} of them{where}")
    return printable(f"its worker failed: {type(error).__name__}: {error}")


def _is_killed(error: Exception) -> bool:
    return type(error).__name__ == "KilledWorker"  # Dask's, which is not imported for its name alone


# Bots that no worker can play with: the event goes on without one, or ends.

GoesOn = Callable[[str, str], Awaitable[bool]]  # of a bot, and why no worker can play with it


class Unplayables:
    """Asks once for each bot, as `processes.Bots` does at home. `failed` has a result when nothing goes on."""

    def __init__(self, goes_on: GoesOn, say: Callable[[str], None]) -> None:
        self._goes_on, self._say = goes_on, say
        self._asked: dict[str, asyncio.Future[bool]] = {}
        self.failed: asyncio.Future[BotFailed] = asyncio.get_running_loop().create_future()

    async def goes_on(self, bot: str, why: str) -> bool:
        """Return whether the others play on; then the bot stays away."""
        if bot not in self._asked:
            self._asked[bot] = asyncio.ensure_future(self._ask(bot, why))
        return await self._asked[bot]

    async def _ask(self, bot: str, why: str) -> bool:
        if await self._goes_on(bot, why):
            self._say(f"{why}\n{bot} stays away")
            return True
        self.fail(why)
        return False

    def fail(self, why: str) -> None:
        """Nothing goes on."""
        if not self.failed.done():
            self.failed.set_result(BotFailed(why))
