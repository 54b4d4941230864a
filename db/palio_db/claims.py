"""Claims of matches under a lease with a fencing token (`epoch`), and the journal of the plies of running matches.

A worker holds a match until its lease ends. The next claim raises `epoch`, and from then on every write of the former
holder changes no row (Kleppmann, "Designing Data-Intensive Applications", 2017, on fencing tokens). `group.py` has the
transactions.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial

from palio_db.columns import checked, now
from palio_db.connections import Sql
from palio_db.group import reschedule, take_over, take_over_these
from palio_db.playable import bots_of
from palio_db.store_part import StorePart
from palio_db.values import Claim, JournalEntry, Orphan
from palio_db.work import Claiming, ClaimingThese, Exclusive, Journaling, Releasing, Renewing, lines_of, read
from palio_rules.records.record import Ply, RejectedMove

ORPHANS = Sql.of(
    "SELECT id, game, seat0, others, tournament, lease_until, lease_until - {clock} "
    "FROM matches WHERE status = 'running' AND lease_until < {clock} + ? ORDER BY id"
)


class Claims(StorePart):
    """Claiming, renewing and releasing of matches."""

    async def claim(
        self,
        worker: str,
        lease_s: float,
        *,
        free: Mapping[str, Collection[str]] | None = None,
        tournament: int | None = None,
    ) -> Claim | None:
        """Claim the oldest scheduled match whose bots are all free; None if there is none.

        `free` maps a game to the bots that can play it now; None: every match qualifies. No two callers, in any
        processes, get the same match.
        """
        claims = await self._claim(Claiming(checked("the worker", worker), lease_s, _known(free), tournament, now()))
        return claims[0] if claims else None

    async def claim_some(
        self, worker: str, lease_s: float, most: int, *, free: Mapping[str, Collection[str]], tournament: int | None
    ) -> list[Claim]:
        """Claim at most `most` of the oldest scheduled matches whose bots are all free; no bot is in two of them.

        Claims at least one, if there is one. The search takes as long for many as for one.
        """
        return await self._claim(
            Claiming(checked("the worker", worker), lease_s, _known(free), tournament, now(), most)
        )

    async def _claim(self, work: Claiming) -> list[Claim]:
        if work.free is not None and not work.free:
            return []
        claims: list[Claim] = await self._database.submit(work)
        return claims

    async def claim_these(self, worker: str, lease_s: float, matches: Collection[str]) -> list[Claim]:
        """Claim those of `matches` that are still scheduled, in one transaction; oldest first."""
        if not matches:
            return []
        work = ClaimingThese(checked("the worker", worker), lease_s, tuple(matches), now())
        claims: list[Claim] = await self._database.submit(work)
        return claims

    async def reclaim(self, worker: str, lease_s: float, *, own: bool = True, lapsed: bool = True) -> list[Claim]:
        """Take over matches whose lease has ended, if `lapsed`, each with its journal; oldest first.

        With `own`, also take all running matches under this worker's name: for a worker that has just started, whose
        former process is dead.
        """
        work = Claiming(checked("the worker", worker), lease_s, None, None, now())
        claims: list[Claim] = await self._database.submit(
            Exclusive(partial(take_over, work=work, own=own, lapsed=lapsed))
        )
        return claims

    async def orphans(self, within_s: float) -> list[Orphan]:
        """Return the running matches whose lease has ended or ends within `within_s` seconds; by age."""
        rows = await self._database.query(lambda connection: connection.rows(ORPHANS, (within_s,)))
        return [
            Orphan(match, game, (seat0, *bots_of(others)), tournament, until, left_s)
            for match, game, seat0, others, tournament, until, left_s in rows
        ]

    async def take_over(self, worker: str, lease_s: float, matches: Collection[str]) -> list[Claim]:
        """Take over those of `matches` whose lease has ended, each with its journal; oldest first.

        No two callers get the same match; a renewal that comes first keeps its match.
        """
        if not matches:
            return []
        work = ClaimingThese(checked("the worker", worker), lease_s, tuple(matches), now())
        claims: list[Claim] = await self._database.submit(Exclusive(partial(take_over_these, work=work)))
        return claims

    async def reschedule(self, matches: Collection[str], after_s: float) -> list[str]:
        """Schedule those of `matches` again whose lease ended at least `after_s` seconds ago, and return them."""
        asked = tuple(matches)
        if not asked:
            return []
        found: list[str] = await self._database.submit(Exclusive(partial(reschedule, matches=asked, after_s=after_s)))
        return found

    async def renew(self, claims: Iterable[Claim], lease_s: float) -> set[str]:
        """Extend the leases of `claims` to `lease_s` seconds from now; return the matches that are still held."""
        held = {(claim.match, claim.epoch) for claim in claims}
        kept: set[str] = await self._database.submit(Renewing(held, lease_s)) if held else set()
        return kept

    async def release(self, claim: Claim) -> bool:
        """Release a match with its journal, for any worker to claim; return False if it was not held."""
        released: bool = await self._database.submit(Releasing(claim.match, claim.epoch))
        return released

    async def played_so_far(self, match: str) -> tuple[tuple[Ply, ...], tuple[RejectedMove, ...]]:
        """Return a match's plies and rejected moves from the journal, for any worker. Raises Unreadable."""
        found: tuple[tuple[Ply, ...], tuple[RejectedMove, ...]] = await self._database.query(
            lambda connection: read(connection, match)
        )
        return found

    async def journal(self, entries: Sequence[JournalEntry]) -> None:
        """Store journal entries of many matches in one transaction; storing an entry twice is harmless.

        Entries of matches that are no longer held under their epoch are dropped: their worker learns of it when it
        renews or finishes.
        """
        if entries:
            await self._database.submit(Journaling(lines_of(entries)))


def _known(free: Mapping[str, Collection[str]] | None) -> dict[str, frozenset[str]] | None:
    """Copy the mapping, because the caller's may change while another thread reads it."""
    return None if free is None else {game: frozenset(bots) for game, bots in free.items() if bots}
