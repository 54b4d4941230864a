"""The companion of Chexers Solo: searches, solver and evaluation."""

from palio_clients.games.advice import PlanAdviser
from palio_clients.games.chexers_solo.evaluation import evaluate, problem
from palio_clients.games.companion import Companion
from palio_clients.kernels import available
from palio_clients.search.game_tree import Stopped
from palio_clients.solving.budget import Budget
from palio_clients.solving.solver import PROOF, PlanSolver, Solution, Solver
from palio_rules.boards.chexers import Action
from palio_rules.game import Game
from palio_rules.games.chexers_solo import Position


class CompiledChexersSolo(PlanSolver):
    """Compiled A*; the readable search is used if a board does not fit, or for bounds when the time is up."""

    how = "compiled A* with a pattern database"

    def solve(self, state: Position, budget: Budget) -> Solution:
        from palio_clients.games.chexers_solo.kernels import fits, solve  # noqa: PLC0415 - numba may be missing
        from palio_clients.games.chexers_solo.kernels.search import workspace  # noqa: PLC0415 - as above

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


class ChexersSoloCompanion(Companion[Position, Action]):
    """Shortest plans by A*, compiled with a pattern database."""

    compiled = f"{__name__}.kernels"
    evaluate = staticmethod(evaluate)
    problem = staticmethod(problem)

    def solver(self, rules: Game[Position, Action]) -> Solver:
        """Return compiled A*, with a better estimate than the readable one; without numba the readable one."""
        if not available():
            return PlanSolver(problem)
        from palio_clients.games.chexers_solo.kernels import warm_up  # noqa: PLC0415 - numba may be missing

        warm_up()
        return CompiledChexersSolo(problem)

    def adviser(self, rules: Game[Position, Action]) -> PlanAdviser:
        return PlanAdviser(self.problem, unit="action")
