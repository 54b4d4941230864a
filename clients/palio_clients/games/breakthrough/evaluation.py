"""Breakthrough: pawns count more the further they have advanced; the shortest plan is a single pawn's run."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any

from palio_clients.search.planning import Problem
from palio_rules.games.breakthrough import BLACK, Board, Move, Position

PAWN = 1.0
STEP = 0.1  # for each row that a pawn has advanced; a pawn two steps from home is worth about two others


def evaluate(state: Position, seat: int) -> float:
    """Return the value of pawns and their advance, ours less theirs."""
    rows = _row_masks(state.board)
    last = len(rows) - 1
    value = PAWN * (state.black.bit_count() - state.white.bit_count())
    for row, mask in enumerate(rows):
        value += STEP * row**1.5 * (state.black & mask).bit_count()
        value -= STEP * (last - row) ** 1.5 * (state.white & mask).bit_count()
    return value if seat == BLACK else -value


def problem(state: Position, seat: int = 0) -> Problem[Any]:
    return Problem(state, partial(_alone, seat=seat), partial(_remaining, seat=seat))


def _alone(state: Position, seat: int) -> Iterator[tuple[Move, Any]]:
    for move in state.legal_moves():
        yield move, replace(state.play(move), turn=seat)


def _remaining(state: Position, seat: int) -> float:
    """Return the rows between the foremost pawn and the far row: a lower bound of the steps. Admissible."""
    if (outcome := state.outcome()) is not None:
        return 0 if outcome.scores[seat] == 1 else len(_row_masks(state.board))
    rows = _row_masks(state.board)
    from_goal = reversed(rows) if seat == BLACK else rows
    own = state.black if seat == BLACK else state.white
    return next(distance for distance, mask in enumerate(from_goal) if own & mask)


@cache
def _row_masks(board: Board) -> tuple[int, ...]:
    return tuple(board.row << row * board.cols for row in range(board.rows))
