"""Whether the server is well, part by part: what is wrong, how bad that is, and since when.

Looking costs nothing but one small question to the database, which is asked only when somebody wants to know; the rest
is looked at every second, so that `since` is right.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from palio_db.errors import StoreError
from palio_server.metrics import LoopLag
from palio_server.parts import ServerParts

Status = Literal["ok", "degraded", "failing"]

LOOK_S = 1.0  # between two looks at what can be seen without asking anybody
DATABASE_S = 2.0  # a database that takes longer to answer counts as not there
BEHIND = 10_000  # plies that wait for the journal: seconds of what a busy server plays
BEHIND_S = 5.0  # it writes ten times a second
LATE_S, TOO_LATE_S = 0.25, 2.0  # the loop, in the last ten seconds: people notice; bots take it for dead
OWN = ("server", "loop", "disk")  # parts of this process alone; the others it shares with its neighbours


class Found(NamedTuple):
    """What a look at one part has found; `reason` says what is wrong with it, or about to be."""

    name: str
    status: Status = "ok"
    reason: str = ""


class Standing(NamedTuple):
    """How one part is, and since when."""

    name: str
    status: Status
    reason: str
    since: datetime


class HealthWatch:
    """Looks at the parts of a server, and remembers since when each is as it is."""

    def __init__(
        self, parts: ServerParts, lag: LoopLag | None = None, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self.lag = lag or LoopLag()
        self._parts, self._now = parts, now
        self._known: dict[str, Standing] = {}

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            self.look()
            await asyncio.sleep(LOOK_S)

    def look(self) -> list[Standing]:
        """All parts but the database, which would have to be asked."""
        parts = self._parts
        found = [_server(parts), *_store(parts), *_arena(parts), *_broker(parts), _loop(self.lag)]
        return [self._note(each) for each in found]

    async def look_at_all(self) -> list[Standing]:
        """All parts."""
        database = self._note(await _database(self._parts))
        first, *others = self.look()
        return [first, database, *others]

    def ready(self) -> list[Standing]:
        """Why nobody new should be sent here: those of our own parts that fail. Empty: all is well.

        What this server shares with others is not among them: with the database away there is no better server to
        send anybody to, and play goes on.
        """
        return [each for each in self.look() if each.name in OWN and each.status == "failing"]

    def _note(self, found: Found) -> Standing:
        known = self._known.get(found.name)
        since = self._now() if known is None or known.status != found.status else known.since
        standing = self._known[found.name] = Standing(*found, since)
        return standing


def worst(found: list[Standing]) -> Status:
    """How the whole is."""
    here = {each.status for each in found}
    return "failing" if "failing" in here else "degraded" if "degraded" in here else "ok"


def _server(parts: ServerParts) -> Found:
    stopping = parts.lobby.stopping
    return Found("server") if stopping is None else Found("server", "failing", stopping.reason)


async def _database(parts: ServerParts) -> Found:
    try:
        async with asyncio.timeout(DATABASE_S):
            await parts.store.matches(limit=1)
    except StoreError as error:
        return Found("database", "failing", _public(parts, str(error)))
    except TimeoutError:
        return Found("database", "failing", f"no answer within {DATABASE_S:g} s")
    return Found("database")


def _store(parts: ServerParts) -> Iterator[Found]:
    """Whether what is written is taken, and kept."""
    watch, journal, trouble = parts.arena.watch, parts.arena.journal, parts.store.write_error
    yield Found("writes", "failing", _public(parts, trouble)) if trouble else Found("writes")
    if watch.no_room:
        yield Found("disk", "failing", watch.no_room)
    else:
        yield Found("disk", "degraded", watch.warning) if watch.warning else Found("disk")
    if journal.cut:
        yield Found("journal", "failing", f"no room in memory for all plies of {journal.cut} matches")
    elif journal.waiting > BEHIND or journal.behind_s > BEHIND_S:
        behind = f"{journal.waiting:,} plies wait to be written, the oldest for {journal.behind_s:.0f} s"
        yield Found("journal", "degraded", behind)
    else:
        yield Found("journal")


def _arena(parts: ServerParts) -> Iterator[Found]:
    """Whether matches are begun, and those that are played stay ours."""
    arena = parts.arena
    if not parts.settings.plays:
        return
    if not arena.taken_up:
        yield Found("arena", "degraded", "former matches wait to be taken up")
    elif arena.watch.trouble:
        yield Found("arena", "degraded", "no match begins until the database takes what is written")
    else:
        yield Found("arena")
    late_s, lease_s = time.monotonic() - arena.leases.renewed_at, arena.leases.lease_s
    if not arena.playing() or late_s < lease_s * 2 / 3:
        yield Found("leases")
    else:
        status: Status = "failing" if late_s > lease_s else "degraded"
        held = f"the leases of {len(arena.playing())} matches were renewed {late_s:.0f} s ago, they last {lease_s:g} s"
        yield Found("leases", status, held)


def _broker(parts: ServerParts) -> Iterator[Found]:
    if parts.settings.mqtt is not None:
        away = "the broker is away; bots and viewers there wait"
        yield Found("broker") if parts.bus.connected else Found("broker", "failing", away)


def _loop(lag: LoopLag) -> Found:
    late_s = lag.worst_s
    if late_s < LATE_S:
        return Found("loop")
    status: Status = "failing" if late_s >= TOO_LATE_S else "degraded"
    return Found("loop", status, f"the event loop was late by {late_s:.2f} s in the last seconds; the machine is busy")


def _public(parts: ServerParts, reason: str) -> str:
    """The sentence for everybody: where the database lies is the operator's business, and in the log."""
    return reason.replace(f"cannot use {parts.store.url}: ", "").replace(parts.store.url, "the database")
