"""The companion of Rush Hour: searches, solvers and evaluation."""

from palio_clients.games.companion import Companion
from palio_clients.games.rush_hour.evaluation import evaluate, problem
from palio_clients.solving.solver import Solver
from palio_rules.game import Game
from palio_rules.games.rush_hour import Move, Position


class RushHourCompanion(Companion[Position, Move]):
    """Shortest plans by A*, or compiled, breadth first."""

    compiled = f"{__name__}.kernels"
    evaluate = staticmethod(evaluate)
    problem = staticmethod(problem)

    def solver(self, rules: Game[Position, Move]) -> Solver:
        from palio_clients.games.rush_hour.evaluation import solver  # noqa: PLC0415 - loads the searches

        return solver()
