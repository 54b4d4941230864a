"""The companion of End of the Track: searches, solvers and evaluation."""

from palio_clients.games.companion import Companion
from palio_clients.games.end_of_the_track.evaluation import evaluate, lookback, problem
from palio_clients.solving.solver import Solver
from palio_rules.game import Game
from palio_rules.games.end_of_track import Move, Position


class EndOfTheTrackCompanion(Companion[Position, Move]):
    """Compiled searches of every kind, proofs, and plans from board to board."""

    compiled = f"{__name__}.kernels"
    unit = ("row of the ball", "rows of the ball")
    evaluate = staticmethod(evaluate)
    problem = staticmethod(problem)
    lookback = staticmethod(lookback)

    def solver(self, rules: Game[Position, Move]) -> Solver:
        from palio_clients.games.end_of_the_track.solver import solver  # noqa: PLC0415 - loads the searches

        return solver(rules)

    def solver_to(self, rules: Game[Position, Move], goal: str) -> Solver:
        from palio_clients.games.end_of_the_track.solver import TurnsTo  # noqa: PLC0415 - as above

        return TurnsTo(rules.parse_state(goal))
