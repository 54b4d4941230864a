"""Pairing of idle bots on the ladder.

Bots that have waited and bots with few games come first, bots of near rating meet, the same ones not twice in a row,
and every bot sits equally often in each seat.

`groups` is for duels and tables, `heats` for races. Both depend only on their arguments, and return the same for the
same `rng`.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, pairwise, permutations
from random import Random
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from palio_db.values import START_RATING
from palio_rules.errors import BadOption
from palio_rules.game import Game
from palio_rules.records.record import Setup
from palio_rules.registry import game as rules_of
from palio_rules.spec import Spec
from palio_rules.time_control import TimeControl
from palio_server.tournament.openings import Book, Opening, RandomOpenings, shipped_for
from palio_server.tournament.round_robin import terms

# The bots left to be paired, by rating: finds the nearest in a few steps.
#
# Bots of one rating form a bucket. A search walks outwards from the middle of a group, and ends where every further bot
# is too far away to be the best, even if all else is in its favour.

ROUNDING = 1e-6  # Elo; sums of differences may be wrong in their last digits


class RatedBot(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def rating(self) -> float: ...
    @property
    def games(self) -> int: ...


B = TypeVar("B", bound=RatedBot)
Distance = tuple[int, float, int]  # how often they have met again, how far apart they are, the games of the other


class RatingIndex(Generic[B]):
    """Bots by rating; `order` says which of equally good opponents comes first."""

    def __init__(self, order: Sequence[B]) -> None:
        buckets: dict[float, list[B]] = {}
        for bot in order:
            buckets.setdefault(bot.rating, []).append(bot)
        self._ratings = sorted(buckets)
        self._place = {rating: place for place, rating in enumerate(self._ratings)}
        # In each bucket, those with few games first: sorting keeps the order of equals.
        self._buckets: list[list[B]] = [sorted(buckets[rating], key=lambda bot: bot.games) for rating in self._ratings]
        self._first = [0] * len(self._ratings)  # in each bucket, those before are gone
        self._left = [len(bucket) for bucket in self._buckets]
        self._rank = {bot.name: rank for rank, bot in enumerate(order)}
        # The next bucket that is not empty, in either direction; paths get shorter as they are walked.
        count = len(self._ratings)
        self._up, self._down = list(range(count + 1)), list(range(count + 1))  # of `down`, place + 1; 0: there is none

    def remove(self, bot: B) -> None:
        """Remove a bot that has been paired."""
        del self._rank[bot.name]
        place = self._place[bot.rating]
        self._left[place] -= 1
        if not self._left[place]:
            self._up[place] = place + 1
            self._down[place + 1] = place

    def nearest(self, group: Sequence[B], distance: Callable[[B], Distance]) -> B:
        """Return the bot with the least `distance` from the group, the first in order of equals. There must be one.

        The second part of the distance must be no less than the differences of all ratings, taken together, and equal
        to them where the first is 0 and no other rule separates them.
        """
        best: tuple[Distance, int] | None = None
        found: B | None = None
        for place, apart in self._outwards([one.rating for one in group]):
            if best is not None and best[0][0] == 0 and apart > best[0][1] + ROUNDING:
                break
            for bot in self._bucket(place):
                far = distance(bot)
                rank = self._rank[bot.name]
                if best is None or (far, rank) < best:
                    best, found = (far, rank), bot
                if far[0] == 0 and far[1] <= apart:
                    break  # no bot in this bucket is better: the others have more games, or come later
        assert found is not None  # the caller has checked that there is a bot
        return found

    def _outwards(self, ratings: Sequence[float]) -> Iterator[tuple[int, float]]:
        """Yield the buckets that are not empty, nearest first, and the sum of distances of all `ratings` to each."""

        def apart(place: int) -> float:
            return sum(abs(rating - self._ratings[place]) for rating in ratings)

        middle = sorted(ratings)[len(ratings) // 2]  # of all places, it is nearest to all of them
        start = bisect_left(self._ratings, middle)
        high = _end(self._up, start)
        low = _end(self._down, start) - 1
        above = apart(high) if high < len(self._ratings) else None
        below = apart(low) if low >= 0 else None
        while above is not None or below is not None:
            if below is None or (above is not None and above <= below):
                assert above is not None
                yield high, above
                high = _end(self._up, high + 1)
                above = apart(high) if high < len(self._ratings) else None
            else:
                yield low, below
                low = _end(self._down, low) - 1
                below = apart(low) if low >= 0 else None

    def _bucket(self, place: int) -> Iterator[B]:
        """Yield those of one rating who are left, with fewest games first."""
        bucket, at = self._buckets[place], self._first[place]
        while bucket[at].name not in self._rank:  # it is not empty
            at += 1
        self._first[place] = at
        for bot in bucket[at:]:
            if bot.name in self._rank:
                yield bot


def _end(paths: list[int], at: int) -> int:
    """Return the end of the path, and shorten the path of all on it."""
    end = at
    while paths[end] != end:
        end = paths[end]
    while paths[at] != end:
        paths[at], at = end, paths[at]
    return end


REPEAT_ELO = 150.0  # a recent opponent counts as so much further away
HEAT = 8  # entrants; more would have to share too few cores

LadderGroup = tuple["Idle", ...]


@dataclass(frozen=True, slots=True)
class Idle:
    """A bot that could play now. `recent`: its recent opponents, newest last; `waited`: rounds it was left out."""

    name: str
    rating: float = START_RATING
    games: int = 0
    recent: tuple[str, ...] = ()
    waited: int = 0
    sat: tuple[int, ...] = ()  # how often in each seat

    def times_in(self, seat: int) -> int:
        return self.sat[seat] if seat < len(self.sat) else 0


def groups(idle: Sequence[Idle], seats: int, rng: Random) -> list[LadderGroup]:
    """Return as many groups of `seats` different bots as possible, each in the order of its seats; the rest is left
    out.

    The bots that have waited longest choose first, then those with fewest games, and the last of these are left out: so
    no bot is left out twice in a row. Those who have just met meet again only if there is no other opponent for them.
    """
    order = sorted(idle, key=lambda bot: (-bot.waited, bot.games, rng.random()))
    del order[len(order) // seats * seats :]  # those with most games, of those who have waited least
    left = RatingIndex(order)
    gone: set[str] = set()
    found = []
    for bot in order:
        if bot.name in gone:
            continue
        left.remove(bot)
        group = [bot]
        while len(group) < seats:
            best = left.nearest(group, lambda other: _distance(group, other, seats - 1))  # noqa: B023  # called at once
            left.remove(best)
            gone.add(best.name)
            group.append(best)
        found.append(tuple(group))
    _swap_repeats(found)
    return [_seated(group, rng) for group in found]


def heats(idle: Sequence[Idle], rng: Random) -> list[LadderGroup]:
    """Return all of them in as few heats of similar size as have room for them, near ratings together; no bot runs
    alone.
    """
    if len(idle) < 2:
        return []
    order = sorted(idle, key=lambda bot: (bot.rating, rng.random()))
    count = -(-len(order) // HEAT)
    ends = [len(order) * number // count for number in range(count + 1)]
    return [tuple(order[start:end]) for start, end in pairwise(ends)]


def just_met(group: Sequence[Idle]) -> bool:
    """Return True if these are exactly the bots that one of them has met last."""
    names = {bot.name for bot in group}
    others = len(names) - 1
    return any(len(bot.recent) >= others and {*bot.recent[-others:]} == names - {bot.name} for bot in group)


def _distance(group: Sequence[Idle], other: Idle, others: int) -> tuple[int, float, int]:
    """Return a small distance for a good opponent: not of the last `others`, of near rating, not met recently, with few
    games.
    """
    again = sum(other.name in one.recent[-others:] or one.name in other.recent[-others:] for one in group)
    apart = sum(abs(one.rating - other.rating) + REPEAT_ELO * one.recent.count(other.name) for one in group)
    return again, apart, other.games


def _swap_repeats(found: list[LadderGroup]) -> None:
    """Swap one bot with another group if those who have just met were left over for each other, and the swap helps."""
    for here, group in enumerate(found):
        if just_met(group):
            for there, other in enumerate(found):
                swaps = _swaps(group, other) if there != here else []
                if better := next((swap for swap in swaps if not any(map(just_met, swap))), None):
                    found[here], found[there] = better
                    break


def _swaps(one: LadderGroup, other: LadderGroup) -> list[tuple[LadderGroup, LadderGroup]]:
    return [
        ((*one[:a], other[b], *one[a + 1 :]), (*other[:b], one[a], *other[b + 1 :]))
        for a in range(len(one))
        for b in range(len(other))
    ]


def _seated(group: LadderGroup, rng: Random) -> LadderGroup:
    """Return the order in which all sit where they have sat least, taken together."""
    lineups = [*permutations(group)]
    rng.shuffle(lineups)  # the first of equals is a random one
    return min(lineups, key=lambda lineup: sum(bot.times_in(seat) for seat, bot in enumerate(lineup)))


# The matches of a ladder group: one opening from every side, or a heat that separates strong bots.

PLIES = 2  # of each seat, in random openings if no book ships for a game
POOL = 200  # random openings at most
REMEMBERED = 20_000  # groups whose openings so far are known; then all are forgotten


class _Pages(NamedTuple):
    """The position of a group in the book of its game."""

    first: int  # the number of its first opening
    met: int  # encounters so far


@cache
def game_of(board: str) -> tuple[str, Mapping[str, Any]]:
    """Return the game of the ladder that `go` or `go:size=19` names, and its options. Raises BadOption."""
    spec = Spec.parse(board)
    options = rules_of(spec.name).parse_options(spec.settings)
    return spec.name, msgspec.to_builtins(options) if spec.settings else {}


class LadderEncounters:
    """The openings of groups. A group has its game's openings one after the other, from a random one on.

    When the openings repeat, or may have been played before, each is extended by one random move of each seat:
    otherwise deterministic bots would play the same games again, and these would count as new evidence.
    """

    def __init__(self, time: TimeControl, rng: Random) -> None:
        self._time, self._rng = time, rng
        self._books: dict[str, Book] = {}
        self._pages: dict[frozenset[str], _Pages] = {}  # of each group; its game is a member, too

    def setups(self, board: str, names: tuple[str, ...], *, met_before: bool = False) -> list[Setup]:
        """Return a match for each of them to begin: `names` are the seats of the first one, then all move up by one.

        So each sits once in each seat, and all is played from one opening. Each match has a seed of its own.
        `met_before`: they may have played openings of the book that are not known here.
        """
        opening, (game, options) = self._opening(board, names, met_before=met_before), game_of(board)
        lineups = [names[first:] + names[:first] for first in range(len(names))]
        common: dict[str, Any] = {"options": dict(options), "time": self._time, **opening.fields()}
        return [Setup(game, lineup, seed=self.seed(), **common).with_rated(rated=None) for lineup in lineups]

    def heat(self, board: str, names: tuple[str, ...]) -> Setup:
        """Return a race on an instance that is still to be drawn by its seed. Of equal costs the faster
        one is ahead.
        """
        game, options = game_of(board)
        rules = rules_of(game)
        more: dict[str, Any] = terms(rules, self._time)
        return Setup(game, names, dict(options or rules.hard), seed=self.seed(), by_time=True, **more)

    def seed(self) -> int:
        return self._rng.randrange(2**31)

    def _opening(self, board: str, names: tuple[str, ...], *, met_before: bool) -> Opening:
        book = self._book(board)
        if len(self._pages) > REMEMBERED:
            self._pages.clear()
        group = frozenset((*names, f"{board}:"))  # no bot can have this name
        first, met = self._pages.get(group) or _Pages(self._rng.randrange(book.size), 0)
        self._pages[group] = _Pages(first, met + 1)
        opening = book.opening(first + met)
        return opening if met < book.size and not met_before else self._extended(board, opening)

    def _extended(self, board: str, opening: Opening) -> Opening:
        """Return `opening` and a random move of each seat; the opening itself where that would end the game."""
        game, options = game_of(board)
        rules, start = rules_of(game), Setup(game, (), dict(options), **opening.fields()).start()
        try:
            more = RandomOpenings(rules, start, len(rules.seats), self.seed()).opening(0)
        except BadOption:
            return opening
        return replace(opening, moves=(*opening.moves, *more.moves))

    def _book(self, board: str) -> Book:
        if board not in self._books:
            self._books[board] = book_of(board, self.seed())
        return self._books[board]


def book_of(board: str, seed: int) -> Book:
    """Return the book that ships for a game with these options, or random openings as far as it has some."""
    game, options = game_of(board)
    try:
        shipped = shipped_for(game, options)
    except BadOption:
        return Book(_random(rules_of(game), options, seed) or [Opening()], name=board)
    return Book.read(shipped.lines(), game, dict(options), name=shipped.name)


def _random(rules: Game[Any, Any], options: Mapping[str, Any], seed: int) -> list[Opening]:
    start = rules.start(rules.parse_options(options), seed)
    source = RandomOpenings(rules, start, PLIES * len(rules.seats), seed)
    return list(islice(source, POOL))
