"""Go compiled: Monte Carlo tree search, and the counting of legal boards.

`mcts` shares the idea with the readable search, not its random numbers. The same machine code handles boards of every
size. It knows the simple ko; of longer cycles only the moves that the rules forbid in the position that is searched.
"""

from random import Random
from sys import modules

from palio_clients.games.engine import Limits
from palio_clients.games.go.kernels.counting import legal_boards
from palio_clients.games.go.kernels.mcts import mcts, ranked
from palio_clients.games.go.kernels.playouts import dead_stones, is_settled, owners
from palio_clients.kernels.compiling import compiling
from palio_clients.search.game_tree import Best, Stop
from palio_rules.games.go_position import Position, placed

__all__ = ["GoEngine", "dead_stones", "is_settled", "legal_boards", "mcts", "ranked", "warm_up"]

MOST = 10_000_000  # simulations of one search


class GoEngine:
    """The engine of `champion`: the tree search, with a new seed for each move. Its depth is that of the tree."""

    remark: str | None = None

    def __init__(self, seed: int = 0) -> None:
        self._random = Random(seed)  # noqa: S311 - games, not secrets

    def warm_up(self) -> None:
        with compiling(modules[__name__]):
            warm_up()

    def best(self, state: Position, limits: Limits, stop: Stop) -> Best:
        seed = self._random.getrandbits(32)
        return mcts(state, nodes=limits.nodes or MOST, depth=limits.depth, seed=seed, stop=stop)


def warm_up() -> None:
    mcts(placed(5), nodes=20)
    owners(placed(5), games=1)
