"""The search for play of End of the Track: alpha-beta with all extensions that make it deep.

As in Breakthrough's `strong`: principal variation search with a table, killers and history, which do not change the
score. `clever` adds: a ball that can reach its goal has won, without a search; such a threat is never ignored at a
leaf; late quiet moves are first tried a little less deep.

Draws. The last ply and the third occurrence are as in the rules. With `clever` the first repetition within the search
is a draw already, because it can be repeated again. The table does not contain the path to a position (Palay's
graph-history interaction). So it gives results only while the last ply is out of reach and while no position of the
game has occurred twice; otherwise it only suggests moves. Its results may still overlook a repetition that is more than
a cycle of four plies ahead.
"""

import numpy as np

from palio_clients.games.end_of_the_track.kernels.history import drawn, occurred_since, pop, push, words_of
from palio_clients.games.end_of_the_track.kernels.workspace import (
    BALL,
    DEEPEST,
    SIDE,
    advance,
    arrives,
    collect,
    moved,
    passes,
    put_back,
    standing,
)
from palio_clients.kernels.bits import ZERO, raised
from palio_clients.kernels.jit import Array, Flag, Int, Record, Truth, Word, kernel
from palio_clients.kernels.table import (
    KILLER,
    MERIT_AT,
    WIN,
    adopt,
    answers,
    keep,
    move_in,
    pick,
    recall,
    reduction,
    reward,
    score_in,
    tick,
)

INFINITE = 2 * WIN
REACH, BLOCK, TURN = 100, 25, 80  # in hundredths: a row that the ball could gain, a row of a block, the turn
HINT = 1 << 40  # the merit of the move that the table suggests
PARRIES = 6  # plies beyond the depth for which threats are answered


@kernel
def search(spaces: Array, table: Array, flag: Flag, own: Word, enemy: Word, turn: Int, depth: Int) -> Int:
    """Return the score of a position that is not over, `depth` plies deep; its line is in the workspace."""
    zero, wide = np.int64(0), np.int64(INFINITE)
    return visit(spaces[0], table, flag, own, enemy, turn, depth, zero, -wide, wide)


@kernel
def visit(  # noqa: C901, PLR0912 - two functions that call each other cannot be cached
    space: Record,
    table: Array,
    flag: Flag,
    own: Word,
    enemy: Word,
    turn: Int,
    depth: Int,
    ply: Int,
    alpha: Int,
    beta: Int,
) -> Int:
    tick(space, flag)
    space.line[ply, 0] = 0
    if raised(flag):
        return 0
    if space.clever and ply and reaches(space, own, enemy, turn):
        return WIN - (ply + 1)
    if depth <= 0 and not threatened(space, own, enemy, turn, depth, ply):
        return evaluate(space, own, enemy, turn)
    white, black = words_of(space, own, enemy, turn)
    entry = recall(table, white, black)
    trusted = not space.repeated and space.left - ply > depth + PARRIES
    if ply and trusted and depth >= 0 and answers(entry, depth, ply, alpha, beta, space.clever == 0):
        return score_in(entry, ply)
    push(space, white, black)
    count = ranked(space, own, enemy, turn, ply, move_in(entry))
    best, chosen, left = -INFINITE, np.int64(0), depth - 1
    for number in range(count):
        merit, move = pick(space, ply, number, count)
        floor = max(alpha, best)
        at, goal = standing(space, turn, move), arrives(space, turn, move)
        mine = moved(space, own, turn, move)
        if goal or ends(space, enemy, mine, 1 - turn, ply + 1):
            space.nodes += 1
            space.line[ply + 1, 0] = 0
            score = WIN - (ply + 1) if goal else 0
        else:
            score = floor + 1
            if number:
                less = reduction(space, number, merit, depth)
                score = -visit(space, table, flag, enemy, mine, 1 - turn, left - less, ply + 1, -floor - 1, -floor)
                if less and score > floor and not raised(flag):
                    score = -visit(space, table, flag, enemy, mine, 1 - turn, left, ply + 1, -floor - 1, -floor)
            if score > floor and (number == 0 or score < beta) and not raised(flag):
                score = -visit(space, table, flag, enemy, mine, 1 - turn, left, ply + 1, -beta, -floor)
            if raised(flag):
                return best
        put_back(space, turn, move, at)
        if score > best:
            best, chosen = score, move
            if score > alpha:
                adopt(space, ply, move)
            if score >= beta:
                reward(space.killers[ply], space.history[turn], move, max(depth, 1) ** 2)
                break
    pop(space)
    if trusted and depth >= 0:
        keep(table, white, black, chosen, depth, ply, alpha, beta, best, space.age)
    return best


@kernel
def reaches(space: Record, own: Word, enemy: Word, turn: Int) -> Truth:
    """Return whether `turn` could carry its ball to its goal at once."""
    if (own & space.goal[turn]) == ZERO:
        return False
    return (passes(space, own, enemy, space.pieces[SIDE * turn + BALL]) & space.goal[turn]) != ZERO


@kernel
def threatened(space: Record, own: Word, enemy: Word, turn: Int, depth: Int, ply: Int) -> Truth:
    """Return whether the other side threatens to win with its next move, within the depth for parries."""
    if not space.clever or depth <= -PARRIES or ply >= DEEPEST - 1:
        return False
    return reaches(space, enemy, own, 1 - turn)


@kernel
def evaluate(space: Record, own: Word, enemy: Word, turn: Int) -> Int:
    """Evaluate for the side to move, in hundredths: the ball's reach, the blocks' advance, and a bonus for the turn."""
    reach, blocks = advance(space, own, enemy, turn)
    their_reach, their_blocks = advance(space, enemy, own, 1 - turn)
    return TURN + REACH * (reach - their_reach) + BLOCK * (blocks - their_blocks)


@kernel
def ends(space: Record, own: Word, enemy: Word, turn: Int, ply: Int) -> Truth:
    """Return whether a position after a move, not won, is a draw, or counts as one with `clever`."""
    if drawn(space, own, enemy, turn, ply):
        return True
    if not space.clever:
        return False
    white, black = words_of(space, own, enemy, turn)
    return occurred_since(space, white, black, space.game)


@kernel
def ranked(space: Record, own: Word, enemy: Word, turn: Int, ply: Int, hint: Int) -> Int:
    """List the moves with their merits; return their number."""
    stack, killers = space.stack[ply], space.killers[ply]
    count = collect(space, own, enemy, turn, stack)
    for number in range(count):
        move = stack[number]
        if move == hint:
            merit = HINT
        elif move in (killers[0], killers[1]):
            merit = KILLER
        else:
            row = space.row_of[move & 63] - space.row_of[standing(space, turn, move)]
            merit = space.history[turn, move] + 8 + (row if turn == 0 else -row)
        stack[number] = merit << MERIT_AT | move
    return count
