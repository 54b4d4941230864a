"""Travelling salesman: the distances as a table, and tours as a landscape whose steps reverse stretches."""

from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import NamedTuple

from palio_clients.games.advice import Advice, Unsolvable
from palio_clients.search.game_tree import Stop
from palio_clients.search.tours import Steps, Tours, iterated_local_search, length_of, near_cities, nearest_neighbour
from palio_rules.boards.cities import Instance, Number, Tour
from palio_rules.games.tsp import Position

STARTS = 10  # tours that are offered
NO_TOUR = 1e12  # the value without a tour: less than any tour


def evaluate(state: Position, _seat: int) -> float:
    """Return the negative length of the best tour."""
    return -NO_TOUR if state.length is None else -float(state.length)


def offers(state: Position) -> Iterator[Tour]:
    """Yield the nearest-neighbour tours from the first cities."""
    distance = distances(state.instance)
    for start in range(min(STARTS, state.instance.size)):
        yield nearest_neighbour(distance, start)


@lru_cache(maxsize=2)
def distances(instance: Instance) -> tuple[tuple[Number, ...], ...]:
    """Return the distance between any two cities, as in the race."""
    rows: list[list[Number]] = [[0] * instance.size for _ in range(instance.size)]
    for a, row in enumerate(rows):
        for b in range(a):
            row[b] = rows[b][a] = instance.distance(a, b)
    return tuple(map(tuple, rows))


class Stretch(NamedTuple):
    """The cities of a tour from the first to the last of these places, both included."""

    first: int
    last: int


class TourLandscape:
    """Tours, and the changes of 2-opt: reversing a stretch replaces two legs by two others.

    A climber only tries changes that join a city to one of its near ones: with all cities in `near`, every change that
    shortens a tour.
    """

    def __init__(self, tours: Tours) -> None:
        self.distance, self.near = tours.distance, tours.near

    def cost(self, state: Tour) -> float:
        return length_of(state, self.distance)

    def somewhere(self, random: Random) -> Tour:
        return tuple(random.sample(range(len(self.distance)), len(self.distance)))

    def changes(self, state: Tour) -> Iterator[tuple[float, Stretch]]:
        """Yield changes by place, for each city those with a shorter new leg: no other can gain."""
        distance, size = self.distance, len(state)
        at = [0] * size
        for place, city in enumerate(state):
            at[city] = place
        for place, city in enumerate(state):
            from_city = distance[city]
            for way in (1, -1):
                neighbour = state[(place + way) % size]
                for near in self.near[city]:
                    if from_city[near] >= from_city[neighbour]:
                        break
                    beyond = state[(at[near] + way) % size]
                    added = (
                        from_city[near] + distance[neighbour][beyond] - from_city[neighbour] - distance[near][beyond]
                    )
                    yield added, _between(place, at[near], way)

    def change(self, state: Tour, random: Random) -> tuple[float, Stretch]:
        """Return a random stretch without the first city, all equally likely."""
        first, last = sorted(random.sample(range(1, len(state)), 2))
        a, b, c, d = state[first - 1], state[first], state[last], state[(last + 1) % len(state)]
        distance = self.distance
        return distance[a][c] + distance[b][d] - distance[a][b] - distance[c][d], Stretch(first, last)

    def changed(self, state: Tour, change: Stretch) -> Tour:
        first, last = change
        return (*state[:first], *state[first : last + 1][::-1], *state[last + 1 :])


def _between(place: int, other: int, way: int) -> Stretch:
    """Return the stretch whose reversal joins the cities at both places, and those beyond them in `way`."""
    low, high = min(place, other), max(place, other)
    return Stretch(low + 1, high) if way == 1 else Stretch(low, high - 1)


# A hint for the travelling salesman: a tour that 2-opt, Or-opt and double bridges cannot soon shorten.

MOST = 800  # cities; for more, the table of all distances alone takes a second
NEAR = 8  # cities beside which a city may be put
LOOKS = 5  # at each city: enough for the first descent
STEPS = 250  # besides, for each unit of the limit: as many double bridges


class TourAdviser:
    """An adviser that improves the best tour so far, or the nearest neighbour's; always with the same steps."""

    promise = "submit a tour by local search"

    def advise(self, state: Position, limit: int, stop: Stop) -> Advice:
        """Return a whole tour, the best one found, also after `stop`. Raises Unsolvable for too many cities."""
        size = state.instance.size
        if size > MOST:
            raise Unsolvable(f"{size:,} cities are too many for a hint; it takes {MOST} at most")
        table = distances(state.instance)
        tours = Tours(table, near_cities(table, NEAR))
        enough = Steps(LOOKS * size + STEPS * limit)
        start = state.best or nearest_neighbour(table)
        found = iterated_local_search(
            start,
            tours,
            Random(limit),  # noqa: S311 - a tour, not a secret
            stop=lambda cost: enough(cost) or stop(),
        )
        return Advice(found.state, f"a tour of {found.cost:.10g}{_gain(state, found.cost)}")


def _gain(state: Position, cost: float) -> str:
    """Return the gain over the current tour."""
    if state.length is None:
        return ""
    return f", {state.length - cost:.10g} shorter" if cost < state.length else ", no shorter one was found"
