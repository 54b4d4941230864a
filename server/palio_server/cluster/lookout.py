"""Tells workers which games somebody looks at, and that we are there; finds out which workers hang."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable

from palio_server.cluster import worker
from palio_server.cluster.fleet import Fleet
from palio_server.cluster.shown_games import ShownGames
from palio_server.cluster.tasks_out import TasksOut
from palio_server.cluster.tries import Tries

log = logging.getLogger(__name__)

WATCH_S = 0.25  # between two looks at who looks at what
SIGN_S = 15.0  # workers hear at least so often that we are there
TELL_S = 5.0  # for a worker to be told

TakeBack = Callable[[Iterable[str], str], Awaitable[None]]  # with the keys of tasks, and why


class Lookout:
    """`run` looks until it is cancelled; `take_back` has the games of a worker that is given up played elsewhere."""

    def __init__(self, fleet: Fleet, shown: ShownGames, tasks: TasksOut, tries: Tries, take_back: TakeBack) -> None:
        self._fleet, self._shown, self._tasks, self._tries = fleet, shown, tasks, tries
        self._take_back = take_back

    async def run(self) -> None:
        watched: dict[str, set[str]] = {}
        signed = 0.0
        while True:
            await asyncio.sleep(WATCH_S)
            now = asyncio.get_running_loop().time()
            wanted: dict[str, set[str]] = defaultdict(set)
            for match in self._shown.wanted():
                if (task := self._tasks.of(match)) is not None and task.worker:
                    wanted[task.worker].add(match)
            if now > signed + SIGN_S:
                signed = now
                await self._tell(wanted, self._fleet.cores)
            else:
                changed = [each for each in {*wanted, *watched} if wanted.get(each) != watched.get(each)]
                await self._tell(wanted, changed)
            watched = {**wanted}
            await self._give_up_hanging(now)

    async def _tell(self, wanted: dict[str, set[str]], workers: Iterable[str]) -> None:
        work = [self._fleet.tell(worker.watch, sorted(wanted.get(each, ())), of=[each]) for each in [*workers]]
        for outcome in await asyncio.gather(*(asyncio.wait_for(each, TELL_S) for each in work), return_exceptions=True):
            if isinstance(outcome, Exception):
                log.info("a worker could not be told who looks: %s", outcome)

    async def _give_up_hanging(self, now: float) -> None:
        hanging = dict.fromkeys(self._fleet.silent(), "it says nothing any more")
        for address, late in self._tasks.late(now):
            hanging[address] = f"match {late[0]} takes longer than its clocks allow"
            self._tries.hung(late)
        for address, why in hanging.items():
            await self._take_back(self._tasks.of_worker(address), why)
            await self._fleet.give_up(address, why)
