"""The companion of Breakthrough: searches, solver and evaluation."""

from palio_clients.games.breakthrough.evaluation import evaluate, problem
from palio_clients.games.companion import Companion
from palio_clients.solving.solver import Solver
from palio_rules.game import Game
from palio_rules.games.breakthrough import Move, Position


class BreakthroughCompanion(Companion[Position, Move]):
    """Compiled searches of every kind, and proofs by compiled proof-number search."""

    compiled = f"{__name__}.kernels"
    unit = ("pawn", "pawns")
    evaluate = staticmethod(evaluate)
    problem = staticmethod(problem)

    def solver(self, rules: Game[Position, Move]) -> Solver:
        from palio_clients.games.breakthrough.solver import solver  # noqa: PLC0415 - loads the searches

        return solver(rules)
