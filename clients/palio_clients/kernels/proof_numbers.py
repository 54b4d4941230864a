"""What proof-number searches share: the numbers of a position by those of its children, and a table that keeps them.

Both numbers are those of the side to move: `proof`, how much must still be shown for it to reach what it wants, and
`disproof`, how much for it not to. `SURE` is the number of what cannot be had any more; the other one is 0 then.

A position in the table is two words, both of which are compared, so that none is taken for another. A bucket of
`table.new_table` has room for two positions; the one that has cost less gives way.
"""

from typing import Any

import numpy as np

from palio_clients.kernels.jit import Array, Int, Record, Word, kernel
from palio_clients.kernels.table import bucket_of

SURE = 1 << 30
SECOND = 4  # where the second position of a bucket begins
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_WORK_AT, _PLIES = np.uint64(16), np.uint64(0xFFFF)
_EPSILON = np.int64(2)  # a quarter, as a shift


def fields(plies: int, children: int) -> list[tuple[str, type[np.generic], tuple[int, ...]]]:
    """Of a workspace's dtype, for so many plies and so many children in all of them."""
    return [
        ("most_proof", np.int64, (plies + 1,)),  # by ply: beyond these another position is more promising
        ("most_disproof", np.int64, (plies + 1,)),
        ("since", np.int64, (plies + 1,)),  # nodes counted before it
        ("begin", np.int64, (plies + 2,)),  # where its children lie on the stack
        ("taken", np.int64, (plies + 1,)),  # the child that is looked at
        ("move", np.int64, (children,)),  # the stack
        ("proof", np.int64, (children,)),
        ("disproof", np.int64, (children,)),
        ("distance", np.int64, (children,)),  # plies until the end, at most, where it is settled
    ]


def chosen(stack: Any, *, wins: bool) -> int:
    """Of the children of a settled root, the quickest that wins, or else the one that is known to hold out longest."""
    children = slice(0, int(stack["begin"][1]))
    distance = stack["distance"][children]
    if not wins:
        return int(np.argmax(distance))
    winning = np.flatnonzero(stack["disproof"][children] == 0)
    return int(winning[np.argmin(distance[winning])])


@kernel
def weighed(stack: Record, ply: Int) -> tuple[Int, Int, Int, Int, Int]:
    """A position by its children: proof, disproof, distance; the child to look at, the disproof number of the next."""
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
    """Let the child `best` be looked at until the position's own limits are reached or another child is better.

    A quarter better: the 1 + epsilon trick of Pawlewicz and Lew, "Improving depth-first PN-search", CG (2006).
    """
    stack.taken[ply] = best
    stack.most_proof[ply + 1] = stack.most_disproof[ply] - disproof + stack.proof[best]
    stack.most_disproof[ply + 1] = min(stack.most_proof[ply], second + (second >> _EPSILON) + 1)


@kernel
def recalled(table: Array, a: Word, b: Word) -> tuple[Int, Int, Int]:
    """Proof, disproof and distance of the position (a, b); 0, 0, 0 if it is not known."""
    bucket = bucket_of(table, a, b)
    for at in (0, SECOND):
        if bucket[at] == a and bucket[at + 1] == b:
            numbers = bucket[at + 2]
            return np.int64(numbers >> _HALF), np.int64(numbers & _LOW), np.int64(bucket[at + 3] & _PLIES)
    return 0, 0, 0


@kernel
def remember(table: Array, a: Word, b: Word, proof: Int, disproof: Int, distance: Int, nodes: Int) -> None:
    """Keep the numbers of the position (a, b), with all the nodes that it has ever cost."""
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
