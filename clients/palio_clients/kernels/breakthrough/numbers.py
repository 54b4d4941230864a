"""What a proof-number search knows of positions: two numbers each, in a table of their own.

A position is its two words, and the same for its image in a mirror, left for right; both words are compared, so that
none is taken for another. A bucket has the size of a cache line and room for two positions; the one that has cost less
gives way.
"""

from typing import Any

import numpy as np

from palio_clients.kernels.bits import ZERO
from palio_clients.kernels.breakthrough.board import LONGEST, WIDEST
from palio_clients.kernels.jit import Array, Int, Record, Word, kernel
from palio_clients.kernels.table import bucket_of
from palio_rules.games.breakthrough import Board

SURE = 1 << 30  # the number of what cannot be had any more
STACK = LONGEST * WIDEST
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_WORK_AT, _PLIES = np.uint64(16), np.uint64(0xFFFF)
SECOND = 4  # where the second position of a bucket begins

PROOF = np.dtype(
    [
        ("mirror", np.uint64, (256,)),  # each row, read from the right
        ("nodes", np.int64),
        ("limit", np.int64),  # nodes at most, 0 for no limit
        ("plies", np.int64),  # until the end, at most, once the root is settled
        # of the position at each ply
        ("own", np.uint64, (LONGEST + 1,)),
        ("enemy", np.uint64, (LONGEST + 1,)),
        ("most_proof", np.int64, (LONGEST + 1,)),  # beyond these another one is more promising
        ("most_disproof", np.int64, (LONGEST + 1,)),
        ("since", np.int64, (LONGEST + 1,)),  # nodes counted before it
        ("begin", np.int64, (LONGEST + 2,)),  # where its children lie on the stack
        ("taken", np.int64, (LONGEST + 1,)),  # the child that is looked at
        # the stack: positions after a move, as the side sees them that is to move then
        ("child_own", np.uint64, (STACK,)),
        ("child_enemy", np.uint64, (STACK,)),
        ("move", np.int64, (STACK,)),
        ("proof", np.int64, (STACK,)),
        ("disproof", np.int64, (STACK,)),
        ("distance", np.int64, (STACK,)),  # plies until the end, at most, where it is settled
    ],
    align=True,
)


def proof_space(board: Board) -> Any:
    """An array of one record. Most of it is never written to, and takes no memory."""
    made = np.zeros(1, PROOF)
    for row in range(board.row + 1):
        made[0]["mirror"][row] = int(f"{row:0{board.cols}b}"[::-1], 2)
    return made


@kernel
def mirrored(space: Record, stack: Record, pawns: Word) -> Word:
    """The image of the pawns, left for right."""
    image, shift = ZERO, ZERO
    while pawns != ZERO:
        image |= stack.mirror[pawns & space.row] << shift
        pawns >>= space.cols
        shift += space.cols
    return image


@kernel
def key_of(space: Record, stack: Record, own: Word, enemy: Word, turn: Int) -> tuple[Word, Word]:
    """Two words: those of the position, or of its image if that comes first; the turn is in the second one."""
    left, right = mirrored(space, stack, own), mirrored(space, stack, enemy)
    if left < own or (left == own and right < enemy):
        own, enemy = left, right
    return own, enemy ^ (ZERO - np.uint64(turn))


@kernel
def recalled(space: Record, stack: Record, table: Array, own: Word, enemy: Word, turn: Int) -> tuple[Int, Int, Int]:
    """Proof and disproof number of a position for its side to move, and its distance; 0, 0, 0 if it is not known."""
    a, b = key_of(space, stack, own, enemy, turn)
    bucket = bucket_of(table, a, b)
    for at in (0, SECOND):
        if bucket[at] == a and bucket[at + 1] == b:
            numbers = bucket[at + 2]
            return np.int64(numbers >> _HALF), np.int64(numbers & _LOW), np.int64(bucket[at + 3] & _PLIES)
    return 0, 0, 0


@kernel
def remember(
    space: Record,
    stack: Record,
    table: Array,
    ply: Int,
    turn: Int,
    proof: Int,
    disproof: Int,
    distance: Int,
) -> None:
    """Keep the numbers of the position at `ply`, with all the nodes that it has ever cost."""
    a, b = key_of(space, stack, stack.own[ply], stack.enemy[ply], turn)
    work = np.uint64(stack.nodes - stack.since[ply])
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
