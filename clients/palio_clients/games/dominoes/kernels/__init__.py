"""Dominoes compiled.

`alpha_beta` and `counted_alpha_beta` are twins of the readable ones; a `Solver` proves the winner; `DominoesEngine` is
the engine of bots. Boards of every size that the rules allow; proofs only if all free squares fit into 121.
"""

from palio_clients.games.dominoes.kernels.alpha_beta import alpha_beta, counted_alpha_beta
from palio_clients.games.dominoes.kernels.engine import DominoesEngine
from palio_clients.games.dominoes.kernels.proof import Solved, Solver
from palio_rules.games.dominoes import Board, Dominoes, DominoesOptions, Position, board_of

__all__ = ["DominoesEngine", "Solved", "Solver", "alpha_beta", "counted_alpha_beta", "engine", "warm_up"]


def engine(options: DominoesOptions) -> DominoesEngine:
    """Return the engine, already compiled for a board of this size."""
    board = Dominoes().start(options).board
    state = Position(board, 0)
    made = DominoesEngine(board)
    if state.to_move is not None:
        made.search(state, 2)
        _warm_up_proofs(board)
    return made


def warm_up(board: Board | None = None) -> None:
    """Compile all kernels for boards like this one, 8x8 by default; call it before any clock runs."""
    state = Position(board or board_of(8, 8), 0)
    alpha_beta(state, 2)
    counted_alpha_beta(state, 2)
    DominoesEngine(state.board, bits=4).search(state, 2)
    _warm_up_proofs(state.board)


def _warm_up_proofs(board: Board) -> None:
    """Compile for words of every width that is needed: proofs run on the rest of a board, which may be smaller."""
    for side in (8, 9) if board.rows * board.cols > 8 * 8 else (8,):
        Solver(4).move(Position(board_of(side, side), 0), max_nodes=1)
