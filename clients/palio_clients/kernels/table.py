"""A transposition table for kernels: an array owned by the caller, where no position is ever taken for another.

A position is two words, both of which are kept and compared, so that there are no false hits. A bucket has the size of
a cache line and room for two: one that gives way to deeper or newer results only, and one that always gives way.
Breuker, Uiterwijk and van den Herik, "Replacement schemes for transposition tables", ICCA Journal 17 (1994): TwoDeep.
"""

import numpy as np
from numpy.typing import NDArray

from palio_clients.kernels.bits import ZERO, scrambled
from palio_clients.kernels.jit import Array, Int, Record, Truth, Word, kernel

WIN = 1_000_000  # as in `game_tree`: a win n plies from the root is worth WIN - n
DECIDED = WIN // 2  # beyond it nothing but wins and losses
AT_LEAST, AT_MOST, EXACT = 1, 2, 3  # what a score that is kept says of the true one
LINE = 8  # words of a cache line, and of a bucket

_SCORE, _MOVE, _DEPTH, _BOUND, _AGE = (np.uint64(shift) for shift in (32, 16, 8, 6, 0))
_WORD, _BYTE, _PAIR, AGES = (np.uint64(mask) for mask in (0xFFFF, 0xFF, 0x3, 0x3F))


def new_table(bits: int) -> NDArray[np.uint64]:
    """An empty table of 2**bits buckets, 64 bytes each."""
    size = 1 << bits
    raw = np.full((size + 1) * LINE, ZERO)  # written to, so that its pages are there before any clock runs
    first = -(raw.ctypes.data // 8) % LINE  # a bucket shall not lie across two cache lines
    return raw[first : first + size * LINE].reshape(size, LINE)


@kernel
def bucket_of(table: Array, a: Word, b: Word) -> Array:
    return table[scrambled(a ^ scrambled(b)) & np.uint64(len(table) - 1)]


@kernel
def recall(table: Array, a: Word, b: Word) -> Word:
    """What was kept of the position (a, b), for the functions below to take apart; 0 for nothing."""
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
    """Whether an entry is enough for a search of `depth` with this window; if `exact`, not by having looked deeper."""
    known = np.int64((entry >> _DEPTH) & _BYTE)
    if entry == ZERO or known < depth or (exact and known != depth):
        return False
    bound, score = np.int64((entry >> _BOUND) & _PAIR), score_in(entry, ply)
    return bound == EXACT or (bound == AT_LEAST and score >= beta) or (bound == AT_MOST and score <= alpha)


@kernel
def score_in(entry: Word, ply: Int) -> Int:
    """As seen from the root of a search in which the position is `ply` plies away."""
    score = np.int64(entry >> _SCORE) - np.int64(1 << 31)
    if score > DECIDED:
        return score - ply
    return score + ply if score < -DECIDED else score


@kernel
def keep(
    table: Array, a: Word, b: Word, move: Int, depth: Int, ply: Int, alpha: Int, beta: Int, score: Int, age: Int
) -> None:
    """Keep what a search of `depth` with this window has found of the position (a, b), `ply` plies from the root."""
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
    if at == 0 and not same:  # what was deep so far is still better than what always gives way
        bucket[3], bucket[4], bucket[5] = bucket[0], bucket[1], bucket[2]
    bucket[at], bucket[at + 1], bucket[at + 2] = a, b, entry


@kernel
def tick(space: Record, flag: Array) -> None:
    """Count a node, and stop where `limit` nodes have been counted."""
    space.nodes += 1
    if space.limit and space.nodes > space.limit:
        flag[0] = 1
