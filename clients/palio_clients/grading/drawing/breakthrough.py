"""Hidden cases of Breakthrough: moves, evaluations, and searches with their value and all best moves, by minimax.

How many positions a search without pruning asks for its moves tells whether one prunes.
"""

import random
from collections.abc import Callable, Iterable
from math import inf
from typing import Any

from palio_rules.games.breakthrough import BLACK, WHITE, Move, Position, board_of

SIDE = 6
WIN = 21092109  # as the handout's breakthrough.py has it
ADVANCE = (10, 10, 20, 40, 50)  # points of the improved evaluation for a pawn, by the rows that it has advanced
COLOURS = ("black", "white")
MOVES, EVALUATIONS = 6, 6
DEPTHS = (1, 1, 2, 2, 3, 3, 3, 3, 4, 4)
PRUNED = 2  # searches of PRUNED_DEPTH
PRUNED_DEPTH = 3
SHARE = 0.7  # of the positions, that alpha-beta may ask for their moves
NODES = 2500  # of a minimax search without pruning: readable Python visits so many within seconds


class NoMove(Exception):
    """The error for a search that will not do: it is too large, or a side cannot move, and the value is left open."""


Order = Callable[[Iterable[Move]], list[Move]]


def draw(seed: int) -> dict[str, Any]:
    """Return `moves`, `evaluations`, `searches` and `pruned`."""
    choose = random.Random(f"breakthrough {seed}")  # noqa: S311  # an assignment, no secret
    return {
        "moves": [_moves(_position(choose, pawns=8)) for _ in range(MOVES)],
        "evaluations": [_evaluation(_position(choose, pawns=8, over=at % 3 == 2)) for at in range(EVALUATIONS)],
        "searches": [_search(choose, depth, number) for number, depth in enumerate(DEPTHS)],
        "pruned": [_pruned(choose, number) for number in range(PRUNED)],
    }


def _moves(position: Position) -> dict[str, Any]:
    return {
        "board": _rows(position),
        **{name: [[*map(list, move)] for move in _turned(position, seat)] for seat, name in enumerate(COLOURS)},
    }


def _turned(position: Position, seat: int) -> list[Move]:
    return list(Position(position.board, position.black, position.white, seat).legal_moves())


def _evaluation(position: Position) -> dict[str, Any]:
    if (outcome := position.outcome()) is not None:
        return {"board": _rows(position), "value": WIN if outcome.scores[BLACK] else -WIN}
    rows = position.rows()
    black = sum(points * row.count("B") for points, row in zip(ADVANCE, rows, strict=False))
    white = sum(points * row.count("W") for points, row in zip(ADVANCE, reversed(rows), strict=False))
    return {"board": _rows(position), "value": black - white}


def _search(choose: random.Random, depth: int, number: int) -> dict[str, Any]:
    """Return a search whose answer is not the first move, nor the answer of the search one ply less deep."""
    while True:
        seat = (BLACK, WHITE)[number % 2]
        position = _position(choose, pawns=7 if depth < 4 else 3, seat=seat)
        try:
            value, best = _best(position, depth, Effort())
            shallow = _best(position, depth - 1, Effort()) if depth > 1 else None
        except NoMove:
            continue
        moves = list(position.legal_moves())
        if value == 0 or len(best) == len(moves) or moves[0] in best or shallow == (value, best):
            continue
        return {
            "board": _rows(position),
            "player": COLOURS[seat],
            "depth": depth,
            "value": value,
            "best": [[*map(list, move)] for move in best],
        }


def _pruned(choose: random.Random, number: int) -> dict[str, Any]:
    """Return a search that asks fewer positions for their moves if it prunes, in any order of the moves."""
    while True:
        case = _search(choose, PRUNED_DEPTH, number)
        position, effort = _read(case["board"], COLOURS.index(case["player"])), Effort()
        _best(position, PRUNED_DEPTH, effort)
        orders: list[Order] = [list, lambda moves: list(moves)[::-1]]
        if all(_asked_with_pruning(position, order) < SHARE * len(effort.asked) for order in orders):
            return {**case, "positions": len(effort.asked)}


def _asked_with_pruning(position: Position, order: Order) -> int:
    """Return how many positions alpha-beta asks for their moves."""
    asked: set[Position] = set()

    def value(here: Position, depth: int, alpha: float, beta: float) -> float:
        """Return the value from the view of the side to move."""
        sign = 1 if here.turn == BLACK else -1
        if depth == 0 or here.outcome() is not None:
            return sign * _value(here, 0, Effort())
        asked.add(here)
        for move in order(here.legal_moves()):
            alpha = max(alpha, -value(here.play(move), depth - 1, -beta, -alpha))
            if alpha >= beta:
                break
        return alpha

    value(position, PRUNED_DEPTH, -inf, inf)
    return len(asked)


class Effort:
    """The positions that a search may still visit, and those that it has asked for their moves."""

    def __init__(self) -> None:
        self.left = NODES
        self.asked: set[Position] = set()

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise NoMove


def _best(position: Position, depth: int, effort: Effort) -> tuple[int, list[Move]]:
    """Return the value from Black's view, and every move that reaches it. Raises NoMove."""
    effort.asked.add(position)
    values = {move: _value(position.play(move), depth - 1, effort) for move in position.legal_moves()}
    if not values:
        raise NoMove
    best = (max if position.turn == BLACK else min)(values.values())
    return best, [move for move, value in values.items() if value == best]


def _value(position: Position, depth: int, effort: Effort) -> int:
    effort.spend()
    if (outcome := position.outcome()) is not None:
        return WIN if outcome.scores[BLACK] else -WIN
    if depth == 0:
        return position.black.bit_count() - position.white.bit_count()
    return _best(position, depth, effort)[0]


def _position(choose: random.Random, pawns: int, *, seat: int = BLACK, over: bool = False) -> Position:
    """Return pawns on random squares, each side's at most `pawns`; the game is over if `over` says so."""
    while True:
        cells = choose.sample(range(SIDE * SIDE), 2 * pawns)
        blacks, whites = choose.randint(1 + pawns // 3, pawns), choose.randint(1 + pawns // 3, pawns)
        black, white = (sum(1 << at for at in part) for part in (cells[:blacks], cells[pawns : pawns + whites]))
        position = Position(board_of(SIDE, SIDE), black, white, seat)
        last, first = black & position.board.goal[BLACK], white & position.board.goal[WHITE]
        if bool(last or first) == over and not (last and first):
            return position


def _read(rows: list[str], seat: int) -> Position:
    cells = "".join(rows)
    black, white = (sum(1 << at for at, cell in enumerate(cells) if cell == pawn) for pawn in "BW")
    return Position(board_of(SIDE, SIDE), black, white, seat)


def _rows(position: Position) -> list[str]:
    return [row.replace(".", "_") for row in position.rows()]
