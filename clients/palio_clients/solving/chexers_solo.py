"""Chexers Solo: A* compiled, with a better estimate than the readable one; without numba that."""

from palio_clients.kernels import available
from palio_clients.search.game_tree import Stopped
from palio_clients.solving.budget import Budget
from palio_clients.solving.planning import PROOF, PlanSolver
from palio_clients.solving.solution import Solution
from palio_clients.solving.solver import Solver
from palio_rules.games.chexers_solo import Position
from palio_rules.registry import game


def solver() -> Solver:
    if not available():
        return PlanSolver(game("chexers_solo"))
    from palio_clients.kernels.chexers_solo import warm_up  # noqa: PLC0415 - numba may be missing

    warm_up()
    return CompiledChexersSolo(game("chexers_solo"))


class CompiledChexersSolo(PlanSolver):
    """Falls back on the readable search where a board does not fit, or for bounds when the time is up."""

    how = "compiled A* with a pattern database"

    def solve(self, state: Position, budget: Budget) -> Solution:
        from palio_clients.kernels.chexers_solo import fits, solve  # noqa: PLC0415 - numba may be missing
        from palio_clients.kernels.chexers_solo.board import workspace  # noqa: PLC0415 - as above

        if not fits(state.cells, state.colour):
            return super().solve(state, budget)
        spaces = workspace(state.cells, state.colour)
        budget.stage = "A*"
        try:
            with budget.counting(lambda: int(spaces[0]["explored"])):
                plan = solve(state.cells, state.colour, budget.share(PROOF).stop, spaces)
        except Stopped:
            return super().solve(state, budget)
        finally:
            budget.spend(int(spaces[0]["explored"]))
        if not plan.complete:
            return Solution("loss")
        return self.within_the_rules(state, plan.moves)
