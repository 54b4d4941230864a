"""The health of the server, part by part: the fault, its severity, and since when.

Looking costs only one small query to the database, which is made only on request; the rest is looked at every second,
so that `since` is right.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from palio_db.errors import StoreError
from palio_server.app_state import ServerParts
from palio_server.metrics import LoopLag

Status = Literal["ok", "degraded", "failing"]

LOOK_S = 1.0  # seconds between two looks at the parts that need no query
DATABASE_S = 2.0  # seconds; a database that takes longer to answer counts as unavailable
BEHIND = 10_000  # plies that wait for the journal: a busy server plays as many in seconds
BEHIND_S = 5.0  # seconds; the journal writes ten times a second
# seconds by which the loop was late, in the last ten seconds: people notice; bots take it for dead
LATE_S, TOO_LATE_S = 0.25, 2.0
OWN = ("server", "loop", "disk")  # parts of this process alone; it shares the others with other servers


class PartFinding(NamedTuple):
    """The result of one look at one part; `reason` says what is wrong with it, or about to be."""

    name: str
    status: Status = "ok"
    reason: str = ""


class PartStatus(NamedTuple):
    """The status of one part, and since when."""

    name: str
    status: Status
    reason: str
    since: datetime


class HealthWatch:
    """The watch over the parts of a server, which remembers since when each has its status."""

    def __init__(
        self, parts: ServerParts, lag: LoopLag | None = None, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self.lag = lag or LoopLag()
        self._parts, self._now = parts, now
        self._known: dict[str, PartStatus] = {}

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            self.look()
            await asyncio.sleep(LOOK_S)

    def look(self) -> list[PartStatus]:
        """Return all parts but the database, which would need a query."""
        parts = self._parts
        found = [_server(parts), *_store(parts), *_arena(parts), *_broker(parts), _loop(self.lag)]
        return [self._note(each) for each in found]

    async def look_at_all(self) -> list[PartStatus]:
        """Return all parts."""
        database = self._note(await _database(self._parts))
        first, *others = self.look()
        return [first, database, *others]

    def ready(self) -> list[PartStatus]:
        """Return those of our own parts that fail, so that no new client should be sent here. Empty if all is well.

        Parts shared with other servers are not included: without the database no other server is better, and play goes
        on.
        """
        return [each for each in self.look() if each.name in OWN and each.status == "failing"]

    def _note(self, found: PartFinding) -> PartStatus:
        known = self._known.get(found.name)
        since = self._now() if known is None or known.status != found.status else known.since
        standing = self._known[found.name] = PartStatus(*found, since)
        return standing


def worst(found: list[PartStatus]) -> Status:
    """Return the status of the whole."""
    here = {each.status for each in found}
    return "failing" if "failing" in here else "degraded" if "degraded" in here else "ok"


def _server(parts: ServerParts) -> PartFinding:
    stopping = parts.lobby.stopping
    return PartFinding("server") if stopping is None else PartFinding("server", "failing", stopping.reason)


async def _database(parts: ServerParts) -> PartFinding:
    try:
        async with asyncio.timeout(DATABASE_S):
            await parts.store.matches(limit=1)
    except StoreError as error:
        return PartFinding("database", "failing", _public(parts, str(error)))
    except TimeoutError:
        return PartFinding("database", "failing", f"no answer within {DATABASE_S:g} s")
    return PartFinding("database")


def _store(parts: ServerParts) -> Iterator[PartFinding]:
    """Check that writes are accepted, and kept."""
    watch, journal, trouble = parts.arena.watch, parts.arena.journal, parts.store.write_error
    yield PartFinding("writes", "failing", _public(parts, trouble)) if trouble else PartFinding("writes")
    if watch.no_room:
        yield PartFinding("disk", "failing", watch.no_room)
    else:
        yield PartFinding("disk", "degraded", watch.warning) if watch.warning else PartFinding("disk")
    if journal.cut:
        yield PartFinding("journal", "failing", f"no room in memory for all plies of {journal.cut} matches")
    elif journal.waiting > BEHIND or journal.behind_s > BEHIND_S:
        behind = f"{journal.waiting:,} plies wait to be written, the oldest for {journal.behind_s:.0f} s"
        yield PartFinding("journal", "degraded", behind)
    else:
        yield PartFinding("journal")


def _arena(parts: ServerParts) -> Iterator[PartFinding]:
    """Check that matches are begun, and that those in play stay ours."""
    arena = parts.arena
    if not parts.settings.plays:
        return
    if not arena.taken_up:
        yield PartFinding("arena", "degraded", "former matches wait to be taken up")
    elif arena.watch.trouble:
        yield PartFinding("arena", "degraded", "no match begins until the database takes what is written")
    else:
        yield PartFinding("arena")
    late_s, lease_s = time.monotonic() - arena.leases.renewed_at, arena.leases.lease_s
    if not arena.playing() or late_s < lease_s * 2 / 3:
        yield PartFinding("leases")
    else:
        status: Status = "failing" if late_s > lease_s else "degraded"
        held = f"the leases of {len(arena.playing())} matches were renewed {late_s:.0f} s ago, they last {lease_s:g} s"
        yield PartFinding("leases", status, held)


def _broker(parts: ServerParts) -> Iterator[PartFinding]:
    if parts.settings.mqtt is not None:
        away = "the broker is away; bots and viewers there wait"
        yield PartFinding("broker") if parts.bus.connected else PartFinding("broker", "failing", away)


def _loop(lag: LoopLag) -> PartFinding:
    late_s = lag.worst_s
    if late_s < LATE_S:
        return PartFinding("loop")
    status: Status = "failing" if late_s >= TOO_LATE_S else "degraded"
    return PartFinding(
        "loop", status, f"the event loop was late by {late_s:.2f} s in the last seconds; the machine is busy"
    )


def _public(parts: ServerParts, reason: str) -> str:
    """Return the sentence for the public: the database's address is for the operator only, in the log."""
    return reason.replace(f"cannot use {parts.store.url}: ", "").replace(parts.store.url, "the database")
