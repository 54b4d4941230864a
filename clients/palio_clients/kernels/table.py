"""A transposition table for kernels: an array owned by the caller, without collisions between positions.

A position is two words, both of which are stored and compared, so that there are no false hits. A bucket has the size
of a cache line and room for two: one is replaced by deeper or newer results only, the other always. Breuker, Uiterwijk
and van den Herik, "Replacement schemes for transposition tables", ICCA Journal 17 (1994): TwoDeep.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from palio_clients.kernels.bits import ZERO, scrambled
from palio_clients.kernels.jit import Array, Int, Record, Truth, Word, kernel

WIN = 1_000_000  # as in `game_tree`: a win n plies from the root has the score WIN - n
DECIDED = WIN // 2  # above it there are only wins and losses
AT_LEAST, AT_MOST, EXACT = 1, 2, 3  # the relation of the true score to a stored one
LINE = 8  # words of a cache line, and of a bucket

_SCORE, _MOVE, _DEPTH, _BOUND = (np.uint64(shift) for shift in (32, 16, 8, 6))  # the age is in the lowest bits
_WORD, _BYTE, _PAIR, AGES = (np.uint64(mask) for mask in (0xFFFF, 0xFF, 0x3, 0x3F))


def new_table(bits: int) -> NDArray[np.uint64]:
    """Return an empty table of 2**bits buckets, 64 bytes each."""
    size = 1 << bits
    raw = np.full((size + 1) * LINE, ZERO)  # written to, so that its pages are allocated before any clock runs
    first = -(raw.ctypes.data // 8) % LINE  # a bucket must not cross two cache lines
    return raw[first : first + size * LINE].reshape(size, LINE)


@kernel
def bucket_of(table: Array, a: Word, b: Word) -> Array:
    return table[scrambled(a ^ scrambled(b)) & np.uint64(len(table) - 1)]


@kernel
def recall(table: Array, a: Word, b: Word) -> Word:
    """Return the entry of the position (a, b), for the functions below to unpack; 0 if there is none."""
    bucket = bucket_of(table, a, b)
    if bucket[0] == a and bucket[1] == b:
        return bucket[2]
    if bucket[3] == a and bucket[4] == b:
        return bucket[5]
    return ZERO


@kernel
def move_in(entry: Word) -> Int:
    return np.int64((entry >> _MOVE) & _WORD)


@kernel
def answers(entry: Word, depth: Int, ply: Int, alpha: Int, beta: Int, exact: Truth) -> Truth:
    """Return whether an entry is enough for a search of `depth` with this window; `exact`: only for the same depth."""
    known = np.int64((entry >> _DEPTH) & _BYTE)
    if entry == ZERO or known < depth or (exact and known != depth):
        return False
    bound, score = np.int64((entry >> _BOUND) & _PAIR), score_in(entry, ply)
    return bound == EXACT or (bound == AT_LEAST and score >= beta) or (bound == AT_MOST and score <= alpha)


@kernel
def score_in(entry: Word, ply: Int) -> Int:
    """Return the score from the root of a search in which the position is `ply` plies away."""
    score = np.int64(entry >> _SCORE) - np.int64(1 << 31)
    if score > DECIDED:
        return score - ply
    return score + ply if score < -DECIDED else score


@kernel
def keep(
    table: Array, a: Word, b: Word, move: Int, depth: Int, ply: Int, alpha: Int, beta: Int, score: Int, age: Int
) -> None:
    """Store the result of a search of `depth` with this window of the position (a, b), `ply` plies from the root."""
    bound = AT_LEAST if score >= beta else AT_MOST if score <= alpha else EXACT
    if score > DECIDED:
        score += ply
    elif score < -DECIDED:
        score -= ply
    entry = np.uint64(score + np.int64(1 << 31)) << _SCORE
    entry |= np.uint64(move) << _MOVE | np.uint64(depth) << _DEPTH | np.uint64(bound) << _BOUND | np.uint64(age)
    bucket = bucket_of(table, a, b)
    deep = bucket[2]
    same = bucket[0] == a and bucket[1] == b
    stale = (deep & AGES) != np.uint64(age)
    at = 0 if same or stale or deep == ZERO or np.int64((deep >> _DEPTH) & _BYTE) <= depth else 3
    if at == 0 and not same:  # the old deep entry is still better than the one that is always replaced
        bucket[3], bucket[4], bucket[5] = bucket[0], bucket[1], bucket[2]
    bucket[at], bucket[at + 1], bucket[at + 2] = a, b, entry


@kernel
def tick(space: Record, flag: Array) -> None:
    """Count a node, and stop when `limit` nodes have been counted."""
    space.nodes += 1
    if space.limit and space.nodes > space.limit:
        flag[0] = 1


# Move ordering and the principal variation, shared by searches that keep moves on a stack.
#
# Each move has a merit above its 16 bits. A line ends in 0.

MERIT_AT, MOVE = 16, 0xFFFF
LATE, REDUCED_DEPTH = 4, 3  # moves searched in full; plies that must be left for others to be reduced
KILLER, MOST = 1 << 29, 1 << 28  # the merit of a killer, and the maximum of history


@kernel
def pick(space: Record, ply: Int, number: Int, count: Int) -> tuple[Int, Int]:
    """Move the best of the moves from `number` on to that place; return its merit, and the move."""
    stack = space.stack[ply]
    at, most = number, stack[number]
    for other in range(number + 1, count):
        if stack[other] > most:
            at, most = other, stack[other]
    stack[at], stack[number] = stack[number], most
    return most >> MERIT_AT, most & MOVE


@kernel
def reward(killers: Array, history: Array, move: Int, credit: Int) -> None:
    """Reward a move that caused a cutoff: it becomes a killer of its ply, and gains history for its side.

    Schaeffer, "The history heuristic", ICCA Journal 6 (1983).
    """
    if killers[0] != move:
        killers[1] = killers[0]
        killers[0] = move
    history[move] += credit
    if history[move] >= MOST:
        for each in range(len(history)):
            history[each] >>= 1


@kernel
def reduction(space: Record, number: Int, merit: Int, depth: Int) -> Int:
    """Return by how many plies less a move is first searched."""
    if not space.clever or number < LATE or depth < REDUCED_DEPTH or merit >= KILLER:
        return 0
    return 2 if number >= 3 * LATE and depth >= 2 * REDUCED_DEPTH else 1


@kernel
def adopt(space: Record, ply: Int, move: Int) -> None:
    """Set the best line from `ply` on to `move` and the best line after it."""
    line, below = space.line[ply], space.line[ply + 1]
    line[0] = move
    at = 0
    while below[at] != 0:
        line[at + 1] = below[at]
        at += 1
    line[at + 1] = 0


# Shared parts of proof-number searches: the numbers of a position from those of its children, and their table.
#
# Both numbers are those of the side to move: `proof`, how much must still be shown for it to reach its aim, and
# `disproof`, how much for it to fail. `SURE` is the number of an impossible result; the other one is then 0.
#
# A position in the table is two words, both of which are compared, so that there are no collisions. A bucket of
# `table.new_table` has room for two positions; the cheaper one is replaced.

SURE = 1 << 30
SECOND = 4  # the start of a bucket's second position
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_WORK_AT, _PLIES = np.uint64(16), np.uint64(0xFFFF)
_EPSILON = np.int64(2)  # a quarter, as a shift


def fields(plies: int, children: int) -> list[tuple[str, type[np.generic], tuple[int, ...]]]:
    """Return fields of a workspace's dtype, for so many plies and so many children in all of them."""
    return [
        ("most_proof", np.int64, (plies + 1,)),  # by ply: beyond these another position is more promising
        ("most_disproof", np.int64, (plies + 1,)),
        ("since", np.int64, (plies + 1,)),  # nodes counted before it
        ("begin", np.int64, (plies + 2,)),  # the start of its children on the stack
        ("taken", np.int64, (plies + 1,)),  # the child that is searched
        ("move", np.int64, (children,)),  # the stack
        ("proof", np.int64, (children,)),
        ("disproof", np.int64, (children,)),
        ("distance", np.int64, (children,)),  # plies until the end, at most, if it is proven
    ]


def chosen(stack: Any, *, wins: bool) -> int:
    """Return the child of a proven root that wins quickest, or else the one known to resist longest."""
    children = slice(0, int(stack["begin"][1]))
    distance = stack["distance"][children]
    if not wins:
        return int(np.argmax(distance))
    winning = np.flatnonzero(stack["disproof"][children] == 0)
    return int(winning[np.argmin(distance[winning])])


@kernel
def weighed(stack: Record, ply: Int) -> tuple[Int, Int, Int, Int, Int]:
    """Return a position's proof, disproof, distance; the child to search, the disproof number of the next."""
    least, second, soonest = SURE, SURE, SURE
    total, best, latest = 0, -1, 0
    for at in range(stack.begin[ply], stack.begin[ply + 1]):
        disproof = stack.disproof[at]
        total += stack.proof[at]
        if disproof < least or best < 0:
            least, second, best = disproof, least, at
        elif disproof < second:
            second = disproof
        latest = max(latest, stack.distance[at])
        if disproof == 0:
            soonest = min(soonest, stack.distance[at])
    if least == 0:
        return 0, SURE, soonest + 1, best, second
    if total == 0:
        return SURE, 0, latest + 1, best, second
    return least, min(total, SURE - 1), 0, best, second


@kernel
def limit_child(stack: Record, ply: Int, disproof: Int, best: Int, second: Int) -> None:
    """Search the child `best` until the position's own limits are reached or another child is better.

    A quarter better: the 1 + epsilon trick of Pawlewicz and Lew, "Improving depth-first PN-search", CG (2006).
    """
    stack.taken[ply] = best
    stack.most_proof[ply + 1] = stack.most_disproof[ply] - disproof + stack.proof[best]
    stack.most_disproof[ply + 1] = min(stack.most_proof[ply], second + (second >> _EPSILON) + 1)


@kernel
def recalled(table: Array, a: Word, b: Word) -> tuple[Int, Int, Int]:
    """Return proof, disproof and distance of the position (a, b); 0, 0, 0 if it is not known."""
    bucket = bucket_of(table, a, b)
    for at in (0, SECOND):
        if bucket[at] == a and bucket[at + 1] == b:
            numbers = bucket[at + 2]
            return np.int64(numbers >> _HALF), np.int64(numbers & _LOW), np.int64(bucket[at + 3] & _PLIES)
    return 0, 0, 0


@kernel
def remember(table: Array, a: Word, b: Word, proof: Int, disproof: Int, distance: Int, nodes: Int) -> None:
    """Store the numbers of the position (a, b), with the nodes of all its searches."""
    work = np.uint64(nodes)
    bucket = bucket_of(table, a, b)
    if bucket[0] == a and bucket[1] == b:
        at = 0
        work += bucket[3] >> _WORK_AT
    elif bucket[SECOND] == a and bucket[SECOND + 1] == b:
        at = SECOND
        work += bucket[SECOND + 3] >> _WORK_AT
    else:
        at = 0 if bucket[3] >> _WORK_AT <= bucket[SECOND + 3] >> _WORK_AT else SECOND
    bucket[at], bucket[at + 1] = a, b
    bucket[at + 2] = np.uint64(proof) << _HALF | np.uint64(disproof)
    bucket[at + 3] = work << _WORK_AT | np.uint64(distance)
