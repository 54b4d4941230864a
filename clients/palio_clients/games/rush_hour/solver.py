"""Rush Hour: breadth-first search, compiled, for one position; from all solved positions for a whole match of them.

Boards that do not fit into a word, or have too many positions, are solved by A*; so are all without numba.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from palio_clients.games.rush_hour.evaluation import problem, slides
from palio_clients.kernels import available
from palio_clients.search.game_tree import Stopped
from palio_clients.solving.budget import Budget
from palio_clients.solving.planning import PROOF, PlanSolver
from palio_clients.solving.solver import Solution, Solver
from palio_rules.boards.rush_hour import At, Garage
from palio_rules.games.rush_hour import Move, Position
from palio_rules.instances.rush_hour_solver import TooMany, reach

if TYPE_CHECKING:  # numba may be missing
    from palio_clients.games.rush_hour.kernels.search import Positions

SURVEYED = 300_000  # positions that are looked at in Python to know the distance of each: some ten seconds


def solver() -> Solver:
    if not available():
        return RushHourSolver()
    from palio_clients.games.rush_hour.kernels import warm_up  # noqa: PLC0415 - numba may be missing

    warm_up()
    return CompiledRushHour()


class RushHourSolver(PlanSolver):
    """Slides can be taken back, so that one survey knows the distance of whatever a board can become."""

    def __init__(self) -> None:
        super().__init__(problem)
        self._distance: Callable[[At], int | None] | None = None
        self._surveyed: Garage | None = None

    def survey(self, state: Position, budget: Budget) -> None:
        try:
            self._distance = self.distances(state, budget)
            self._surveyed = state.garage
        except (TooMany, Stopped):
            self._surveyed = None

    def distances(self, state: Position, budget: Budget) -> Callable[[At], int | None]:
        """The distance of whatever can be reached, None where there is no way out. Raises TooMany, Stopped."""
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
        """Of one position, without a survey."""
        return super().solve(state, budget)


class CompiledRushHour(RushHourSolver):
    """Looks at millions of positions a second."""

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
        except (TooMany, Stopped):
            return super().search(state, budget)  # which knows bounds, and any plan at all
        finally:
            budget.spend(positions.count)
        return self._way(state, positions)

    def _way(self, state: Position, positions: "Positions") -> Solution:
        found = int(positions.spaces[0]["found"])
        if found < 0:
            return Solution("loss")
        letters = [car.letter for car in state.garage.vehicles]
        return self.within_the_rules(state, tuple(Move(letters[car], by) for car, by in positions.way_to(found)))
