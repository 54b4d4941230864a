"""Breakthrough compiled.

`perft` and `alpha_beta` are twins of the readable ones; `mcts` shares its algorithm with the readable one, and
`BreakthroughEngine` is the engine of bots. `prover` proves the winner, for `palio solve`; it is compiled on first use.
The same machine code handles boards of every size that the rules allow.
"""

from palio_clients.games.breakthrough.kernels import evaluation
from palio_clients.games.breakthrough.kernels.alpha_beta import alpha_beta
from palio_clients.games.breakthrough.kernels.mcts import mcts
from palio_clients.games.breakthrough.kernels.strong import search
from palio_clients.games.breakthrough.kernels.workspace import line_of, perft, words_of, workspace
from palio_clients.kernels.engine import TABLE_BITS, KernelEngine, shown
from palio_clients.kernels.jit import Flag
from palio_clients.search.game_tree import Best
from palio_rules.games.breakthrough import BLACK, Board, BreakthroughOptions, Position, board_of

__all__ = ["BreakthroughEngine", "alpha_beta", "engine", "mcts", "perft", "warm_up"]


class BreakthroughEngine(KernelEngine):
    """An engine for one size of board.

    With `clever` False it finds the score of plain alpha-beta with its evaluation.
    """

    def __init__(self, board: Board, *, clever: bool = True, bits: int = TABLE_BITS) -> None:
        super().__init__(bits)
        self.workspace = workspace(board)
        evaluation.lay_out_race(self.workspace[0], board)
        evaluation.lay_out(self.workspace[0], board)
        self.workspace["clever"] = clever

    def _search(self, state: Position, depth: int, flag: Flag) -> Best:
        score = search(self.workspace, self.table, flag, *words_of(state), state.turn, depth)
        line = line_of(state, self.workspace[0]["line"][0])
        return Best(line[0] if line else None, shown(score), depth, int(self.workspace[0]["nodes"]), line)


def engine(options: BreakthroughOptions) -> BreakthroughEngine:
    return BreakthroughEngine(board_of(options.rows, options.cols))


def warm_up() -> None:
    board = board_of(4, 3)
    state = Position(board, *board.home, BLACK)
    perft(state, 2)
    alpha_beta(state, 2)
    BreakthroughEngine(board, bits=4).search(state, 2)
    mcts(state, nodes=2)
