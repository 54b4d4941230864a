"""Which matches are claimed next: those of people whose bots are here, else the oldest that can be played."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from palio_db.store import Store
from palio_db.values import Claim, Orphan, WaitingMatch
from palio_rules.contract.names import is_reserved
from palio_rules.records.record import Setup
from palio_rules.registry import game as rules_of
from palio_server.arena.running_match import RunningMatch
from palio_server.lobby.lobby import Lobby

# The oldest matches that wait to be played, in memory: whether one of them can begin is asked at every change.
#
# With thousands of bots, somebody gets free a hundred times a second. What the database knows changes far less often:
# when somebody schedules, here or elsewhere. So its list is read then, and looked through here.

PAGE = 256  # matches read at once; looking through them takes some 30 microseconds


class WaitingList:
    """The first matches of the list in the database, as they were when it was read last; that is read again in time.

    `look_s` says how many seconds later at the latest, because others schedule in the same database.
    """

    def __init__(self, store: Store, look_s: Callable[[], float]) -> None:
        self._store, self._look_s = store, look_s
        self._matches: dict[str, WaitingMatch] = {}  # oldest first
        self._whole = False  # there were no others
        self._struck = False  # some of them have been claimed since
        self._of: int | None = None  # the tournament that was asked for
        self._good_until = -inf

    def doubt(self) -> None:
        """The list has changed, or may have: it is to be read again."""
        self._good_until = -inf

    @property
    def whole(self) -> bool:
        """Whether no match waits that is not in here."""
        return self._whole

    async def playable(
        self, is_free: Callable[[str, str], bool], most: int, tournament: int | None = None
    ) -> list[str]:
        """The oldest matches whose bots are all free, at most `most`; `is_free` is asked with a bot and a game.

        No two of them have a bot in common, which may be free for one of them only: the list ends before. So these
        are the ones that would be taken if they were asked for one by one. Raises StoreError.
        """
        if self._good_until <= asyncio.get_running_loop().time() or self._of != tournament:
            await self._read(tournament)
        found = first_playable(self._matches.values(), is_free, most)
        if not found and self._struck and not self._whole:  # others have moved up
            await self._read(tournament)
            found = first_playable(self._matches.values(), is_free, most)
        return found

    def strike(self, matches: Collection[str]) -> None:
        """These are claimed, here or elsewhere."""
        for match in matches:
            self._matches.pop(match, None)
        self._struck = True

    async def _read(self, tournament: int | None) -> None:
        # Set before the question, since what is scheduled meanwhile may be missing in the answer.
        self._good_until = asyncio.get_running_loop().time() + self._look_s()
        try:
            found = await self._store.waiting(PAGE, tournament=tournament)
        except BaseException:
            self.doubt()
            raise
        self._matches = {match.match: match for match in found}
        self._whole, self._struck, self._of = len(found) < PAGE, False, tournament


def first_playable(waiting: Collection[WaitingMatch], is_free: Callable[[str, str], bool], most: int) -> list[str]:
    """As `WaitingList.playable` says."""
    found: list[str] = []
    busy: set[str] = set()
    for match in waiting:
        if len(found) == most:
            break
        if all(is_free(bot, match.game) for bot in match.bots):
            if not busy.isdisjoint(match.bots):
                break
            busy.update(match.bots)
            found.append(match.match)
    return found


# The leases of one worker: on the matches that it plays, and on those that it will begin next.

ALL = 1_000_000  # matches in progress, of all workers


class Leases:
    """Claims matches for `worker`, for `lease_s` seconds at a time. All its coroutines raise StoreError."""

    def __init__(self, store: Store, worker: str, lease_s: float) -> None:
        self._store, self._worker, self._lease_s = store, worker, lease_s
        self.renewed_at, self.taken_over = time.monotonic(), 0  # the count is for operators
        self.waiting: deque[Claim] = deque()  # claimed, not yet begun
        self.adopted: deque[Claim] = deque()  # the same, taken over from others: these come first, room or not
        self._former: set[str] = set()  # matches that this worker was playing before it was started again

    @property
    def lease_s(self) -> float:
        return self._lease_s

    def next(self) -> Claim | None:
        """The next to begin."""
        first = self.adopted or self.waiting
        return first.popleft() if first else None

    def claimed(self) -> set[str]:
        """The matches that are claimed, and not yet begun."""
        return {claim.match for claim in (*self.adopted, *self.waiting)}

    def was_ours(self, claim: Claim) -> bool:
        """Whether its bots were connected here, and are coming back."""
        return claim.match in self._former

    async def claim(self, free: Mapping[str, Collection[str]], most: int, tournament: int | None) -> None:
        """Claim the oldest matches that bots of `free` (names by game) can play; of one tournament only, if given."""
        self.waiting += await self._store.claim_some(
            self._worker, self._lease_s, most, free=free, tournament=tournament
        )

    async def claim_these(self, matches: Sequence[str]) -> None:
        """Claim those of `matches` that nobody else has claimed by now; they are begun next."""
        self.waiting += await self._store.claim_these(self._worker, self._lease_s, matches)

    async def claim_first(self, matches: Sequence[str]) -> None:
        """The same, and begin them before all others."""
        self.waiting.extendleft(reversed(await self._store.claim_these(self._worker, self._lease_s, matches)))

    async def take_up(self) -> None:
        """Claim what this worker was playing before it was started again."""
        running = await self._store.matches(status="running", limit=ALL)
        self._former = {row.id for row in running if row.worker == self._worker}
        self.waiting += await self._store.reclaim(self._worker, self._lease_s, lapsed=False)

    async def take_over(self, matches: Sequence[str]) -> None:
        """Claim those of `matches` that others have let go of; they are begun before all others."""
        found = await self._store.take_over(self._worker, self._lease_s, matches)
        self.taken_over += len(found)
        self.adopted += found

    async def renew(self, playing: Collection[RunningMatch]) -> None:
        """Hold all for another lease; those that belong to somebody else by now are lost."""
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


# Matches that another server has let go of: which of them this one takes over, for which it keeps bots free.
#
# An orphan is a running match whose lease is over, by the database's clock. It has begun, so people watch it and bots
# wait in it: it comes before every new match, and is taken beside `concurrency` where there is no room, because to wait
# until a slot gets free might take as long as a match does. Servers with room are given a moment to come first.
#
# One whose bots are not here is left to the server that has them. If nobody has, it goes back to the list of scheduled
# matches after a while, where it is the oldest, and nothing waits for it any more.

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
            await self._store.reschedule(planned.put_back, self._put_back_s)
        return planned


class NextMatches:
    """The list of scheduled matches, as far as this worker can begin them."""

    def __init__(
        self, store: Store, lobby: Lobby, leases: Leases, orphans: Orphans, *, look_s: Callable[[], float], shared: bool
    ) -> None:
        """`look_s`: how long the list is good for; `shared`: bots may be connected to other processes."""
        self._lobby, self._leases, self._orphans, self._shared = lobby, leases, orphans, shared
        self._waiting = WaitingList(store, look_s)
        self._appointed: dict[str, Setup] = {}  # matches that are begun beside all others, once their bots are free

    @property
    def appointed(self) -> bool:
        """Whether matches of people wait."""
        return bool(self._appointed)

    def appoint(self, match: str, setup: Setup) -> None:
        """Begin this one beside all others, once its bots are free."""
        self._appointed[match] = setup

    def dismiss(self, match: str) -> None:
        """Begin it no more in that way. Harmless if nobody has asked for it."""
        self._appointed.pop(match, None)

    def doubt(self) -> None:
        """The list in the database may be another one by now."""
        self._waiting.doubt()

    async def claim_appointed(self) -> None:
        """Claim the matches of people that can be played now."""
        found = [
            match
            for match, setup in self._appointed.items()
            if all(self._lobby.is_free(bot, setup.game) for bot in setup.bots)
        ]
        if found:
            await self._leases.claim_first(found)
            for match in found:
                del self._appointed[match]

    async def claim(self, most: int, tournament: int | None) -> None:
        """Claim the oldest matches that can be played now, at most so many; of one tournament only, if given."""
        while found := await self._waiting.playable(self._is_free, most, tournament):
            await self._leases.claim_these(found)
            self._waiting.strike(found)
            if self._leases.waiting:
                return  # or another worker was faster: what comes after these may be ours
        if not self._waiting.whole:  # so many wait for their bots that those in memory are not all
            held = self._orphans.held
            free = {game: [n for n in self._lobby.free(game) if n not in held] for game in self._lobby.games()}
            if any(len(names) >= _least(game) for game, names in free.items()):  # programs come one by one
                await self._leases.claim(free, most, tournament)

    def _is_free(self, bot: str, game: str) -> bool:
        """Whether the bot may begin something new: it is free, and no match that has begun waits for it.

        Of several servers, people and house bots play where they are.
        """
        ours = not self._shared or not is_reserved(bot) or self._lobby.is_ours(bot)
        return ours and bot not in self._orphans.held and self._lobby.is_free(bot, game)


def of_people(setup: Setup) -> bool:
    """Whether a guest, or a bot that was started for one, plays in it."""
    return any(is_reserved(bot) for bot in setup.bots)


def _least(game: str) -> int:
    """How many bots a match of the game has at least."""
    rules = rules_of(game)
    return 1 if rules.kind == "race" else len(rules.seats)
