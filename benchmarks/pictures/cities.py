"""The cities of the pictures of tours, tours that are drawn, and a landscape that records a climber's steps."""

from collections.abc import Iterable, Sequence
from random import Random

from palio_clients.games.tsp.landscape import Stretch, TourLandscape, distances
from palio_clients.search.tours import Tours
from palio_rules.boards.cities import Instance, Tour
from palio_rules.registry import game_from_spec
from pictures.drawing.svg import Point, Sheet

SEED, NEAR = 1, 8


def instance(size: int, seed: int = SEED) -> Instance:
    rules, options = game_from_spec(f"tsp:size={size}")
    return rules.start(options, seed).instance


def tours(cities: Instance) -> Tours:
    return Tours(distances(cities))


class Walk(TourLandscape):
    """A landscape that records the current tours, and after how many steps.

    `stop`, its criterion, counts the steps and ends after the last one.
    """

    def __init__(self, cities: Instance, steps: int) -> None:
        super().__init__(tours(cities))
        self.most, self.steps = steps, 0
        self.visited: list[tuple[int, Tour]] = []
        self.best: list[float] = []  # before each step

    def begin(self, tour: Tour) -> Tour:
        self.visited.append((self.steps, tour))
        return tour

    def somewhere(self, random: Random) -> Tour:
        return self.begin(super().somewhere(random))

    def changed(self, state: Tour, change: Stretch) -> Tour:
        return self.begin(super().changed(state, change))

    def stop(self, best: float) -> bool:
        if self.steps == self.most:
            return True
        self.best.append(best)
        self.steps += 1
        return False

    def costs(self) -> list[tuple[float, float]]:
        """Return the length of the climber's tour, with the number of steps, at each change."""
        return [(steps, self.cost(tour)) for steps, tour in self.visited]


class Map:
    """The cities in a square of so many units, from (left, top)."""

    def __init__(self, sheet: Sheet, cities: Instance, left: float, top: float, side: float) -> None:
        assert cities.points is not None
        self.sheet, self.left, self.top, self.side = sheet, left, top, side
        xs, ys = zip(*cities.points, strict=True)
        self.points = cities.points
        self._low, self._unit = (min(xs), min(ys)), side / max(max(xs) - min(xs), max(ys) - min(ys))

    def at(self, city: int) -> Point:
        x, y = self.points[city]
        return self.left + (x - self._low[0]) * self._unit, self.top + (y - self._low[1]) * self._unit

    def tour(self, tour: Sequence[int], ink: str = "soft", width: float = 1.4) -> None:
        self.sheet.path([self.at(city) for city in tour], closed=True, stroke=ink, width=width)

    def legs(self, legs: Iterable[tuple[int, int]], ink: str, width: float = 3, dash: str = "") -> None:
        self.sheet.lines([(self.at(a), self.at(b)) for a, b in legs], stroke=ink, width=width, dash=dash)

    def stretch(self, cities: Sequence[int], ink: str, width: float = 2.4) -> None:
        self.sheet.path([self.at(city) for city in cities], stroke=ink, width=width)

    def cities(self, radius: float = 2.2, ink: str = "ink") -> None:
        self.sheet.dots([self.at(city) for city in range(len(self.points))], radius, ink)


def legs(tour: Sequence[int]) -> set[tuple[int, int]]:
    """Return the legs, each with the smaller city first."""
    return {(min(a, b), max(a, b)) for a, b in zip(tour, (*tour[1:], tour[0]), strict=True)}
