"""The ladder: idle bots of one duel are paired again and again, those of near rating and with few games first.

`pair` decides who meets whom and knows nothing but what it is given; `Ladder` asks it whenever the lobby changes.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from random import Random

from palio_db.errors import Unavailable
from palio_db.store import Store
from palio_db.values import START_RATING
from palio_rules.record import Setup
from palio_rules.registry import game as rules_of
from palio_rules.time_control import TimeControl
from palio_server.arena import Arena
from palio_server.lobby import Lobby

log = logging.getLogger(__name__)

SETTLE_S = 0.5  # after a change: bots that get free at nearly the same time shall have a choice
LOOK_S = 2.0  # and at least so often
REPEAT_S = 10.0  # how long two bots that have just met wait for somebody else who is busy now
REMEMBERED = 3  # opponents of late
REPEAT_ELO = 150.0  # an opponent of late is as good as one so much further away
EVENT = "ladder"


@dataclass(frozen=True, slots=True)
class Idle:
    """A bot that could play now. `recent`: its opponents of late, newest last; `waited`: rounds it was left out."""

    name: str
    rating: float = START_RATING
    games: int = 0
    recent: tuple[str, ...] = ()
    waited: int = 0
    firsts: int = 0  # how often it moved first, less how often it moved second


def pair(idle: Sequence[Idle], rng: Random) -> list[tuple[str, str]]:
    """Pairs of different bots, the one that moves first in front; with an odd number, one is left out.

    Whoever has waited longest chooses first, then whoever has fewest games, and the last of these is the one that is
    left out: so nobody is left out twice in a row.
    Two who have just met meet again only if nobody else is there for them. The same `rng` gives the same pairs.
    """
    order = sorted(idle, key=lambda bot: (-bot.waited, bot.games, rng.random()))
    if len(order) % 2:
        order.pop()  # who has played most, of those who have waited least
    pairs: list[tuple[Idle, Idle]] = []
    while order:
        bot = order.pop(0)
        best = min(order, key=lambda other: _distance(bot, other))
        order.remove(best)
        pairs.append((bot, best))
    _part_repeats(pairs)
    return [_seated(one, other, rng) for one, other in pairs]


def _just_met(one: Idle, other: Idle) -> bool:
    return one.recent[-1:] == (other.name,) or other.recent[-1:] == (one.name,)


def _distance(one: Idle, other: Idle) -> tuple[bool, float, int]:
    """Small for a good opponent: not the last one, of near rating, not met of late, with few games."""
    met = one.recent.count(other.name)
    return _just_met(one, other), abs(one.rating - other.rating) + REPEAT_ELO * met, other.games


def _part_repeats(pairs: list[tuple[Idle, Idle]]) -> None:
    """Where two who have just met were left over for each other, swap with another pair if that helps."""
    for here, (a, b) in enumerate(pairs):
        if not _just_met(a, b):
            continue
        for there, (c, d) in enumerate(pairs):
            swaps = [((a, c), (b, d)), ((a, d), (b, c))] if there != here else []
            better = [swap for swap in swaps if not any(_just_met(*two) for two in swap)]
            if better:
                pairs[here], pairs[there] = better[0]
                break


def _seated(one: Idle, other: Idle, rng: Random) -> tuple[str, str]:
    """Whoever has moved first less often moves first now."""
    if one.firsts != other.firsts:
        first, second = (one, other) if one.firsts < other.firsts else (other, one)
    else:
        first, second = rng.sample((one, other), 2)
    return first.name, second.name


@dataclass(slots=True)
class _History:
    """What the ladder remembers of a bot in a game."""

    recent: deque[str] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    waited: int = 0
    firsts: int = 0


class Ladder:
    """Schedules a match for idle bots whenever there are two of one game."""

    def __init__(
        self, arena: Arena, lobby: Lobby, store: Store, time: TimeControl, *, rng: Random | None = None
    ) -> None:
        self._arena, self._lobby, self._store, self._time = arena, lobby, store, time
        self._rng = rng or Random()  # noqa: S311  # not for secrets
        self._histories: dict[tuple[str, str], _History] = {}  # by game and bot
        self._waiting: dict[str, tuple[str, ...]] = {}  # matches scheduled here that have not begun, and their bots
        self._held: dict[frozenset[str], float] = {}  # pairs that wait for better opponents, and since when

    async def run(self) -> None:
        """Pair until cancelled."""
        while True:
            seen = self._lobby.version
            try:
                await self.round()
            except Unavailable as error:
                log.warning("the ladder waits: %s", error)
            try:
                async with asyncio.timeout(LOOK_S):
                    await self._lobby.changed(since=seen)
            except TimeoutError:
                continue
            await asyncio.sleep(SETTLE_S)

    async def round(self) -> list[str]:
        """Pair whoever is idle now, in every duel; the new matches."""
        await self._review()
        connected = self._lobby.connected()
        games = sorted({game for bot in connected for game in bot.games if len(rules_of(game).seats) == 2})
        self._rng.shuffle(games)  # a bot that plays several of them gets its turn in each
        taken = {bot for bots in self._waiting.values() for bot in bots}
        found = []
        for game in games:
            free = [name for name in self._lobby.free(game) if name not in taken]
            if len(free) < 2:
                continue
            others = {bot.name for bot in connected if game in bot.games} - set(free)
            for first, second in self._pairs(game, await self._idle(game, free), others):
                match = await self._arena.schedule(Setup(game, (first, second), time=self._time), EVENT)
                self._waiting[match] = (first, second)
                taken |= {first, second}
                found.append(match)
        return found

    async def _idle(self, game: str, free: Sequence[str]) -> list[Idle]:
        leaders = {leader.bot: leader for leader in (await self._store.leaderboard(game)).leaders}
        idle = []
        for name in free:
            history, leader = self._history(game, name), leaders.get(name)
            rating, games = (leader.rating, leader.games) if leader else (START_RATING, 0)
            idle.append(Idle(name, rating, games, tuple(history.recent), history.waited, history.firsts))
        return idle

    def _pairs(self, game: str, idle: Sequence[Idle], busy: Collection[str]) -> list[tuple[str, str]]:
        """The pairs to play now; two who have just met wait a while for one of the `busy`."""
        bots = {bot.name: bot for bot in idle}
        now = asyncio.get_running_loop().time()
        pairs, left_out = [], set(bots)
        for first, second in pair(idle, self._rng):
            both = frozenset((game, first, second))
            if busy and _just_met(bots[first], bots[second]) and now - self._held.setdefault(both, now) < REPEAT_S:
                continue
            self._held.pop(both, None)
            self._remember(game, first, second)
            pairs.append((first, second))
            left_out -= {first, second}
        for name in left_out:
            self._history(game, name).waited += 1
        return pairs

    def _remember(self, game: str, first: str, second: str) -> None:
        for name, other, step in ((first, second, 1), (second, first, -1)):
            history = self._history(game, name)
            history.recent.append(other)
            history.waited = 0
            history.firsts += step

    def _history(self, game: str, name: str) -> _History:
        return self._histories.setdefault((game, name), _History())

    async def _review(self) -> None:
        """Forget matches that have begun; give up those that cannot begin because a bot has left."""
        here = {bot.name for bot in self._lobby.connected()}
        for match, bots in list(self._waiting.items()):
            row = await self._store.match(match)
            if row is not None and row.status == "scheduled":
                if here.issuperset(bots):
                    continue
                await self._store.abort(match, "a bot left before it began", epoch=row.epoch)
            del self._waiting[match]
