"""Tours for local search: what surrounds a city, where to begin, and a tour that is changed in place.

Bentley, "Fast algorithms for geometric traveling salesman problems", ORSA Journal on Computing 4 (1992): lists of near
cities, and an array of the order with the place of each city in it.
"""

from collections.abc import Sequence

Distance = Sequence[Sequence[float]]  # distance[a][b], from city a to city b, the same in either direction
Near = Sequence[Sequence[int]]  # for each city some others, the nearest first


def near_cities(distance: Distance, most: int | None = None) -> Near:
    """For each city, sort the others by distance.

    Returns for each city the indexes of its `most` nearest ones, nearest first; of all others if `most` is None.
    """
    cities = range(len(distance))
    found = []
    for city, row in enumerate(distance):
        order = sorted(cities, key=row.__getitem__)
        order.remove(city)  # not simply the first: others may stand on the same spot
        found.append(order[:most])
    return found


def nearest_neighbour(distance: Distance, start: int = 0) -> tuple[int, ...]:
    """Go from `start` to the nearest city, from there to the nearest of the others, and so on.

    Returns a tour: each city's index once. It is some 25 % longer than the best one where cities are spread at random;
    Johnson and McGeoch, "The traveling salesman problem: a case study", in: Local Search in Combinatorial Optimization
    (1997).
    """
    left, tour = set(range(len(distance))) - {start}, [start]
    while left:
        tour.append(min(left, key=distance[tour[-1]].__getitem__))
        left.remove(tour[-1])
    return tuple(tour)


def length_of(tour: Sequence[int], distance: Distance) -> float:
    """Add up the legs of a tour.

    Returns its length, the leg back to the first city included, in the unit of `distance`.
    """
    return sum(distance[a][b] for a, b in zip(tour, (*tour[1:], tour[0]), strict=True))


class Cycle:
    """A tour that is changed in place, by turning stretches of it round; every change can be taken back.

    Which of both directions is forwards is of no importance, and may change.
    """

    def __init__(self, tour: Sequence[int]) -> None:
        self.order = list(tour)
        self.at = [0] * len(tour)  # the place of each city in `order`
        for place, city in enumerate(tour):
            self.at[city] = place
        self._turned: list[tuple[int, int]] = []  # places, since the last `keep`

    def beside(self, city: int) -> tuple[int, int]:
        """The city before it and the one after it."""
        place = self.at[city]
        return self.order[place - 1], self.order[place + 1 - len(self.order)]

    def turn(self, outside: int, first: int, last: int) -> None:
        """Turn the stretch from `first` to `last` round, so that `outside` is not beside `first` but beside `last`."""
        i, j = self.at[first], self.at[last]
        if self.order[i - 1] != outside:
            i, j = j, i
        self._turn(i, j)
        self._turned.append((i, j))

    def keep(self) -> None:
        """What was changed will not be taken back any more."""
        self._turned.clear()

    def take_back(self) -> None:
        """Undo what was changed since the last `keep`."""
        while self._turned:
            self._turn(*self._turned.pop())

    def _turn(self, i: int, j: int) -> None:
        """Turn the places from i to j, which may pass the end of the list, or all others: whichever are fewer."""
        order, at, size = self.order, self.at, len(self.order)
        if 2 * ((j - i) % size + 1) > size:
            i, j = (j + 1) % size, (i - 1) % size
        if i <= j:
            order[i : j + 1] = order[i : j + 1][::-1]
            for place in range(i, j + 1):
                at[order[place]] = place
            return
        for _ in range(((j - i) % size + 1) // 2):
            a, b = order[i], order[j]
            order[i], order[j] = b, a
            at[b], at[a] = i, j
            i, j = (i + 1) % size, (j - 1) % size
