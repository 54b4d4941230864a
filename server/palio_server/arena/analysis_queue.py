"""A queue of finished matches to analyse: one after the other, each in a process of its own.

Any reader of a match may request its analysis: the answer is public, computed once and then kept. Its cost to the
server is bounded, for all requests together, by one low-priority process, a short queue and a time limit. The queue is
in memory: after a restart the analysis must be requested again.
"""

import asyncio
import logging
import os
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Literal, TypeVar

import msgspec

from palio_db.errors import StoreError
from palio_db.store import Store
from palio_rules.contract.topics import match_event
from palio_rules.instances.effort import Effort, within
from palio_rules.records.record import Analysis, JudgedPly, Record
from palio_server import live
from palio_server.arena.journal import until_database_answers
from palio_server.bus import Bus
from palio_server.processes.hint_process import JudgeFailed, judging, positions

log = logging.getLogger(__name__)

LONGEST = 20  # matches that wait
EACH_S = 0.5  # seconds for one position, at most: the same as in `palio analyse`
LIMIT_S = 120.0  # seconds for one match, roughly: long matches get less for each position
GRACE_S = 30.0  # seconds beyond the limit, to compile a search for the first time; then it ends with the results so far
GOODBYE_S = 5.0  # seconds from SIGTERM to SIGKILL: it stops within a position
FAILURES = 100  # failures that are remembered

AnalysisPhase = Literal["none", "queued", "running", "done", "failed"]


class QueueFull(Exception):
    """Too many matches wait already; the message says so."""


class AnalysisState(msgspec.Struct, frozen=True):
    """The progress of the analysis of `match`. `ahead`: matches that come first; `note`: why it failed."""

    match: str
    state: AnalysisPhase
    ahead: int = 0
    judged: int = 0
    positions: int = 0
    note: str = ""


class AnalysisQueue:
    """The matches that wait for analysis, and the one that is being analysed."""

    def __init__(self, store: Store, bus: Bus, *, longest: int = LONGEST, limit_s: float = LIMIT_S) -> None:
        self._store, self._bus, self._longest, self._limit_s = store, bus, longest, limit_s
        self._waiting: OrderedDict[str, Record] = OrderedDict()
        self._running: AnalysisState | None = None
        self._failed: OrderedDict[str, str] = OrderedDict()
        self._asked = asyncio.Event()

    def state(self, match: str, *, kept: bool) -> AnalysisState:
        """Return its progress; `kept`: the store has an analysis."""
        if self._running is not None and self._running.match == match:
            return self._running
        if match in self._waiting:
            ahead = list(self._waiting).index(match) + (self._running is not None)
            return AnalysisState(match, "queued", ahead, positions=positions(self._waiting[match]))
        if kept:
            return AnalysisState(match, "done")
        if match in self._failed:
            return AnalysisState(match, "failed", note=self._failed[match])
        return AnalysisState(match, "none")

    def ask(self, record: Record) -> AnalysisState:
        """Put a match into the queue, unless it is there. Raises QueueFull."""
        match = record.match
        if self.state(match, kept=False).state in ("queued", "running"):
            return self.state(match, kept=False)
        if len(self._waiting) >= self._longest:
            raise QueueFull(f"{self._longest} matches wait to be analysed already; ask again in a few minutes")
        self._failed.pop(match, None)
        self._waiting[match] = record
        self._asked.set()
        return self.state(match, kept=False)

    async def run(self) -> None:
        """Analyse the queued matches until cancelled; then none of its processes is left."""
        while True:
            await self._asked.wait()
            if not self._waiting:
                self._asked.clear()
                continue
            match, record = self._waiting.popitem(last=False)
            self._running = AnalysisState(match, "running", positions=positions(record))
            try:
                await self._analyse(record)
            except (JudgeFailed, StoreError, OSError, ValueError) as error:
                log.warning("match %s could not be analysed: %s", match, error, extra={"match": match})
                self._fail(match, str(error))
            finally:
                self._running = None

    async def _analyse(self, record: Record) -> None:
        plies = await self._judged(record)
        if not plies:
            raise JudgeFailed("no position was judged within the limit of time")
        plies.sort(key=lambda ply: ply.ply)
        complete = len(plies) == positions(record)
        analysis = Analysis(record.match, self._each_s(record), tuple(plies), complete=complete)
        await until_database_answers("an analysis waits to be kept", lambda: self._store.keep_analysis(analysis))
        analysed = live.Analysed(record.match)
        self._bus.publish(match_event(record.match), msgspec.json.encode(analysed), analysed)

    async def _judged(self, record: Record) -> list[JudgedPly]:
        """Return the plies judged within the time limit."""
        plies: list[JudgedPly] = []
        async with judging(self._each_s(record), GOODBYE_S) as judge:
            with suppress(OSError):  # it has ended already
                os.setpriority(os.PRIO_PROCESS, judge.pid, 10)  # matches have priority
            limit = asyncio.get_running_loop().call_later(self._limit_s + GRACE_S, judge.stop)
            try:
                async for ply in judge.plies(record):
                    plies.append(ply)
                    assert self._running is not None
                    self._running = msgspec.structs.replace(self._running, judged=len(plies))
            finally:
                limit.cancel()
        return plies

    def _each_s(self, record: Record) -> float:
        return round(min(EACH_S, self._limit_s / positions(record)), 3) or 0.001

    def _fail(self, match: str, why: str) -> None:
        self._failed[match] = why
        while len(self._failed) > FAILURES:
            self._failed.popitem(last=False)


# Openings and instances are searched for in a thread, and only while the caller waits for them.

T = TypeVar("T")


async def search_in_thread(search: Callable[[], T], effort: Effort | None = None) -> T:
    """Return the result of `search`, run in a thread while the event loop goes on. Cancelling ends the search, which
    `effort` may limit.

    Raises what `search` raises, and TooMuchWork if the effort is used up.
    """
    effort = effort or Effort()
    with within(effort):
        try:
            return await asyncio.to_thread(search)
        finally:
            effort.stop()
