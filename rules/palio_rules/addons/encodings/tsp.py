"""The travelling salesman in numbers: a tour is made city by city, from city 0; an action is the city to go to next."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from palio_rules.addons.encodings.encoding import Encoding, Planes, stacked
from palio_rules.boards.cities import Instance, Tour
from palio_rules.errors import IllegalMove, quoted
from palio_rules.game import Game, Outcome
from palio_rules.games.tsp import Position, TspOptions


@dataclass(frozen=True, slots=True)
class Journey:
    """A tour in the making: the cities visited so far, of which the first is 0."""

    instance: Instance
    path: Tour = (0,)

    @property
    def to_move(self) -> int | None:
        """0, the solver; None when all cities have been visited."""
        return 0 if len(self.path) < self.instance.size else None

    def legal_moves(self) -> Iterator[int]:
        """The cities that are left, ascending."""
        visited = set(self.path)
        return (city for city in range(self.instance.size) if city not in visited)

    def check(self, move: int) -> None:
        """Raise IllegalMove, with the reason, unless city `move` can be the next one."""
        if not 0 <= move < self.instance.size:
            raise IllegalMove("no-such-city", f"city {quoted(move)} does not exist")
        if move in self.path:
            raise IllegalMove("visited-twice", f"city {move} has been visited already")

    def play(self, move: int) -> Self:
        return replace(self, path=(*self.path, move))

    def outcome(self) -> Outcome | None:
        return None if self.to_move is not None else Outcome("best-tour", (1.0,))

    def length(self) -> float:
        """The way so far; home again, once all cities have been visited."""
        if self.to_move is None:
            return float(self.instance.length(self.path))
        distance = self.instance.distance
        return float(sum(distance(a, b) for a, b in zip(self.path, self.path[1:], strict=False)))


class TspEncoding(Encoding[Journey, int]):
    """Action: the number of the next city. An observation has a row for each city, by number."""

    planes = (
        "x, from 0 to 1",
        "y, on the same scale",
        "distance from where you are, of the instance's largest extent",
        "distance from city 0, where the tour ends, on the same scale",
        "1 where the city has been visited",
        "1 where you are",
    )

    in_parts = True

    def __init__(self, rules: Game[Any, Any], options: TspOptions) -> None:
        super().__init__(rules, options)
        if options.cities or options.distances:
            self.actions = rules.start(options).instance.size
        else:
            self.actions = options.size
        self.shape = (self.actions, len(self.planes))
        self._drawn: tuple[Instance, Planes, float] | None = None  # what does not change while a tour is made

    def index(self, state: Journey, move: int) -> int:
        return move

    def move(self, state: Journey, index: int) -> int:
        return index

    def observe(self, state: Journey, seat: int) -> Planes:
        instance = state.instance
        fixed, scale = self._known(instance)
        here = state.path[-1]
        there = np.array([instance.distance(here, city) for city in range(instance.size)], np.float64) / scale
        visited, standing = np.zeros(instance.size, np.float32), np.zeros(instance.size, np.float32)
        visited[list(state.path)] = 1
        standing[here] = 1
        x, y, home = fixed.T
        return stacked(self.shape, [x, y, np.minimum(there, 1).astype(np.float32), home, visited, standing])

    def _known(self, instance: Instance) -> tuple[Planes, float]:
        """Return the drawing of the instance; it is kept, because it is asked for often."""
        if self._drawn is None or self._drawn[0] != instance:
            self._drawn = (instance, *_drawn(instance))
        return self._drawn[1:]

    def root(self, state: Position) -> Journey:
        return Journey(state.instance)

    def whole(self, state: Journey, move: int) -> Tour | None:
        after = state.play(move)
        return after.path if after.to_move is None else None

    def shown(self, first: Position, state: Journey) -> Position:
        return first if state.to_move is not None else first.play(state.path)

    def spent(self, state: Journey) -> float:
        return state.length()

    def penalty(self, state: Journey) -> float:
        """The instance's largest extent: no way to another city is longer."""
        return self._known(state.instance)[1]

    def longest(self, state: Journey) -> int:
        return 2 * self.actions  # twice what a tour takes: for actions that are not legal


def _drawn(instance: Instance) -> tuple[Planes, float]:
    """x, y and the distance from home of each city, all from 0 to 1, and the unit of these in the instance's own."""
    found = np.zeros((instance.size, 3), np.float64)
    if instance.points is not None:
        found[:, :2] = instance.points
        found[:, :2] -= found[:, :2].min(axis=0)
        extent = float(found[:, :2].max())
        scale = float(np.hypot(*found[:, :2].max(axis=0))) + 1.0  # distances are rounded
        found[:, :2] /= extent or 1.0
    else:
        assert instance.rows is not None
        scale = float(max(max(row) for row in instance.rows)) or 1.0
    found[:, 2] = np.minimum([instance.distance(0, city) / scale for city in range(instance.size)], 1)
    return found.astype(np.float32), scale
