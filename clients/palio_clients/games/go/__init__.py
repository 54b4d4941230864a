"""The companion of Go: compiled Monte Carlo tree search, evaluation, and the history that superko needs."""

from palio_clients.games.advice import Adviser, Unsolvable
from palio_clients.games.companion import Companion, TreeSearch
from palio_clients.games.engine import Engine
from palio_clients.games.go.evaluation import evaluate, is_done, lookback
from palio_clients.kernels import available, missing
from palio_clients.search.game_tree import Stop
from palio_clients.solving.solver import Solver
from palio_rules.boards.go import PASS
from palio_rules.game import Game
from palio_rules.games.go import GoOptions
from palio_rules.games.go_position import Position
from palio_rules.records.record import value_of


class GoCompanion(Companion[Position, str]):
    """Compiled Monte Carlo tree search, which `mcts` and `champion` play; alpha-beta has an evaluation of influence."""

    compiled = f"{__name__}.kernels"
    evaluate = staticmethod(evaluate)
    lookback = staticmethod(lookback)

    def dead(self, state: Position) -> int:
        """Return the stones that are dead, if both sides play on well enough; without numba none."""
        if not available():
            return 0
        from palio_clients.games.go.kernels import dead_stones  # noqa: PLC0415 - numba may be missing

        self.tree_search()
        return dead_stones(state)

    def rest(self, state: Position) -> str | None:
        return PASS if is_done(state) else None

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

    def solver(self, rules: Game[Position, str]) -> Solver:
        from palio_clients.games.go.playouts import PlayoutSolver  # noqa: PLC0415 - loads the searches

        return PlayoutSolver(rules, self.lookback, self.tree_search())

    def adviser(self, rules: Game[Position, str]) -> Adviser | None:
        from palio_clients.games.go.playouts import PlayoutAdviser  # noqa: PLC0415 - as above

        search = self.tree_search()
        return None if search is None else PlayoutAdviser(rules, search)

    def values(self, state: Position, depth: int, stop: Stop) -> list[tuple[str, float]]:
        if remark := missing():
            raise Unsolvable(f"moves of Go are ranked by games that are played to their end; {remark}")
        from palio_clients.games.go.kernels import ranked  # noqa: PLC0415 - numba may be missing
        from palio_clients.games.go.playouts import ADVISED  # noqa: PLC0415 - loads the searches

        self.tree_search()
        return [(move, value_of(share)) for move, share in ranked(state, nodes=ADVISED * depth, seed=1, stop=stop)]
