"""The companion of Chess: searches, evaluation, quiescence and the history that repetition needs."""

from palio_clients.games.chess.evaluation import evaluate, lookback, noisy_moves
from palio_clients.games.companion import Companion
from palio_clients.kernels import available
from palio_clients.solving.solver import Solver
from palio_rules.game import Game
from palio_rules.games.chess_position import Position


class ChessCompanion(Companion[Position, str]):
    """Compiled and readable searches with one evaluation. The compiled one proves mates; nothing proves a draw."""

    compiled = f"{__name__}.kernels"
    unit = ("pawn", "pawns")
    evaluate = staticmethod(evaluate)
    noisy_moves = staticmethod(noisy_moves)
    lookback = staticmethod(lookback)

    def solver(self, rules: Game[Position, str]) -> Solver:
        if not available():
            return super().solver(rules)
        from palio_clients.games.chess.kernels import ChessEngine, warm_up  # noqa: PLC0415 - numba may be missing
        from palio_clients.solving.engine_solver import Engines, EngineSolver  # noqa: PLC0415 - with it

        warm_up()
        engines = Engines(ChessEngine(), ChessEngine(clever=False))
        return EngineSolver(lambda _: engines)
