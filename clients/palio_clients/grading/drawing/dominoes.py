"""Hidden cases of Dominoes: boards with their moves, and searches with the course's value and count of leaves."""

import random
from collections.abc import Iterator
from typing import Any

from palio_clients.games.dominoes import counted_search
from palio_rules.games.dominoes import HORIZONTAL, VERTICAL, Position, board_of

BOARDS = 6
LIMITS = (1, 2, 3, 4)  # plies; there are SEARCHES of each
SEARCHES = 4
LEAVES = range(4, 1200)  # of a search: readable Python visits so many within seconds
TRIES = 5000


def draw(seed: int) -> dict[str, Any]:
    """Return `boards` and `searches`."""
    choose = random.Random(f"dominoes {seed}")  # noqa: S311  # an assignment, no secret
    return {"boards": [_board(choose) for _ in range(BOARDS)], "searches": list(_searches(choose))}


def _board(choose: random.Random) -> dict[str, Any]:
    position = _position(choose, VERTICAL, (0.1, 0.5))
    return {
        "board": _rows(position),
        "vertical": [list(move) for move in _turned(position, VERTICAL).legal_moves()],
        "horizontal": [list(move) for move in _turned(position, HORIZONTAL).legal_moves()],
    }


def _searches(choose: random.Random) -> Iterator[dict[str, Any]]:
    for limit in LIMITS:
        for number in range(SEARCHES):
            turn = (VERTICAL, HORIZONTAL)[number % 2]
            position = next(filter(lambda each: _tells(each, limit), _positions(choose, turn)))
            found = counted_search(position, limit)
            assert found.move is not None  # `_tells` made sure of it
            yield {
                "board": _rows(position),
                "vertical": turn == VERTICAL,
                "limit": limit,
                "best": [list(found.move), int(found.value), found.leaves],
            }


def _positions(choose: random.Random, turn: int) -> Iterator[Position]:
    for _ in range(TRIES):
        yield _position(choose, turn, (0.1, 0.6))
    raise AssertionError(f"none of {TRIES} boards will do")


def _tells(position: Position, limit: int) -> bool:
    """Return whether a search tells a right file from others: other limits, and no pruning, give other results."""
    if len(position.legal_moves()) < 2:
        return False
    found = counted_search(position, limit)
    if found.leaves not in LEAVES or any(found == counted_search(position, other) for other in (limit - 1, limit + 1)):
        return False
    return limit == 1 or found.leaves < _all_leaves(position, limit)


def _all_leaves(position: Position, limit: int) -> int:
    if limit == 0 or position.to_move is None:
        return 1
    return sum(_all_leaves(position.play(move), limit - 1) for move in position.legal_moves())


def _position(choose: random.Random, turn: int, share: tuple[float, float]) -> Position:
    board, filled = board_of(choose.randint(3, 5), choose.randint(3, 5)), choose.uniform(*share)
    return Position(board, sum(1 << at for at in range(board.rows * board.cols) if choose.random() < filled), turn)


def _turned(position: Position, turn: int) -> Position:
    return Position(position.board, position.filled, turn)


def _rows(position: Position) -> list[list[bool]]:
    board = position.board
    return [
        [bool(position.filled >> row * board.cols + col & 1) for col in range(board.cols)] for row in range(board.rows)
    ]
