"""Who plays which match: claims under a lease with a fencing epoch, and the journal of what they have played.

A worker holds a match until its lease is over. Whoever claims it next raises `epoch`, and from then on every write of
the former holder finds nothing to change (Kleppmann, "Designing Data-Intensive Applications", 2017, on fencing
tokens). `group.py` has the transactions.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial

from palio_db.columns import checked, now
from palio_db.connections import Sql
from palio_db.group import put_back, take_over, take_over_these
from palio_db.playable import bots_of
from palio_db.store_part import StorePart
from palio_db.values import Claim, JournalEntry, Orphan
from palio_db.work import Alone, Claiming, ClaimingThese, Journaling, Releasing, Renewing, lines_of, read
from palio_rules.records.record import Ply, RejectedMove

ORPHANS = Sql.of(
    "SELECT id, game, seat0, others, tournament, lease_until, lease_until - {clock} "
    "FROM matches WHERE status = 'running' AND lease_until < {clock} + ? ORDER BY id"
)


class Claims(StorePart):
    """Claiming, keeping and giving back matches."""

    async def claim(
        self,
        worker: str,
        lease_s: float,
        *,
        free: Mapping[str, Collection[str]] | None = None,
        tournament: int | None = None,
    ) -> Claim | None:
        """Claim the oldest scheduled match all of whose bots are free; None if there is none.

        `free` maps a game to the bots that can play it now; None: any match will do. No two callers, in whatever
        processes, get the same match.
        """
        claims = await self._claim(Claiming(checked("the worker", worker), lease_s, _known(free), tournament, now()))
        return claims[0] if claims else None

    async def claim_some(
        self, worker: str, lease_s: float, most: int, *, free: Mapping[str, Collection[str]], tournament: int | None
    ) -> list[Claim]:
        """Claim at most so many of the oldest scheduled matches all of whose bots are free; no bot is in two of them.

        At least one, if there is one. To look for them takes as long for many as for one.
        """
        return await self._claim(
            Claiming(checked("the worker", worker), lease_s, _known(free), tournament, now(), most)
        )

    async def _claim(self, work: Claiming) -> list[Claim]:
        if work.free is not None and not work.free:
            return []
        claims: list[Claim] = await self._database.do(work)
        return claims

    async def claim_these(self, worker: str, lease_s: float, matches: Collection[str]) -> list[Claim]:
        """Claim those of `matches` that are still scheduled, in one transaction; oldest first."""
        if not matches:
            return []
        work = ClaimingThese(checked("the worker", worker), lease_s, tuple(matches), now())
        claims: list[Claim] = await self._database.do(work)
        return claims

    async def reclaim(self, worker: str, lease_s: float, *, own: bool = True, lapsed: bool = True) -> list[Claim]:
        """Take over matches whose lease is over, if `lapsed`, each with its journal; oldest first.

        With `own`, also whatever runs under this worker's name: for a worker that has just started, and knows that
        its former self is dead.
        """
        work = Claiming(checked("the worker", worker), lease_s, None, None, now())
        claims: list[Claim] = await self._database.do(Alone(partial(take_over, work=work, own=own, lapsed=lapsed)))
        return claims

    async def orphans(self, within_s: float) -> list[Orphan]:
        """The running matches whose lease is over, or will be within so many seconds if it is not renewed; by age."""
        rows = await self._database.ask(lambda connection: connection.rows(ORPHANS, (within_s,)))
        return [
            Orphan(match, game, (seat0, *bots_of(others)), tournament, until, left_s)
            for match, game, seat0, others, tournament, until, left_s in rows
        ]

    async def take_over(self, worker: str, lease_s: float, matches: Collection[str]) -> list[Claim]:
        """Take over those of `matches` whose lease is over, each with its journal; oldest first.

        No two callers get the same one; a renewal that comes first keeps its match.
        """
        if not matches:
            return []
        work = ClaimingThese(checked("the worker", worker), lease_s, tuple(matches), now())
        claims: list[Claim] = await self._database.do(Alone(partial(take_over_these, work=work)))
        return claims

    async def put_back(self, matches: Collection[str], after_s: float) -> list[str]:
        """Schedule those of `matches` again whose lease has been over for `after_s` seconds; which were they?"""
        asked = tuple(matches)
        if not asked:
            return []
        found: list[str] = await self._database.do(Alone(partial(put_back, matches=asked, after_s=after_s)))
        return found

    async def renew(self, claims: Iterable[Claim], lease_s: float) -> set[str]:
        """Extend the leases of `claims` to `lease_s` seconds from now; the matches that are still held."""
        held = {(claim.match, claim.epoch) for claim in claims}
        kept: set[str] = await self._database.do(Renewing(held, lease_s)) if held else set()
        return kept

    async def release(self, claim: Claim) -> bool:
        """Give a match back, to be claimed by anyone, with what the journal has of it; False if it was not held."""
        released: bool = await self._database.do(Releasing(claim.match, claim.epoch))
        return released

    async def played_so_far(self, match: str) -> tuple[tuple[Ply, ...], tuple[RejectedMove, ...]]:
        """What the journal has of a match, whoever plays it: its plies and its rejected moves. Raises Unreadable."""
        found: tuple[tuple[Ply, ...], tuple[RejectedMove, ...]] = await self._database.ask(
            lambda connection: read(connection, match)
        )
        return found

    async def journal(self, entries: Sequence[JournalEntry]) -> None:
        """Keep what has been played, of many matches in one transaction; twice is as good as once.

        Entries of matches that are no longer held under their epoch are left out: their worker learns of it when it
        renews or finishes.
        """
        if entries:
            await self._database.do(Journaling(lines_of(entries)))


def _known(free: Mapping[str, Collection[str]] | None) -> dict[str, frozenset[str]] | None:
    """A copy: the caller's may change while another thread looks at them."""
    return None if free is None else {game: frozenset(bots) for game, bots in free.items() if bots}
