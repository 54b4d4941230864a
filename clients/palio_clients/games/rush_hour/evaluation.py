"""Rush Hour: every vehicle that blocks `a` must move, and so must every vehicle that blocks the only way of that one.

The estimate is one of CSCI 104's (University of Southern California). It is consistent, hence admissible: it counts
vehicles each of which has to move at least once more, and a move of one vehicle takes no other one off the list.

- *Direct blockers* stand in the row of `a`, to its right. Where `a` itself slides it passes over empty cells, so that
  it has the same vehicles to its right afterwards.
- *Indirect blockers* stand in the cells through which a direct blocker has to leave the row, if it is too long to leave
  it on the other side. When it has moved and left the row, those cells were empty; when it has moved and is still in
  the row, vehicles that it did not pass still block it.

A direct blocker that lies in the row of `a`, or is too long for either side, can never leave: then the estimate is
infinite.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from math import inf
from typing import TYPE_CHECKING

from palio_clients.kernels import available
from palio_clients.search.game_tree import Stopped
from palio_clients.search.planning import Problem
from palio_clients.solving.budget import Budget
from palio_clients.solving.solver import PROOF, PlanSolver, Solution, Solver
from palio_rules.boards.rush_hour import At, Garage, Vehicle
from palio_rules.games.rush_hour import Move, Position
from palio_rules.instances.rush_hour import TooManyPositions, reach

if TYPE_CHECKING:
    from palio_clients.games.rush_hour.kernels.search import Positions


LOST = 1000.0  # the value of an unsolvable position: less than any other


def problem(state: Position, _seat: int = 0) -> Problem[At]:
    """Return the puzzle from `state` on: a state is the places of the vehicles, and each slide costs 1."""
    return Problem(state.at, partial(slides, state.garage), partial(indirect_blockers, state.garage))


def evaluate(state: Position, _seat: int) -> float:
    """Return the negative number of vehicles that have to move."""
    return -min(indirect_blockers(state.garage, state.at), LOST)


def slides(garage: Garage, at: At) -> Iterator[tuple[Move, At]]:
    """Yield every move, and the places of the vehicles after it, in the order of the rules."""
    vehicles = garage.vehicles
    for index, amount in garage.slides(at):
        yield Move(vehicles[index].letter, amount), (*at[:index], at[index] + amount, *at[index + 1 :])


def indirect_blockers(garage: Garage, at: At) -> float:
    """Return the vehicles to the right of `a`, and those in the only way of these; 0 only if the board is solved."""
    road = garage.road[at[garage.escaping]]
    needed, only_way = road, _only_ways(garage)
    for index, stands in enumerate(garage.stands):
        if stands[at[index]] & road:
            way = only_way[index][at[index]]
            if way is None:
                return inf
            needed |= way
    return sum(1 for stands, k in zip(garage.stands, at, strict=True) if stands[k] & needed)


@lru_cache(maxsize=64)
def _only_ways(garage: Garage) -> tuple[tuple[int | None, ...], ...]:
    """Return for each vehicle, by its first cell, the cells through which it must leave the row of `a`.

    None: it never can. No cells at all if it can leave on both sides.
    """
    row = garage.vehicles[garage.escaping].line
    return tuple(_only_way(car, cells, row) for car, cells in zip(garage.vehicles, garage.cells, strict=True))


def _only_way(car: Vehicle, cells: tuple[int, ...], row: int) -> tuple[int | None, ...]:
    side = len(cells)
    up, down = row >= car.length, row + car.length < side
    if car.lies or not (up or down):
        return (None,) * side
    if up and down:
        return (0,) * side
    if up:
        return tuple(sum(cells[row - car.length : k]) for k in range(side))
    return tuple(sum(cells[k + car.length : row + 1 + car.length]) for k in range(side))


# Rush Hour: breadth-first search, compiled, for one position; from all solved positions for a whole match of them.
#
# Boards that do not fit into a word, or have too many positions, are solved by A*; so are all without numba.

SURVEYED = 300_000  # positions that are searched in Python for the distance of each: some ten seconds


def solver() -> Solver:
    if not available():
        return RushHourSolver()
    from palio_clients.games.rush_hour.kernels import warm_up  # noqa: PLC0415 - numba may be missing

    warm_up()
    return CompiledRushHour()


class RushHourSolver(PlanSolver):
    """A solver with one survey of all reachable distances, because slides can be taken back."""

    def __init__(self) -> None:
        super().__init__(problem)
        self._distance: Callable[[At], int | None] | None = None
        self._surveyed: Garage | None = None

    def survey(self, state: Position, budget: Budget) -> None:
        try:
            self._distance = self.distances(state, budget)
            self._surveyed = state.garage
        except (TooManyPositions, Stopped):
            self._surveyed = None

    def distances(self, state: Position, budget: Budget) -> Callable[[At], int | None]:
        """Return the distance of every reachable position, None if unsolvable. Raises TooManyPositions, Stopped."""
        found = reach(state.garage, state.at, SURVEYED)
        budget.spend(found.positions)
        return {at: distance for distance, level in enumerate(found.levels) for at in level}.get

    def solve(self, state: Position, budget: Budget) -> Solution:
        if self._distance is None or self._surveyed != state.garage:
            return self.search(state, budget)
        at, line = state.at, list[Move]()
        left = self._distance(at)
        if left is None:
            return Solution("loss")
        while left:
            left -= 1
            move, at = next(slide for slide in slides(state.garage, at) if self._distance(slide[1]) == left)
            line.append(move)
        return self.within_the_rules(state, tuple(line))

    def search(self, state: Position, budget: Budget) -> Solution:
        """Solve one position, without a survey."""
        return super().solve(state, budget)


class CompiledRushHour(RushHourSolver):
    """A solver that searches millions of positions a second."""

    how = "compiled breadth-first search"

    def distances(self, state: Position, budget: Budget) -> Callable[[At], int | None]:
        from palio_clients.games.rush_hour.kernels import Survey, fits  # noqa: PLC0415 - numba may be missing

        if not fits(state.garage):
            return super().distances(state, budget)
        survey = Survey(state.garage, state.at, stop=budget.stop)
        budget.spend(survey.count)
        return survey.distance

    def search(self, state: Position, budget: Budget) -> Solution:
        from palio_clients.games.rush_hour.kernels import fits  # noqa: PLC0415 - numba may be missing
        from palio_clients.games.rush_hour.kernels.search import MOST, Positions  # noqa: PLC0415 - as above

        if not fits(state.garage):
            return super().search(state, budget)
        budget.stage = "breadth first"
        positions = Positions(state.garage, state.at)
        try:
            with budget.counting(lambda: positions.count):
                positions.explore(everything=False, most=MOST, stop=budget.share(PROOF).stop)
        except (TooManyPositions, Stopped):
            return super().search(state, budget)  # which gives bounds, and any plan at all
        finally:
            budget.spend(positions.count)
        return self._way(state, positions)

    def _way(self, state: Position, positions: "Positions") -> Solution:
        found = int(positions.spaces[0]["found"])
        if found < 0:
            return Solution("loss")
        letters = [car.letter for car in state.garage.vehicles]
        return self.within_the_rules(state, tuple(Move(letters[car], by) for car, by in positions.way_to(found)))
