"""The choice of the matches to claim next: those of people whose bots are here, otherwise the oldest playable ones."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from operator import attrgetter

from palio_db.store import Store
from palio_db.values import Claim, Orphan, WaitingMatch
from palio_rules.contract.names import is_reserved
from palio_rules.records.record import Setup
from palio_rules.registry import game as rules_of
from palio_server.arena.event_turns import EventTurns, IsFree
from palio_server.arena.running_match import RunningMatch
from palio_server.lobby.lobby import Lobby

# The oldest matches that wait to be played, in memory, because every change asks for one that can begin.
#
# With thousands of bots, one becomes free a hundred times a second. The list in the database changes far less often:
# when a match is scheduled, on any server. So it is read then, and searched here.

PAGE = 256  # matches read at first; searching them takes some 30 microseconds
MOST = 8192  # read at the most, where many bots are free and none of their matches is among the first
FEW = 8  # free bots: the database finds their matches among any number sooner than more are read

FreeBots = Callable[[str], Collection[str]]  # the names of all free bots of a game


class WaitingList:
    """The first matches of the database's list, as they were read last.

    `look_s` returns after how many seconds the list is read again at the latest, because others schedule in the same
    database. `may_come`: whether a bot, in a game, will be free for a match some time.
    """

    def __init__(self, store: Store, look_s: Callable[[], float], may_come: IsFree = lambda _bot, _game: True) -> None:
        self._store, self._look_s, self._may_come = store, look_s, may_come
        self.turns = EventTurns()
        self.kept: frozenset[str] = frozenset()  # bots that wait for a match of an event that is due
        self._matches: dict[str, WaitingMatch] = {}  # oldest first
        self._by_first: dict[str, dict[str, list[WaitingMatch]]] = {}  # by game and first bot, if there are many
        self._page = PAGE
        self._whole = False  # True: the database has no others
        self._removed = False  # True: some of them have been claimed since
        self._of: int | None = None  # the tournament whose matches were read
        self._good_until = -inf

    def invalidate(self) -> None:
        """Reload the list from the database before the next claim, because it may have changed."""
        self._good_until = -inf

    @property
    def whole(self) -> bool:
        """True if every waiting match is in memory."""
        return self._whole

    async def playable(self, is_free: IsFree, free: FreeBots, most: int, tournament: int | None = None) -> list[str]:
        """Return the matches that begin next, at most `most`; `is_free` is for bots of `free`. Events take turns, and
        begin their oldest matches whose bots are all free.

        No two of them have a bot in common, since it may be free for one of them only: the list ends before. So these
        are the matches that would be claimed one by one. Raises StoreError.
        """
        if self._good_until <= asyncio.get_running_loop().time() or self._of != tournament:
            await self._read(tournament)
        found = self._choose(is_free, free, most)
        if not found and self._removed and not self._whole:  # others have moved up
            await self._read(tournament)
            found = self._choose(is_free, free, most)
        while not found and not self._whole and self._page < MOST and self._many(free):
            self._page = min(MOST, 4 * self._page)
            await self._read(tournament)
            found = self._choose(is_free, free, most)
        return found

    def _choose(self, is_free: IsFree, free: FreeBots, most: int) -> list[str]:
        waiting = [*self._matches.values()]
        found, self.kept = self.turns.choose(waiting, self._candidates(free), is_free, self._may_come, most)
        return found

    def remove(self, matches: Collection[str]) -> None:
        """Remove matches that are claimed, on any server."""
        for match in matches:
            if (begun := self._matches.pop(match, None)) is not None:
                self.turns.begun(begun)
        self._removed = True

    def _candidates(self, free: FreeBots) -> Collection[WaitingMatch]:
        """Return the matches to search, oldest first; of many only those whose first bot is free."""
        if not self._by_first:
            return self._matches.values()
        found = [
            match
            for game, by_first in self._by_first.items()
            for bot in by_first.keys() & free(game)
            for match in by_first[bot]
            if match.match in self._matches
        ]
        return sorted(found, key=attrgetter("match"))  # identities have the order of time

    def _many(self, free: FreeBots) -> bool:
        return sum(len(free(game)) for game in {match.game for match in self._matches.values()}) > FEW

    async def _read(self, tournament: int | None) -> None:
        # Set before the query, since a match scheduled meanwhile may be missing in the answer.
        self._good_until = asyncio.get_running_loop().time() + self._look_s()
        try:
            found = await self._store.waiting(self._page, tournament=tournament)
        except BaseException:
            self.invalidate()
            raise
        self._matches = {match.match: match for match in found}
        self.turns.read(found)
        self._by_first = grouped_by_first(found) if len(found) > PAGE else {}
        self._whole, self._removed, self._of = len(found) < self._page, False, tournament
        if len(found) < self._page // 8:
            self._page = max(PAGE, self._page // 4)


def grouped_by_first(matches: Sequence[WaitingMatch]) -> dict[str, dict[str, list[WaitingMatch]]]:
    """Return the matches by game and first bot, in their order."""
    found: dict[str, dict[str, list[WaitingMatch]]] = {}
    for match in matches:
        found.setdefault(match.game, {}).setdefault(match.bots[0], []).append(match)
    return found


# The leases of one worker: on the matches that it plays, and on those that it will begin next.

ALL = 1_000_000  # matches in progress, of all workers


class Leases:
    """The claims of `worker`, each valid for `lease_s` seconds and then renewed. All coroutines raise StoreError."""

    def __init__(self, store: Store, worker: str, lease_s: float) -> None:
        self._store, self._worker, self._lease_s = store, worker, lease_s
        self.renewed_at, self.taken_over = time.monotonic(), 0  # the count is for operators
        self.waiting: deque[Claim] = deque()  # claimed, not yet begun
        # the same, taken over from others: these come first, even above `concurrency`
        self.adopted: deque[Claim] = deque()
        self._former: set[str] = set()  # matches that this worker was playing before its restart

    @property
    def lease_s(self) -> float:
        return self._lease_s

    def next(self) -> Claim | None:
        """Return the next claim to begin."""
        first = self.adopted or self.waiting
        return first.popleft() if first else None

    def claimed(self) -> set[str]:
        """Return the matches that are claimed, and not yet begun."""
        return {claim.match for claim in (*self.adopted, *self.waiting)}

    def was_ours(self, claim: Claim) -> bool:
        """Return True if its bots were connected here before a restart, and are coming back."""
        return claim.match in self._former

    async def claim(self, free: Mapping[str, Collection[str]], most: int, tournament: int | None) -> None:
        """Claim the oldest matches that bots of `free` (names by game) can play; of one tournament only, if given."""
        self.waiting += await self._store.claim_some(
            self._worker, self._lease_s, most, free=free, tournament=tournament
        )

    async def claim_these(self, matches: Sequence[str]) -> None:
        """Claim those of `matches` that no other worker has claimed; they are begun next."""
        self.waiting += await self._store.claim_these(self._worker, self._lease_s, matches)

    async def claim_first(self, matches: Sequence[str]) -> None:
        """Claim those of `matches` that no other worker has claimed, and begin them before all others."""
        self.waiting.extendleft(reversed(await self._store.claim_these(self._worker, self._lease_s, matches)))

    async def take_up(self) -> None:
        """Claim the matches that this worker was playing before its restart."""
        running = await self._store.matches(status="running", limit=ALL)
        self._former = {row.id for row in running if row.worker == self._worker}
        self.waiting += await self._store.reclaim(self._worker, self._lease_s, lapsed=False)

    async def take_over(self, matches: Sequence[str]) -> None:
        """Claim those of `matches` that others have released; they are begun before all others."""
        found = await self._store.take_over(self._worker, self._lease_s, matches)
        self.taken_over += len(found)
        self.adopted += found

    async def renew(self, playing: Collection[RunningMatch]) -> None:
        """Renew the lease on all; matches that another worker has claimed meanwhile are lost."""
        asked_at, waiting = time.monotonic(), [*self.adopted, *self.waiting]
        claims = [*(running.claim for running in playing), *waiting]
        if not claims:
            self.renewed_at = asked_at
            return
        kept = await self._store.renew(claims, self._lease_s)
        self.renewed_at = asked_at
        for running in playing:
            if running.claim.match not in kept:
                running.lose()
        for claim in waiting:
            for line in (self.adopted, self.waiting):
                if claim.match not in kept and claim in line:
                    line.remove(claim)


# Orphans: matches that another server has released. This part chooses which to take over, and keeps bots free for them.
#
# An orphan is a running match whose lease is over, by the database's clock. It has begun, so people watch it and bots
# wait in it: it comes before every new match, and is taken above `concurrency` if necessary, because waiting for a slot
# might take as long as a match does. Servers with a free slot are given a moment to come first.
#
# An orphan whose bots are not here is left to the server that has them. If no server has, it goes back to the list of
# scheduled matches after a while, where it is the oldest, and no bot is kept free for it.

LOOK_S = 1.0  # seconds between two looks while there are orphans; an expected end of a lease is looked at when it comes
# seconds between two looks otherwise, or a fifth of a lease: no healthy lease can end before the next look
IDLE_LOOK_S = 5.0
SOON_S = 0.05  # seconds between two looks, at the least
SUSPECT = 0.6  # of a lease: less is left only where a renewal has failed, since leases are renewed after a third
POLITE_S = 1.0  # seconds after the end of a lease: then servers without a free slot take it over, too
PUT_BACK_S = 10.0  # seconds after the end of a lease, or the length of one: its bots are absent or busy
BATCH = 32  # taken over at once: many orphans are for all living servers, which take turns
BESIDE = 32  # matches that a server may have above `concurrency`, at least; at most as many again as `concurrency`


@dataclass(frozen=True, slots=True)
class LocalCapacity:
    """A server's own bots and free slots."""

    is_here: Callable[[str], bool]
    is_free: Callable[[str, str], bool]  # with a bot and a game
    room: int  # matches that it may begin
    beside: int  # orphans that it may begin above `concurrency`
    is_kept: Callable[[str, str], bool] = lambda _bot, _match: False  # True: a slot of the bot is kept for that match


@dataclass(slots=True)
class OrphanPlan:
    """The decisions of one look."""

    take: list[str] = field(default_factory=list)  # oldest first, no two with a bot in common
    put_back: list[str] = field(default_factory=list)
    held: set[str] = field(default_factory=set)  # bots kept free of new matches for an orphan
    again_s: float = inf  # when to look again


def plan(orphans: Sequence[Orphan], here: LocalCapacity, put_back_s: float = PUT_BACK_S) -> OrphanPlan:
    """Decide about `orphans`, oldest first; those whose lease is not over yet are expected to become orphans."""
    found = OrphanPlan()
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
        # the bot may have another free slot, which is known when the first is used
        if not taken.isdisjoint(orphan.bots):
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
    """The orphans found in the database. `held`: the bots that must not begin a new match now."""

    def __init__(self, store: Store, lease_s: float) -> None:
        self._store, self._lease_s = store, lease_s
        self._put_back_s = min(PUT_BACK_S, lease_s)
        self._seen: dict[str, float] = {}  # those of the last look, and until when their leases were
        self.held: Collection[str] = frozenset()

    async def look(self, here: LocalCapacity, ours: Collection[str], tournament: int | None = None) -> OrphanPlan:
        """Return the plan for all except `ours`; of one tournament only, if given. Raises StoreError."""
        found = [
            orphan
            for orphan in await self._store.orphans(SUSPECT * self._lease_s)
            if orphan.match not in ours and tournament in (None, orphan.tournament)
        ]
        # A server with a shorter lease is not suspected: it renews the lease between two looks.
        unchanged = [o for o in found if o.left_s < 0 or self._seen.get(o.match) == o.lease_until]
        self._seen = {orphan.match: orphan.lease_until for orphan in found}
        planned = plan(unchanged, here, self._put_back_s)
        if len(unchanged) < len(found):
            planned.again_s = min([planned.again_s, *(max(SOON_S, o.left_s) for o in found)])
        rest = LOOK_S if found else min(IDLE_LOOK_S, self._lease_s / 5)
        planned.again_s = min(planned.again_s, rest)
        self.held = frozenset(planned.held)
        if planned.put_back:
            await self._store.reschedule(planned.put_back, self._put_back_s)
        return planned


class NextMatches:
    """The scheduled matches that this worker can begin."""

    def __init__(
        self, store: Store, lobby: Lobby, leases: Leases, orphans: Orphans, *, look_s: Callable[[], float], shared: bool
    ) -> None:
        """`look_s`: how long the list may be used; `shared`: bots may be connected to other processes."""
        self._lobby, self._leases, self._orphans, self._shared = lobby, leases, orphans, shared
        self._waiting = WaitingList(store, look_s, self._may_come)
        # matches that are begun in addition to all others, once their bots are free
        self._priority: dict[str, Setup] = {}
        # bots that play only such matches: their names may also be in a tournament that another process plays
        self.kept_for_first: Counter[str] = Counter()

    @property
    def priority_matches(self) -> bool:
        """True if matches of people wait."""
        return bool(self._priority)

    def enqueue_first(self, match: str, setup: Setup) -> None:
        """Begin this match in addition to all others, once its bots are free."""
        self._priority[match] = setup

    def cancel(self, match: str) -> None:
        """Undo `enqueue_first`. Does nothing if the match is not in that queue."""
        self._priority.pop(match, None)

    def invalidate(self) -> None:
        """Reload the list from the database before the next claim."""
        self._waiting.invalidate()

    async def claim_priority(self) -> None:
        """Claim the matches of people that can be played now."""
        found = [
            match
            for match, setup in self._priority.items()
            if all(self._lobby.is_free(bot, setup.game) for bot in setup.bots)
        ]
        if found:
            await self._leases.claim_first(found)
            for match in found:
                del self._priority[match]

    async def claim(self, most: int, tournament: int | None) -> None:
        """Claim the oldest matches that can be played now, at most `most`; of one tournament only, if given."""
        while found := await self._waiting.playable(self._is_free, self._lobby.free_with_unlisted, most, tournament):
            await self._leases.claim_these(found)
            self._waiting.remove(found)
            if self._leases.waiting:
                return  # or another worker was faster: later matches may be for this one
        if not self._waiting.whole:  # so many wait for their bots that those in memory are not all
            held = {
                *self._orphans.held,
                *self._waiting.kept,
                *(name for name, count in self.kept_for_first.items() if count > 0),
            }
            free = {game: [n for n in self._lobby.free(game) if n not in held] for game in self._lobby.games()}
            if any(len(names) >= _least(game) for game, names in free.items()):  # programs connect one by one
                await self._leases.claim(free, most, tournament)

    def before(self, bot: str, tournament: int | None) -> int:
        """Return how many other events that wait for the bot come before this one."""
        return self._waiting.turns.before(bot, tournament)

    def _may_come(self, bot: str, game: str) -> bool:
        """Return True if the bot is here, and begins matches of events as soon as it is free."""
        return self.kept_for_first[bot] <= 0 and bot in self._lobby.players(game)

    def _is_free(self, bot: str, game: str) -> bool:
        """Return True if the bot may begin a new match: it is free, and no match that has begun waits for it.

        Where several servers share the work, people and house bots play on the server that they are connected to.
        """
        ours = not self._shared or not is_reserved(bot) or self._lobby.is_ours(bot)
        kept = bot in self._orphans.held or self.kept_for_first[bot] > 0
        return ours and not kept and self._lobby.is_free(bot, game)


def of_people(setup: Setup) -> bool:
    """Return True if a guest, or a bot that was started for one, plays in it."""
    return any(is_reserved(bot) for bot in setup.bots)


def _least(game: str) -> int:
    """Return the smallest number of bots in a match of the game."""
    rules = rules_of(game)
    return 1 if rules.kind == "race" else len(rules.seats)
