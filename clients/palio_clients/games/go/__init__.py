"""The companion of Go: compiled Monte Carlo tree search, evaluation, and the history that superko needs."""

from palio_clients.games.companion import Companion, TreeSearch
from palio_clients.games.engine import Engine
from palio_clients.games.go.evaluation import evaluate, lookback
from palio_clients.kernels import available
from palio_rules.game import Game
from palio_rules.games.go import GoOptions
from palio_rules.games.go_position import Position


class GoCompanion(Companion[Position, str]):
    """Compiled Monte Carlo tree search, which `mcts` and `champion` play; alpha-beta has an evaluation of influence."""

    compiled = f"{__name__}.kernels"
    evaluate = staticmethod(evaluate)
    lookback = staticmethod(lookback)

    def tree_search(self) -> TreeSearch | None:
        if not available():
            return None
        from palio_clients.games.go.kernels import GoEngine, mcts  # noqa: PLC0415 - numba may be missing

        GoEngine().warm_up()
        return mcts

    def engine(self, rules: Game[Position, str], options: GoOptions, seed: int = 0) -> Engine:
        if not available():
            return super().engine(rules, options, seed)
        from palio_clients.games.go.kernels import GoEngine  # noqa: PLC0415 - as above

        return GoEngine(seed)
