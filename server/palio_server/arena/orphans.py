"""Matches that another server has let go of: which of them this one takes over, for which it keeps bots free.

An orphan is a running match whose lease is over, by the database's clock. It has begun, so people watch it and bots
wait in it: it comes before every new match, and is taken beside `concurrency` where there is no room, because to wait
until a slot gets free might take as long as a match does. Servers with room are given a moment to come first.

One whose bots are not here is left to the server that has them. If nobody has, it goes back to the list of scheduled
matches after a while, where it is the oldest, and nothing waits for it any more.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from math import inf

from palio_db.store import Store
from palio_db.values import Orphan

LOOK_S = 1.0  # between two looks while there are orphans; a lease's end that is foreseen is not waited for so long
IDLE_LOOK_S = 5.0  # between two looks otherwise, or a fifth of a lease: no healthy one can be over before the next
SOON_S = 0.05  # between two looks, at the least
SUSPECT = 0.6  # of a lease: less is left only where a renewal has failed, since they are renewed after a third
POLITE_S = 1.0  # after the end of a lease: then also those take it over who have no room
PUT_BACK_S = 10.0  # after the end of a lease, or as long as one is: nobody has its bots, or they play something else
BATCH = 32  # taken over at once: many orphans are for all servers that live, and they take turns
BESIDE = 32  # matches that a server may have beside `concurrency`, or as many again as that is, if that is more


@dataclass(frozen=True, slots=True)
class Here:
    """What a server knows of its own bots and room."""

    is_here: Callable[[str], bool]
    is_free: Callable[[str, str], bool]  # with a bot and a game
    room: int  # matches that it may begin
    beside: int  # orphans that it may begin, room or not
    is_kept: Callable[[str, str], bool] = lambda _bot, _match: False  # a slot of the bot is kept for that match


@dataclass(slots=True)
class Plan:
    """What a look comes to."""

    take: list[str] = field(default_factory=list)  # oldest first, no two with a bot in common
    put_back: list[str] = field(default_factory=list)
    held: set[str] = field(default_factory=set)  # bots that begin nothing new, for an orphan's sake
    again_s: float = inf  # when to look again


def plan(orphans: Sequence[Orphan], here: Here, put_back_s: float = PUT_BACK_S) -> Plan:
    """What to do about `orphans`, oldest first; those whose lease is not over yet are expected to become some."""
    found = Plan()
    taken: set[str] = set()  # the bots of those that are to be taken
    for orphan in orphans:
        over_s = -orphan.left_s
        if over_s >= put_back_s:
            found.put_back.append(orphan.match)
            continue
        if not all(map(here.is_here, orphan.bots)):
            continue
        found.held.update(orphan.bots)
        if over_s <= 0:
            found.again_s = min(found.again_s, max(SOON_S, orphan.left_s))
            continue
        if not taken.isdisjoint(orphan.bots):  # perhaps it has another free slot, which is known when the first is used
            found.again_s = min(found.again_s, SOON_S)
            continue
        if not all(here.is_kept(bot, orphan.match) or here.is_free(bot, orphan.game) for bot in orphan.bots):
            continue
        if len(found.take) < min(BATCH, here.room if over_s < POLITE_S else max(here.room, here.beside)):
            found.take.append(orphan.match)
            taken.update(orphan.bots)
        elif len(found.take) == BATCH:
            found.again_s = SOON_S
        elif over_s < POLITE_S:
            found.again_s = min(found.again_s, POLITE_S - over_s)
    return found


class Orphans:
    """Looks for them in the database. `held`: the bots that shall begin nothing new now."""

    def __init__(self, store: Store, lease_s: float) -> None:
        self._store, self._lease_s = store, lease_s
        self._put_back_s = min(PUT_BACK_S, lease_s)
        self._seen: dict[str, float] = {}  # those of the last look, and until when their leases were
        self.held: Collection[str] = frozenset()

    async def look(self, here: Here, ours: Collection[str], tournament: int | None = None) -> Plan:
        """What to do now about all but `ours`; of one tournament only, if given. Raises StoreError."""
        found = [
            orphan
            for orphan in await self._store.orphans(SUSPECT * self._lease_s)
            if orphan.match not in ours and tournament in (None, orphan.tournament)
        ]
        # A server with a shorter lease is no suspect: it renews it between two looks.
        unchanged = [o for o in found if o.left_s < 0 or self._seen.get(o.match) == o.lease_until]
        self._seen = {orphan.match: orphan.lease_until for orphan in found}
        planned = plan(unchanged, here, self._put_back_s)
        if len(unchanged) < len(found):
            planned.again_s = min([planned.again_s, *(max(SOON_S, o.left_s) for o in found)])
        rest = LOOK_S if found else min(IDLE_LOOK_S, self._lease_s / 5)
        planned.again_s = min(planned.again_s, rest)
        self.held = frozenset(planned.held)
        if planned.put_back:
            await self._store.put_back(planned.put_back, self._put_back_s)
        return planned
