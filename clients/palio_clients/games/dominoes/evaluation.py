"""Dominoes: only the number of possible moves counts."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from palio_clients.search.planning import Problem
from palio_rules.games.dominoes import Board, Move, Position

MOST_TAKEN = 4  # one domino closes at most so many of the opponent's places


def evaluate(state: Position, seat: int) -> float:
    """Return our moves less the opponent's, as in the course; a seat without a move on its turn has lost already."""
    return float(room(state.board, state.filled, seat))


def room(board: Board, filled: int, seat: int) -> int:
    """Return the places of `seat`, less those of its opponent."""
    return board.places(filled, seat).bit_count() - board.places(filled, 1 - seat).bit_count()


def problem(state: Position, seat: int = 0) -> Problem[Any]:
    return Problem(state, partial(_alone, seat=seat), partial(_remaining, seat=seat))


def _alone(state: Position, seat: int) -> Iterator[tuple[Move, Any]]:
    for move in state.legal_moves():
        yield move, replace(state.play(move), turn=seat)


def _remaining(state: Position, seat: int) -> float:
    """Return how many dominoes at least close all places of the opponent, if each closes the maximum. Admissible."""
    theirs = state.board.places(state.filled, 1 - seat).bit_count()
    return -(-theirs // MOST_TAKEN)
