"""Who is left of the bots to be paired, by rating: finds the nearest without looking at all of them.

Bots of one rating form a bucket. A search walks outwards from the middle of those who look for company, and ends where
whoever comes next is too far away to be the best, whatever else speaks for it.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

ROUNDING = 1e-6  # Elo; sums of differences may be wrong in their last digits


class Rated(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def rating(self) -> float: ...
    @property
    def games(self) -> int: ...


B = TypeVar("B", bound=Rated)
Distance = tuple[int, float, int]  # how often they have met again, how far apart they are, the games of the other


class RatingIndex(Generic[B]):
    """Bots by rating; `order` says who comes first of those that are equally good company."""

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
        # Where the next bucket is that is not empty, in either direction; paths get shorter as they are walked.
        count = len(self._ratings)
        self._up, self._down = list(range(count + 1)), list(range(count + 1))  # of `down`, place + 1; 0: there is none

    def remove(self, bot: B) -> None:
        """The bot has found company."""
        del self._rank[bot.name]
        place = self._place[bot.rating]
        self._left[place] -= 1
        if not self._left[place]:
            self._up[place] = place + 1
            self._down[place + 1] = place

    def nearest(self, group: Sequence[B], distance: Callable[[B], Distance]) -> B:
        """Whoever has the least `distance` from the group, the first in order of equals. There must be somebody.

        The second part of the distance must be no less than the differences of all ratings, taken together, and equal
        to them where the first is 0 and nothing else keeps them apart.
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
                    break  # nobody in this bucket is better company: the others have more games, or come later
        assert found is not None  # who asks has looked whether there is anybody
        return found

    def _outwards(self, ratings: Sequence[float]) -> Iterator[tuple[int, float]]:
        """The buckets that are not empty, nearest first, and how far all `ratings` together are from each."""

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
        """Those of one rating who are left, with fewest games first."""
        bucket, at = self._buckets[place], self._first[place]
        while bucket[at].name not in self._rank:  # it is not empty
            at += 1
        self._first[place] = at
        for bot in bucket[at:]:
            if bot.name in self._rank:
                yield bot


def _end(paths: list[int], at: int) -> int:
    """Follow the path to its end, and let all on it lead there at once."""
    end = at
    while paths[end] != end:
        end = paths[end]
    while paths[at] != end:
        paths[at], at = end, paths[at]
    return end
