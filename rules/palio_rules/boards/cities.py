"""An instance of the travelling salesman's problem: the cities, the distance between any two, and both as text.

The rules of the race are in `tsp`.

Cities are numbered from 0. They are points, with the distances of TSPLIB's EUC_2D: Euclid's, each rounded to the
nearest integer (Reinelt, "TSPLIB: a traveling salesman problem library", 1991). Or there is a list of all distances.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import fsum, isfinite, sqrt
from typing import Self

from palio_rules.errors import BadPosition, quoted

Number = int | float
Tour = tuple[int, ...]
Point = tuple[Number, Number]

MIN_CITIES, MAX_CITIES = 3, 2000
MAX_LISTED = 80  # cities, if all distances are listed
MAX_TEXT = 24_000  # characters: an instance must fit into a message of 64 KiB twice, as options and as a position
MAX_NUMBER = 1_000_000_000  # a coordinate, a distance


@dataclass(frozen=True, slots=True)
class Instance:
    """n cities, made by `of_points` or `of_distances`; instances are equal when their texts are equal."""

    text: str  # "euc 565,575;25,185;..." or "list 10,15,22;8,25;30"
    size: int = field(compare=False)
    points: tuple[Point, ...] | None = field(compare=False)
    rows: tuple[tuple[Number, ...], ...] | None = field(compare=False)  # rows[a][b - a - 1] is from a to b > a

    @classmethod
    def of_points(cls, points: Sequence[Point]) -> Self:
        """Make cities from points on a plane. Raises BadPosition with the city that does not fit."""
        cities = tuple((_number(x, f"city {n}: x"), _number(y, f"city {n}: y")) for n, (x, y) in enumerate(points))
        text = f"euc {';'.join(f'{x},{y}' for x, y in cities)}"
        return cls(_short(text, len(cities)), len(cities), cities, None)

    @classmethod
    def of_distances(cls, distances: Sequence[Number]) -> Self:
        """Make cities from all distances: 0 to 1, 0 to 2, ..., 1 to 2, and so on.

        Raises BadPosition if the count is wrong.
        """
        size = (1 + int(sqrt(1 + 8 * len(distances)))) // 2
        if size * (size - 1) // 2 != len(distances):
            raise BadPosition(f"{len(distances)} distances are too many for {size} cities and too few for {size + 1}")
        if size > MAX_LISTED:
            raise BadPosition(f"a list of distances has at most {MAX_LISTED} cities, got {size}; give coordinates")
        starts = [a * size - a * (a + 1) // 2 for a in range(size - 1)]
        rows = tuple(
            tuple(
                _number(d, f"the distance from {a} to {b}", least=0)
                for b, d in enumerate(distances[start : start + size - 1 - a], a + 1)
            )
            for a, start in enumerate(starts)
        )
        text = f"list {';'.join(','.join(map(str, row)) for row in rows)}"
        return cls(_short(text, size), size, None, rows)

    def distance(self, a: int, b: int) -> Number:
        """Return the distance between cities `a` and `b`, the same in both directions."""
        if self.points is not None:
            (x1, y1), (x2, y2) = self.points[a], self.points[b]
            return int(sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2) + 0.5)
        assert self.rows is not None
        return 0 if a == b else self.rows[min(a, b)][abs(a - b) - 1]

    def length(self, tour: Tour) -> Number:
        """Return the length of a tour with the way back to its first city; start and direction make no difference."""
        edges = [self.distance(a, b) for a, b in zip(tour, (*tour[1:], tour[0]), strict=True)]
        total = fsum(edges)
        return int(total) if total.is_integer() else total


def _number(value: Number, what: str, least: int = -MAX_NUMBER) -> Number:
    """Return a number as it is written: 565.0 is 565. Raises BadPosition if it is out of range."""
    if not isfinite(value) or not least <= value <= MAX_NUMBER:
        raise BadPosition(f"{what} is out of range: {value!r} is not within {least} and {MAX_NUMBER}")
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _short(text: str, size: int) -> str:
    if not MIN_CITIES <= size <= MAX_CITIES:
        raise BadPosition(f"an instance has {MIN_CITIES} to {MAX_CITIES} cities, got {size}")
    if len(text) > MAX_TEXT:
        raise BadPosition(f"an instance of {size} cities fits into {MAX_TEXT} characters, this one has {len(text)}")
    return text


_NUMBER = re.compile(r"-?[0-9]{1,10}(?:\.[0-9]{1,20})?(?:e-[0-9]{2,3})?")


@lru_cache(maxsize=64)
def read_instance(text: str) -> Instance:
    """Read what `Instance.text` wrote. Raises BadPosition with the place and the reason."""
    kind, _, data = text.partition(" ")
    if len(text) > MAX_TEXT or kind not in ("euc", "list"):
        raise BadPosition(f"an instance is 'euc x,y;x,y;...' or 'list d,d,...;d,...', got {quoted(text)}")
    rows = [[_read(word) for word in row.split(",")] for row in data.split(";")]
    if kind == "list":
        found = Instance.of_distances([number for row in rows for number in row])
    else:
        for city, row in enumerate(rows):
            if len(row) != 2:
                raise BadPosition(f"city {city} is x,y, got {len(row)} numbers")
        found = Instance.of_points([(x, y) for x, y in rows])
    if found.text != text:
        raise BadPosition(f"an instance is written in one way only, {quoted(found.text)}, got {quoted(text)}")
    return found


def _read(word: str) -> Number:
    if not _NUMBER.fullmatch(word):
        raise BadPosition(f"{quoted(word)} is no number")
    return float(word) if "." in word or "e" in word else int(word)
