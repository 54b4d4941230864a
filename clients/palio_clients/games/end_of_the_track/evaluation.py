"""End of the Track: the ball counts from the farthest block that it can be passed to, and advanced blocks count."""

from collections import Counter
from collections.abc import Hashable, Iterator
from functools import partial
from itertools import count
from typing import Any

from palio_clients.search.planning import Problem
from palio_rules.boards.end_of_track import BALL, BLOCKS, COLS, KNIGHT, ROWS, SIDE, SQUARES, WHITE, word_of
from palio_rules.games.end_of_track import OCCURRENCES, Move, Position, passes

REACH = 1.0  # for each row that the ball could gain by the end of this turn
BLOCK = 0.25  # for each row that a block has advanced
KNIGHT_ROWS = 2  # a knight's move gains at most so many rows
CYCLE = 4  # plies after which a position can recur: both sides have gone and returned


def evaluate(state: Position, seat: int) -> float:
    """Return the reach of the ball and the advance of the blocks, ours less theirs."""
    return _advance(state.pieces, seat) - _advance(state.pieces, 1 - seat)


def _advance(pieces: tuple[int, ...], seat: int) -> float:
    ball = pieces[SIDE * seat + BALL]
    reach = max(_gained(square, seat) for square in (ball, *passes(pieces, seat)))
    return REACH * reach + BLOCK * sum(_gained(block, seat) for block in _blocks(pieces, seat))


def _gained(square: int, seat: int) -> int:
    """Return the rows between a square and the seat's own edge."""
    row = square // COLS
    return row if seat == WHITE else ROWS - 1 - row


def _blocks(pieces: tuple[int, ...], seat: int) -> tuple[int, ...]:
    return pieces[SIDE * seat : SIDE * seat + BLOCKS]


def problem(state: Position, seat: int = 0) -> Problem[Any]:
    return Problem(state, partial(_alone, seat=seat), partial(_remaining, seat=seat))


def _alone(state: Position, seat: int) -> Iterator[tuple[Move, Any]]:
    for move in state.legal_moves():
        yield move, Position.of(state.play(move).pieces, seat)


def _remaining(state: Position, seat: int) -> float:
    """Return the fewest knight's moves that bring a block to the far row, plus the pass to it. Admissible.

    The block with the ball has to pass it on first.
    """
    ball = state.pieces[SIDE * seat + BALL]
    if _gained(ball, seat) == ROWS - 1:
        return 0
    return min(
        -(-(ROWS - 1 - _gained(block, seat)) // KNIGHT_ROWS) + (2 if block == ball else 1)
        for block in _blocks(state.pieces, seat)
    )


def lookback(state: Position, depth: int) -> Hashable:
    """Return the part of the history on which a search of `depth` plies depends: the draws within its reach.

    That is how many plies are left, if so few are, and the earlier positions that can be reached: a third time now if
    twice before, a second and a third time, a cycle apart, if once. A ply moves one piece to another square.
    """
    left, here = state.max_plies - state.ply, set(word_of(state.pieces, state.turn)[1:])
    near = set()
    for word, times in Counter(state.history.split()).items():
        plies = depth if times >= OCCURRENCES - 1 else depth - CYCLE
        if plies >= 0 and len(set(word[1:]) - here) <= plies:
            near.add((word, times >= OCCURRENCES - 1))
    return left if left <= depth else None, frozenset(near)


# A lower bound of the turns between two positions of End of the Track: it guides and prunes searches for a plan.
#
# Both sides' pieces are moved, in turn. A block needs at least the knight's moves of an empty board, each move of a
# knight changes the colour of its square, and a pass always ends on another square than it began. So the number of
# turns of a side is known nearly exactly, and the side to move decides how turns are shared.

State = tuple[tuple[int, ...], int]  # the twelve pieces, and the seat (0 White, 1 Black) to move


def _knight_distances(start: int) -> tuple[int, ...]:
    distance, wave = {start: 0}, [start]
    for square in wave:  # grows during the loop
        for beyond in KNIGHT[square]:
            if beyond not in distance:
                distance[beyond] = distance[square] + 1
                wave.append(beyond)
    return tuple(distance[square] for square in range(SQUARES))


DISTANCE = tuple(_knight_distances(square) for square in range(SQUARES))


def may_take(there: tuple[int, ...], back: tuple[int, ...], seat: int, turns: int) -> bool:
    """Return whether `seat` might bring its pieces from `there` to `back` in exactly `turns` turns.

    False is certain.
    """
    first = SIDE * seat
    spare = turns
    for block in range(first, first + BLOCKS):
        spare -= DISTANCE[there[block]][back[block]]
    if spare < 2:
        ball, home = there[first + BALL], back[first + BALL]
        if spare < 0 or ball != home:
            return spare == 1
        if spare == 1:
            return False  # neither a lone pass, which would move the ball, nor a lone knight's move, by its colour
        holder = there.index(ball, first, first + BLOCKS)
        return back[holder] == ball  # otherwise the ball would have to leave and return
    return True


def may_lead(state: State, goal: tuple[int, ...], turns: int) -> bool:
    """Return whether the pieces `goal` might stand exactly `turns` turns after `state`. False is certain."""
    pieces, seat = state
    return may_take(pieces, goal, seat, (turns + 1) // 2) and may_take(pieces, goal, 1 - seat, turns // 2)


def turns_between(state: State, goal: tuple[int, ...]) -> int:
    """Return a lower bound of the turns between `state` and the pieces `goal`: admissible, and 0 only at the goal."""
    return next(turns for turns in count() if may_lead(state, goal, turns))
