"""The search for play: alpha-beta with all extensions that make it deep.

Principal variation search (Marsland and Campbell, "Parallel search of strongly ordered game trees", Computing Surveys
14, 1982) with a transposition table, killer moves (Akl and Newborn, "The principal continuation and the killer
heuristic", ACM 1977) and the history heuristic (Schaeffer, 1983). With these alone the score is plain alpha-beta's at
any depth.

`clever` adds what a fixed depth cannot see: captures are played out at the leaves, races are decided as soon as they
are clear, a threat to arrive is answered by the captures that parry it and costs no depth, and late quiet moves are
first tried a little less deep. A win proven by a race is certain, though perhaps not the quickest one.
"""

import numpy as np

from palio_clients.games.breakthrough.kernels.evaluation import balance, evaluate, gain, race
from palio_clients.games.breakthrough.kernels.workspace import (
    DEEPEST,
    captures,
    fan_of,
    landing,
    numbered,
    source,
    target,
    ways,
)
from palio_clients.kernels.bits import ONE, ZERO, lowest, raised
from palio_clients.kernels.jit import Array, Flag, Int, Record, Word, kernel
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
HINT, CAPTURE = 1 << 40, 1 << 30  # merits of moves


@kernel
def search(spaces: Array, table: Array, flag: Flag, own: Word, enemy: Word, turn: Int, depth: Int) -> Int:
    """Return the score of a position that is not over, `depth` plies deep; its line is in the workspace."""
    lead = balance(spaces[0], own, enemy, turn)
    zero, wide = np.int64(0), np.int64(INFINITE)  # see "Recursion" in `palio_clients.kernels`
    return visit(spaces[0], table, flag, own, enemy, turn, lead, depth, zero, -wide, wide)


@kernel
def visit(  # noqa: C901, PLR0912 - two functions that call each other cannot be cached
    space: Record,
    table: Array,
    flag: Flag,
    own: Word,
    enemy: Word,
    turn: Int,
    lead: Int,
    depth: Int,
    ply: Int,
    alpha: Int,
    beta: Int,
) -> Int:
    tick(space, flag)
    space.line[ply, 0] = 0
    if raised(flag):
        return 0
    threats = ZERO
    if space.clever and ply:  # the root needs a move, even if its result is known
        score = settled(space, own, enemy, turn, ply)
        if score:
            return score
        threats = enemy & space.ahead[1 - turn]
    if (depth <= 0 and threats == ZERO) or ply >= DEEPEST:
        return (
            quiescence(space, flag, own, enemy, turn, lead, ply, alpha, beta)
            if space.clever
            else evaluate(space, own, enemy, lead)
        )
    key = enemy ^ (ZERO - np.uint64(turn))  # own pawns are in the complement or in the rest
    entry = recall(table, own, key) if depth > 1 else ZERO
    if ply and answers(entry, depth, ply, alpha, beta, space.clever == 0):
        return score_in(entry, ply)
    count = collect(space, own, enemy, turn, ply, move_in(entry), threats)
    best, chosen, left = -INFINITE, 0, depth if threats != ZERO else depth - 1
    for number in range(count):
        merit, move = pick(space, ply, number, count)
        pawn, to = source(move), target(space, move, turn)
        floor = max(alpha, best)
        if (to & space.goal[turn]) != ZERO or to == enemy:
            space.nodes += 1
            space.line[ply + 1, 0] = 0
            score = WIN - (ply + 1)
        else:
            mine, theirs = own ^ (pawn | to), enemy & ~to
            after = -(lead + gain(space, enemy, turn, move >> 2, lowest(to)))
            leaf, score = left == 0 and not space.clever, floor + 1
            if leaf:  # most nodes: a call would cost too much
                tick(space, flag)
                space.line[ply + 1, 0] = 0
                score = -evaluate(space, theirs, mine, after)
            elif number:
                less = reduction(space, number, merit, depth)
                score = -visit(
                    space, table, flag, theirs, mine, 1 - turn, after, left - less, ply + 1, -floor - 1, -floor
                )
                if less and score > floor and not raised(flag):
                    score = -visit(space, table, flag, theirs, mine, 1 - turn, after, left, ply + 1, -floor - 1, -floor)
            if not leaf and score > floor and (number == 0 or score < beta) and not raised(flag):
                score = -visit(space, table, flag, theirs, mine, 1 - turn, after, left, ply + 1, -beta, -floor)
            if raised(flag):
                return best
        if score > best:
            best, chosen = score, move
            if score > alpha:
                adopt(space, ply, move)
            if score >= beta:
                if (to & enemy) == ZERO:
                    reward(space.killers[ply], space.history[turn], move, depth * depth)
                break
    if depth > 1:
        keep(table, own, key, chosen, depth, ply, alpha, beta, best, space.age)
    return best


@kernel
def quiescence(
    space: Record, flag: Flag, own: Word, enemy: Word, turn: Int, lead: Int, ply: Int, alpha: Int, beta: Int
) -> Int:
    """Return the quiescence score: the evaluation, or more if captures give more."""
    best = evaluate(space, own, enemy, lead)
    left, right = captures(space, own, enemy, turn)
    movers = left | right
    if ply >= DEEPEST:
        return best
    while movers != ZERO and best < beta:
        square = np.uint64(lowest(movers))
        movers &= movers - ONE
        pawn, fan = ONE << square, fan_of(left, ZERO, right, square)
        while fan != ZERO and best < beta:
            to = landing(space, square, lowest(fan), turn)
            fan &= fan - ONE
            mine, theirs = own ^ (pawn | to), enemy ^ to
            tick(space, flag)
            if raised(flag):
                return best
            score = settled(space, theirs, mine, 1 - turn, ply + 1)
            if score == 0:
                after = -(lead + gain(space, enemy, turn, np.int64(square), lowest(to)))
                score = quiescence(space, flag, theirs, mine, 1 - turn, after, ply + 1, -beta, -max(alpha, best))
            best = max(best, -score)
    return best


@kernel
def settled(space: Record, own: Word, enemy: Word, turn: Int, ply: Int) -> Int:
    """Return the score of a position that is decided, by its pawns or by a race; 0 if it is not."""
    if own == ZERO or (enemy & space.goal[1 - turn]) != ZERO:
        return ply - WIN
    plies = race(space, own, enemy, turn)
    if plies == 0:
        return 0
    return WIN - ply - plies if plies > 0 else ply - plies - WIN


@kernel
def collect(space: Record, own: Word, enemy: Word, turn: Int, ply: Int, hint: Int, threats: Word) -> Int:
    """List the moves with their merits, only captures of `threats` if there are any; return their number."""
    stack, killers, count = space.stack[ply], space.killers[ply], 0
    left, straight, right = ways(space, own, enemy, turn)
    movers = left | straight | right
    while movers != ZERO:
        square = np.uint64(lowest(movers))
        movers &= movers - ONE
        fan = fan_of(left, straight, right, square)
        row = np.int64(space.row_of[square])
        come = row if turn == 0 else space.rows - 1 - row
        while fan != ZERO:
            bit = lowest(fan)
            fan &= fan - ONE
            to, move = landing(space, square, bit, turn), numbered(square, bit)
            if threats != ZERO and (to & threats) == ZERO:
                continue
            if move == hint:
                merit = HINT
            elif (to & enemy) != ZERO:
                merit = CAPTURE + abs(2 * come - space.rows + 2)
            elif move == killers[0] or move == killers[1]:
                merit = KILLER
            else:
                merit = space.history[turn, move] + come
            stack[count] = merit << MERIT_AT | move
            count += 1
    return count
