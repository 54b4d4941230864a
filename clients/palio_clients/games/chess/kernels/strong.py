"""The search for play of chess: alpha-beta with the extensions and the pruning that make it deep.

Principal variation search with a table, killers and history, as in Breakthrough's `strong`. With these alone the score
is plain alpha-beta's with the evaluation of `games/chess/evaluation`, at any depth.

`clever` adds what a fixed depth cannot see, and leaves out what hardly ever matters. Captures are played out at the
leaves, and a check costs no depth. A side that would stand well even if it passed is not searched in full (the null
move: Donninger, "Null move and deep search", ICCA Journal 16, 1993), nor one whose evaluation is far above the window.
Late quiet moves are first searched less deep, and near the leaves they are left out. None of this is done in check or
when a mate is at stake, so a mate that the search announces is forced.

Draws. The third occurrence and the fifty moves are as in the rules. With `clever` the first repetition within the
search is a draw already, because it can be repeated again. The table does not contain the path to a position. So its
keys contain which positions of the game have occurred twice, and the clock of the fifty moves when it is near its end.
"""

import numpy as np

from palio_clients.games.chess.kernels.moves import collect
from palio_clients.games.chess.kernels.workspace import (
    BISHOPS,
    DEEPEST,
    FIFTY,
    KINDS,
    KINGS,
    PASSED,
    PAWNS,
    ROOKS,
    attackers,
    checkers_of,
    dead,
    make,
    pass_turn,
    repeats,
    unmake,
    unpass,
)
from palio_clients.kernels.bits import ONE, ZERO, lowest, raised, scrambled
from palio_clients.kernels.jit import Array, Flag, Int, Record, Truth, Word, kernel
from palio_clients.kernels.table import (
    DECIDED,
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
HINT, CAPTURE, BAD = 1 << 40, 1 << 30, -(1 << 20)  # merits of moves; a bad one probably loses a piece
DEARER = 16  # a dearer victim counts before a cheaper attacker
FIELD, HALF, ALL = 20, 1 << 19, (1 << 20) - 1  # of the packed sums, see `evaluation`
LATE_CLOCK = 84  # plies: from here on the clock is part of a position in the table
NULL_DEPTH, NULL_LESS = 2, 3  # plies that must be left for a pass; plies less behind it
CALM_DEPTH, CALM = 5, 75  # near the leaves a side so many hundredths a ply above the window is not searched
FUTILE_DEPTH, FUTILE = 3, 110  # near the leaves quiet moves need at most so much a ply to be searched
CROWD = 4  # quiet moves that are always searched near the leaves, and as many more as the square of the depth
HOPE = 200  # hundredths that a capture at a leaf may gain beside its victim
UNKNOWN_DEPTH = 4  # with so many plies left, a position without a known move is searched a ply less deep


@kernel
def search(spaces: Array, table: Array, flag: Flag, turn: Int, depth: Int) -> Int:
    """Return the score of a position that is not over, `depth` plies deep; its line is in the workspace."""
    zero, wide = np.int64(0), np.int64(INFINITE)  # see "Recursion" in `palio_clients.kernels`
    return visit(spaces[0], table, flag, turn, checkers_of(spaces[0], turn), depth, zero, -wide, wide)


@kernel
def visit(  # noqa: C901, PLR0912, PLR0915 - two functions that call each other cannot be cached
    space: Record, table: Array, flag: Flag, turn: Int, checkers: Word, depth: Int, ply: Int, alpha: Int, beta: Int
) -> Int:
    tick(space, flag)
    space.line[ply, 0] = 0
    if raised(flag):
        return 0
    clever, calm = space.clever != 0, checkers == ZERO
    if ply and (space.clock >= FIFTY or repeats(space, clever) or dead(space)):
        if space.clock >= FIFTY and not calm and collect(space, turn, checkers, False, space.stack[ply]) == 0:
            return ply - WIN  # mate comes before the fifty moves
        return 0
    if ply >= DEEPEST:
        return evaluate(space, turn)
    if clever and not calm:
        depth += 1
    if depth <= 0:
        if clever:
            return quiescence(space, flag, turn, checkers, ply, alpha, beta)
        if collect(space, turn, checkers, False, space.stack[ply]) == 0:
            return 0 if calm else ply - WIN
        return evaluate(space, turn)
    key, white = space.key ^ space.salt, space.sets[0, 0]
    if space.clock >= LATE_CLOCK:
        key ^= scrambled(np.uint64(space.clock))
    entry = recall(table, key, white)
    if ply and answers(entry, depth, ply, alpha, beta, not clever):
        score = score_in(entry, ply)
        if abs(score) <= DECIDED or WIN - abs(score) - ply <= FIFTY - space.clock:
            return score
    hint = move_in(entry)
    prunes = clever and calm and ply > 0 and beta - alpha == 1 and abs(beta) < DECIDED
    static = evaluate(space, turn) if prunes else 0
    if prunes:
        if depth <= CALM_DEPTH and static - CALM * depth >= beta:
            return static
        if depth >= NULL_DEPTH and static >= beta and space.taken[ply - 1] != PASSED and has_pieces(space, turn):
            pass_turn(space, ply)
            left = depth - NULL_LESS - depth // 4
            score = -visit(space, table, flag, 1 - turn, ZERO, left, ply + 1, -beta, -beta + 1)
            unpass(space, ply)
            if raised(flag):
                return 0
            if score >= beta:
                return beta if score > DECIDED else score
    if clever and hint == 0 and depth >= UNKNOWN_DEPTH:
        depth -= 1
    count = collect(space, turn, checkers, False, space.stack[ply])
    if count == 0:
        return 0 if calm else ply - WIN
    rank(space, turn, ply, hint, count)
    best, chosen, left = -INFINITE, np.int64(0), depth - 1
    for number in range(count):
        merit, move = pick(space, ply, number, count)
        floor = max(alpha, best)
        make(space, turn, move, ply)
        given = checkers_of(space, 1 - turn)
        if (
            prunes
            and number
            and depth <= FUTILE_DEPTH
            and merit < KILLER
            and given == ZERO
            and best > -DECIDED
            and (merit < 0 or number > CROWD + depth * depth or static + FUTILE * depth <= floor)
        ):
            unmake(space, turn, move, ply)
            continue
        score = floor + 1
        if number:
            less = reduction(space, number, merit, depth) if calm and given == ZERO else 0
            score = -visit(space, table, flag, 1 - turn, given, left - less, ply + 1, -floor - 1, -floor)
            if less and score > floor and not raised(flag):
                score = -visit(space, table, flag, 1 - turn, given, left, ply + 1, -floor - 1, -floor)
        if score > floor and (number == 0 or score < beta) and not raised(flag):
            score = -visit(space, table, flag, 1 - turn, given, left, ply + 1, -beta, -floor)
        unmake(space, turn, move, ply)
        if raised(flag):
            return best
        if score > best:
            best, chosen = score, move
            if score > alpha:
                adopt(space, ply, move)
            if score >= beta:
                if merit < CAPTURE and space.board[(move >> 6) & 63] == 0:
                    reward(space.killers[ply], space.history[turn], move, depth * depth)
                break
    keep(table, key, white, chosen, depth, ply, alpha, beta, best, space.age)
    return best


@kernel
def quiescence(space: Record, flag: Flag, turn: Int, checkers: Word, ply: Int, alpha: Int, beta: Int) -> Int:
    """Return the evaluation, or more if captures give more; in check the best of all moves. Not at the game's end."""
    calm, static = checkers == ZERO, evaluate(space, turn)
    best = static if calm else -INFINITE
    if ply >= DEEPEST or (calm and (best >= beta or dead(space))):
        return 0 if dead(space) else static
    count = collect(space, turn, checkers, calm, space.stack[ply])
    if count == 0 and not calm:
        return ply - WIN
    rank(space, turn, ply, 0, count)
    for number in range(count):
        merit, move = pick(space, ply, number, count)
        floor = max(alpha, best)
        if calm:
            if merit < 0:
                break
            victim = space.price[space.board[(move >> 6) & 63]]
            if (move >> 12) == 0 and static + 100 * victim + HOPE <= floor:
                continue
        tick(space, flag)
        make(space, turn, move, ply)
        score = -quiescence(space, flag, 1 - turn, checkers_of(space, 1 - turn), ply + 1, -beta, -floor)
        unmake(space, turn, move, ply)
        if raised(flag):
            return best
        best = max(best, score)
        if best >= beta:
            break
    return best


@kernel
def has_pieces(space: Record, turn: Int) -> Truth:
    """Return whether a side has more than pawns: with pawns alone it may be a fault to have to move."""
    return space.sets[turn, 0] ^ space.sets[turn, KINGS] ^ space.sets[turn, PAWNS] != ZERO


@kernel
def rank(space: Record, turn: Int, ply: Int, hint: Int, count: Int) -> None:
    """Give each of the moves at `ply` its merit."""
    stack, killers, history = space.stack[ply], space.killers[ply], space.history[turn]
    occupied = space.sets[0, 0] | space.sets[1, 0]
    for number in range(count):
        move = stack[number]
        src, dst = move & 63, (move >> 6) & 63
        piece, taken = space.board[src], space.board[dst]
        if move == hint:
            merit = HINT
        elif taken != 0 and (taken > KINDS) != (turn == 1):
            gain, cost = space.price[taken], space.price[piece]
            merit = DEARER * gain - cost
            bit = ONE << np.uint64(src)
            if cost > gain and attackers(space, dst, 1 - turn, occupied & ~bit) != ZERO:
                merit += BAD
            else:
                merit += CAPTURE
            if (move >> 12) != 0:
                merit += DEARER * space.price[move >> 12]
        elif (move >> 12) != 0:
            merit = CAPTURE + DEARER * space.price[move >> 12] if move >> 12 == 2 else BAD
        elif dst == space.passant and piece - KINDS * turn == PAWNS:
            merit = CAPTURE + DEARER - 1
        elif move == killers[0] or move == killers[1]:
            merit = KILLER
        else:
            merit = history[move]
        stack[number] = merit << MERIT_AT | move


@kernel
def evaluate(space: Record, turn: Int) -> Int:
    """Return the value for `turn` in hundredths of a pawn: the twin of the readable evaluation."""
    total = space.total + structure(space, 0) - structure(space, 1)
    middle = ((total + HALF) & ALL) - HALF
    total = (total - middle) >> FIELD
    end = ((total + HALF) & ALL) - HALF
    share = min((total - end) >> FIELD, space.full)
    value = middle * share + end * (space.full - share)
    value = value // space.full if value >= 0 else -(-value // space.full)
    if (space.sets[0, PAWNS] | space.sets[1, PAWNS]) == ZERO:
        value += driving(space)
    return value if turn == 0 else -value


@kernel
def structure(space: Record, turn: Int) -> Int:
    """Return the packed worth of a side's pawns, rooks and bishops beyond their squares."""
    sets = space.sets[turn]
    own, other, total = sets[PAWNS], space.sets[1 - turn, PAWNS], 0
    pawns = own
    while pawns != ZERO:
        square = lowest(pawns)
        pawns &= pawns - ONE
        if own & space.beside[square] == ZERO:
            total += space.isolated
        ahead = space.ahead[turn, square]
        if own & ahead & space.column[square] != ZERO:
            total += space.doubled
        elif other & ahead == ZERO:
            total += space.passed[turn, square]
    rooks = sets[ROOKS]
    while rooks != ZERO:
        column = space.column[lowest(rooks)]
        rooks &= rooks - ONE
        if own & column == ZERO:
            total += space.open if other & column == ZERO else space.half_open
    if sets[BISHOPS] & space.dark != ZERO and sets[BISHOPS] & ~space.dark != ZERO:
        total += space.pair
    return total


@kernel
def driving(space: Record) -> Int:
    """Return what it is worth for White that a bare king is far from the middle, and the other king is near him."""
    white, black = lowest(space.sets[0, KINGS]), lowest(space.sets[1, KINGS])
    if space.sets[0, 0] == space.sets[0, KINGS]:
        bare, sign = white, -1
    elif space.sets[1, 0] == space.sets[1, KINGS]:
        bare, sign = black, 1
    else:
        return 0
    apart = abs((white >> 3) - (black >> 3)) + abs((white & 7) - (black & 7))
    return sign * (space.driven * space.from_middle[bare] + space.near * (14 - apart))
