"""Breakthrough compiled.

`perft` and `alpha_beta` are twins of the readable ones; `mcts` shares its algorithm with the readable one, and
`BreakthroughEngine` is what a bot plays with. `prover` proves who wins, for `palio solve`; it is compiled when it is
asked for. Boards of every size that the rules know, with the same machine code.
"""

from palio_clients.kernels.breakthrough.alpha_beta import alpha_beta
from palio_clients.kernels.breakthrough.engine import BreakthroughEngine
from palio_clients.kernels.breakthrough.mcts import mcts
from palio_clients.kernels.breakthrough.perft import perft
from palio_rules.games.breakthrough import BLACK, BreakthroughOptions, Position, board_of

__all__ = ["BreakthroughEngine", "alpha_beta", "engine", "mcts", "perft", "warm_up"]


def engine(options: BreakthroughOptions) -> BreakthroughEngine:
    """What plays a match with these options."""
    return BreakthroughEngine(board_of(options.rows, options.cols))


def warm_up() -> None:
    """Have all of it compiled, or read from the cache: to be called before any clock runs."""
    board = board_of(4, 3)
    state = Position(board, *board.home, BLACK)
    perft(state, 2)
    alpha_beta(state, 2)
    BreakthroughEngine(board, bits=4).search(state, 2)
    mcts(state, nodes=2)
