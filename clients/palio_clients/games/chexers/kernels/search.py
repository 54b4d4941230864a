"""Searches for Chexers, compiled: max^n and paranoid like the readable ones, and the strong one."""

from collections.abc import Callable
from typing import Any

import numpy as np

from palio_clients.games.chexers.kernels.evaluation import drawn_worth, evaluate, won_worth
from palio_clients.games.chexers.kernels.workspace import (
    DEEPEST,
    EXIT,
    NO_MOVE,
    PASSED,
    THREE,
    adopt,
    collect,
    drawn,
    line_of,
    play,
    set_up,
    shifted,
    winner_of,
    workspace,
)
from palio_clients.kernels.bits import ONE, ZERO, raised
from palio_clients.kernels.jit import Array, Flag, Int, Real, Record, Truth, Word, kernel, stoppable
from palio_clients.kernels.table import DECIDED, KILLER, WIN, answers, keep, move_in, recall, reward, score_in, tick
from palio_clients.search.game_tree import Best, Stop, never
from palio_rules.games.chexers import Position

# The search for play: paranoid, with all extensions that make it deep.
#
# Alpha-beta in minimax form, for a seat against all others, with scouting (Marsland and Campbell, "Parallel search of
# strongly ordered game trees", Computing Surveys 14, 1982), a transposition table, killer moves (Akl and Newborn, 1977)
# and the history heuristic (Schaeffer, 1983). Without its table it finds the readable paranoid's score, in hundredths,
# except that another seat's win has a lower value than any evaluation, smaller in size than a win of its own.
#
# Draws by repetition and by length are detected on the path from the root. The table does not contain the path, so
# below the first ply it may overlook one.

INFINITE = 2 * WIN
HUNDREDTHS = 100.0
HINT, LEAVES, CONVERTS = 1 << 40, 1 << 31, 1 << 30  # merits of moves
ROOT_AT = np.uint64(59)
MASK = 0xFFFF


@kernel
def search(spaces: Array, table: Array, flag: Flag, depth: Int) -> Int:
    """Return the score of the prepared position, `depth` plies deep; its line is in the workspace."""
    zero, wide = np.int64(0), np.int64(INFINITE)
    return visit(spaces[0], table, flag, depth, zero, -wide, wide)


@kernel
def visit(  # noqa: C901, PLR0912 - two functions that call each other cannot be cached
    space: Record, table: Array, flag: Flag, depth: Int, ply: Int, alpha: Int, beta: Int
) -> Int:
    tick(space, flag)
    space.line[ply, 0] = NO_MOVE
    if raised(flag):
        return 0
    if ply:
        winner = winner_of(space, ply)
        if winner >= 0:
            return WIN - ply if winner == space.root else ply - DECIDED
        if drawn(space, ply):
            return 0
    if depth <= 0 or ply >= DEEPEST:
        return np.int64(np.round(evaluate(space, ply, space.root) * HUNDREDTHS))
    a, b = space.key[ply, 0], space.key[ply, 1] | np.uint64(space.root) << ROOT_AT
    entry = recall(table, a, b)
    if ply and answers(entry, depth, ply, alpha, beta, space.exact != 0):
        return score_in(entry, ply)
    count = listed(space, ply, move_in(entry) if entry != ZERO else np.int64(NO_MOVE))
    greatest = space.turn[ply] == space.root
    sign = 1 if greatest else -1
    low, high = (alpha, beta) if greatest else (-beta, -alpha)  # of sign times the score
    best, chosen = -INFINITE, NO_MOVE
    for number in range(count):
        move = pick(space, ply, number, count)
        play(space, ply, move)
        floor = max(low, best)
        score = floor + 1
        if number:
            least, most = bounds(greatest, floor, floor + 1)
            score = sign * visit(space, table, flag, depth - 1, ply + 1, least, most)
        if score > floor and (number == 0 or score < high) and not raised(flag):
            least, most = bounds(greatest, floor, high)
            score = sign * visit(space, table, flag, depth - 1, ply + 1, least, most)
        if raised(flag):
            return sign * best
        if score > best:
            best, chosen = score, move
            if score > low:
                adopt(space, ply, move)
            if score >= high:
                reward(space.killers[ply], space.history[space.turn[ply]], move, depth * depth)
                break
    keep(table, a, b, chosen & MASK, depth, ply, alpha, beta, sign * best, space.age)
    return sign * best


@kernel
def bounds(greatest: Truth, low: Int, high: Int) -> tuple[Int, Int]:
    """Return a window of the side to move from the view of the seat at the root."""
    return (low, high) if greatest else (-high, -low)


@kernel
def listed(space: Record, ply: Int, hint: Int) -> Int:
    """List the moves with their merits; return their number."""
    count, turn = collect(space, ply), space.turn[ply]
    others = (space.pieces[ply, 0] | space.pieces[ply, 1] | space.pieces[ply, 2]) & ~space.pieces[ply, turn]
    for at in range(count):
        move = space.moves[ply, at]
        if move == hint:
            merit = HINT
        elif move != PASSED and move & 15 == EXIT:
            merit = LEAVES
        elif converts(move, others):
            merit = CONVERTS
        elif move == space.killers[ply, 0] or move == space.killers[ply, 1]:
            merit = KILLER
        else:
            merit = space.history[turn, move]
        space.moves[ply, at] = merit << 16 | move
    return count


@kernel
def converts(move: Int, others: Word) -> Truth:
    """Return whether a move is a jump over another side's piece."""
    if move == PASSED or not move & 1:
        return False
    return (shifted(ONE << np.uint64(move >> 4), (move & 15) >> 1) & others) != ZERO


@kernel
def pick(space: Record, ply: Int, number: Int, count: Int) -> Int:
    """Move the best of the moves from `number` on to that place, the first of equals; return it."""
    moves, at = space.moves[ply], number
    for other in range(number + 1, count):
        if moves[other] >> 16 > moves[at] >> 16:
            at = other
    best = moves[at]
    for place in range(at, number, -1):
        moves[place] = moves[place - 1]
    moves[number] = best
    return best & MASK


# The twins of the readable paranoid search and max^n with the readable evaluation: same value, nodes, move and line.
#
# `search.paranoid` and `search.max_n` without order, over `games.chexers.evaluation`, with all rules: draws by
# repetition and by length, passes, and seats that have forfeited.


def paranoid(state: Position, depth: int, *, stop: Stop = never) -> Best:
    """Search `depth` plies deep, at most 64; see the original for its contract. Raises Stopped."""
    spaces, score = _searched(_certainty, state, depth, stop)
    return _best(spaces, depth, score)


def max_n(state: Position, depth: int, *, stop: Stop = never) -> Best:
    """Search `depth` plies deep, at most 64; see the original for its contract. Raises Stopped."""
    spaces, _ = _searched(_expectations, state, depth, stop)
    return _best(spaces, depth, float(spaces[0]["scores"][0][state.turn]))


def _searched(search: Callable[..., Any], state: Position, depth: int, stop: Stop) -> tuple[Any, Any]:
    """Return the workspace after a search, and the search's result."""
    if not 1 <= depth <= DEEPEST:
        raise ValueError(f"depth must be from 1 to {DEEPEST}, got {depth}")
    spaces = workspace()
    set_up(spaces, state)
    with stoppable(stop) as flag:
        return spaces, search(spaces, flag, depth)


def _best(spaces: Any, depth: int, score: float) -> Best:
    line = line_of(spaces[0]["line"][0])
    return Best(line[0], score, depth, int(spaces[0]["nodes"]), line)


@kernel
def _certainty(spaces: Array, flag: Flag, depth: Int) -> Real:
    return _visit(spaces[0], flag, depth, np.int64(0), -np.inf, np.inf)


@kernel
def _visit(space: Record, flag: Flag, depth: Int, ply: Int, alpha: Real, beta: Real) -> Real:
    """Search a position from the view of the seat at the root."""
    space.nodes += 1
    space.line[ply, 0] = NO_MOVE
    winner = winner_of(space, ply)
    if winner >= 0:
        return won_worth(winner, space.root, ply)
    if drawn(space, ply):
        return drawn_worth(space, space.root, ply)
    if depth == 0:
        return evaluate(space, ply, space.root)
    greatest = space.turn[ply] == space.root
    best = -np.inf if greatest else np.inf
    for number in range(collect(space, ply)):
        move = space.moves[ply, number]
        play(space, ply, move)
        low, high = (max(alpha, best), beta) if greatest else (alpha, min(beta, best))
        score = _visit(space, flag, depth - 1, ply + 1, low, high)
        if raised(flag):
            return best
        if (score > best) if greatest else (score < best):
            best = score
            adopt(space, ply, move)
        if (best >= beta) if greatest else (best <= alpha):
            break
    return best


@kernel
def _expectations(spaces: Array, flag: Flag, depth: Int) -> None:
    _expect(spaces[0], flag, depth, np.int64(0))


@kernel
def _expect(space: Record, flag: Flag, depth: Int, ply: Int) -> None:
    """Store the expected score of each seat in `scores` of this ply."""
    space.nodes += 1
    space.line[ply, 0] = NO_MOVE
    if settled(space, depth, ply):
        return
    mover, better = space.turn[ply], False
    for number in range(collect(space, ply)):
        move = space.moves[ply, number]
        play(space, ply, move)
        _expect(space, flag, depth - 1, ply + 1)
        if raised(flag):
            return
        if not better or space.scores[ply + 1, mover] > space.scores[ply, mover]:
            better = True
            for seat in range(THREE):
                space.scores[ply, seat] = space.scores[ply + 1, seat]
            adopt(space, ply, move)


@kernel
def settled(space: Record, depth: Int, ply: Int) -> bool:
    """Return whether this is a leaf, whose scores are then stored."""
    winner = winner_of(space, ply)
    ended = winner < 0 and drawn(space, ply)
    if winner < 0 and not ended and depth:
        return False
    for seat in range(THREE):
        if winner >= 0:
            space.scores[ply, seat] = won_worth(winner, seat, ply)
        elif ended:
            space.scores[ply, seat] = drawn_worth(space, seat, ply)
        else:
            space.scores[ply, seat] = evaluate(space, ply, seat)
    return True
