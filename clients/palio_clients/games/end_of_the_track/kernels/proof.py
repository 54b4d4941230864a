"""The winner of End of the Track, by proof-number search: depth-first, in the memory of a table.

Nagai's df-pn, see `breakthrough.proof`. One side, the attacker, tries to win; the other tries to prevent that, for
which a draw is enough. So both numbers of a position say how far its side to move is from its aim.

A repeated position leads to a draw. So a position that is on the path from the root to itself is a failure of the
attacker, and so is one that is too deep. That depends on the path, which the table does not contain (Palay's
graph-history interaction): its *failures* may be wrong on another path, and prove nothing. Its *wins* are valid: a win
is only stored if those below it are, with an upper bound of its plies. So the player of the quickest win comes nearer
to the end with each move, and meets no position a second time. A position that occurred once in the game then occurs
twice, which is not yet a draw. One that occurred twice is a failure on every path, so a table must not be used for a
game with other such positions.
"""

import numpy as np

from palio_clients.games.end_of_the_track.kernels.history import occurred, occurred_since, pop, push, words_of
from palio_clients.games.end_of_the_track.kernels.strong import reaches
from palio_clients.games.end_of_the_track.kernels.workspace import (
    DEEPEST,
    WIDEST,
    arrives,
    collect,
    mobility,
    moved,
    put_back,
    standing,
)
from palio_clients.kernels.bits import raised
from palio_clients.kernels.jit import Array, Flag, Int, Record, Word, kernel
from palio_clients.kernels.table import SURE, fields, limit_child, recalled, remember, weighed

PROVEN, OPEN, FAILED = 1, 0, -1  # the attacker wins; unknown; no win was found
QUIET = 8  # added to the numbers of a defender without a threat against it
TWICE = np.int64(2)
ATTACKER_AT = np.uint64(62)  # the free bit of a key's second word

PROOF = np.dtype(
    [
        ("nodes", np.int64),
        ("limit", np.int64),  # nodes at most, 0 for no limit
        ("plies", np.int64),  # until the end, at most, once the root is proven
        ("deepest", np.int64),  # plies from the root that are searched
        ("attacker", np.int64),
        ("own", np.uint64, (DEEPEST + 1,)),  # blocks of the side to move at each ply
        ("enemy", np.uint64, (DEEPEST + 1,)),
        ("stood", np.int64, (DEEPEST + 1,)),  # the origin of the piece that was moved
        *fields(DEEPEST, (DEEPEST + 1) * WIDEST),
    ],
    align=True,
)


@kernel
def prove(spaces: Array, stacks: Array, table: Array, flag: Flag, own: Word, enemy: Word, turn: Int) -> Int:
    """Return whether the attacker wins a game that is not over; OPEN if stopped, or at its limit of nodes."""
    space, stack = spaces[0], stacks[0]
    ply = np.int64(0)
    stack.begin[0] = 0
    stack.most_proof[0] = stack.most_disproof[0] = SURE
    enter(space, stack, table, ply, own, enemy, turn)
    while True:
        proof, disproof, distance, best, second = weighed(stack, ply)
        if proof == 0 or disproof == 0 or proof >= stack.most_proof[ply] or disproof >= stack.most_disproof[ply]:
            a, b = key_of(space, stack, stack.own[ply], stack.enemy[ply], turn)
            remember(table, a, b, proof, disproof, distance, stack.nodes - stack.since[ply])
            pop(space)
            if ply == 0:
                stack.plies = distance
                return PROVEN if (proof == 0) == (turn == stack.attacker) else FAILED
            ply -= 1
            turn = 1 - turn
            at = stack.taken[ply]
            put_back(space, turn, stack.move[at], stack.stood[ply])
            stack.proof[at], stack.disproof[at], stack.distance[at] = proof, disproof, distance
            continue
        if raised(flag) or (stack.limit and stack.nodes >= stack.limit):
            return OPEN
        move = stack.move[best]
        limit_child(stack, ply, disproof, best, second)
        stack.stood[ply] = standing(space, turn, move)
        own, enemy = stack.enemy[ply], moved(space, stack.own[ply], turn, move)
        ply += 1
        turn = 1 - turn
        enter(space, stack, table, ply, own, enemy, turn)


@kernel
def key_of(space: Record, stack: Record, own: Word, enemy: Word, turn: Int) -> tuple[Word, Word]:
    white, black = words_of(space, own, enemy, turn)
    return white, black | np.uint64(stack.attacker) << ATTACKER_AT


@kernel
def enter(space: Record, stack: Record, table: Array, ply: Int, own: Word, enemy: Word, turn: Int) -> None:
    """List the children of a position, which is now on the path, on the stack."""
    white, black = words_of(space, own, enemy, turn)
    push(space, white, black)
    stack.own[ply], stack.enemy[ply], stack.since[ply] = own, enemy, stack.nodes
    stack.nodes += 1
    at = stack.begin[ply]
    count = collect(space, own, enemy, turn, stack.move[at:])
    for child in range(at, at + count):
        move = stack.move[child]
        stood, mine = standing(space, turn, move), moved(space, own, turn, move)
        if arrives(space, turn, move):
            proof, disproof, distance = SURE, 0, np.int64(0)
        else:
            proof, disproof, distance = judged(space, stack, table, enemy, mine, 1 - turn, ply + 1)
        put_back(space, turn, move, stood)
        stack.proof[child], stack.disproof[child], stack.distance[child] = proof, disproof, distance
    if count == 0:  # a draw
        count = 1
        stack.move[at] = 0
        attacks = turn == stack.attacker
        stack.proof[at], stack.disproof[at], stack.distance[at] = 0 if attacks else SURE, SURE if attacks else 0, 0
    stack.begin[ply + 1] = at + count


@kernel
def judged(
    space: Record, stack: Record, table: Array, own: Word, enemy: Word, turn: Int, ply: Int
) -> tuple[Int, Int, Int]:
    """Return the numbers of a position for its side to move, and its distance; no ball has arrived."""
    attacks = turn == stack.attacker
    white, black = words_of(space, own, enemy, turn)
    if ply >= stack.deepest or occurred_since(space, white, black, space.game) or occurred(space, white, black, TWICE):
        return (SURE, 0, 0) if attacks else (0, SURE, 0)
    if reaches(space, own, enemy, turn):
        return 0, SURE, 1
    proof, disproof, distance = recalled(table, white, black | np.uint64(stack.attacker) << ATTACKER_AT)
    if proof or disproof:
        return proof, disproof, distance
    moves = mobility(space, own, enemy, turn)
    if moves == 0:
        return (SURE, 0, 0) if attacks else (0, SURE, 0)
    if attacks:
        return np.int64(1 + QUIET), moves, np.int64(0)
    if reaches(space, enemy, own, 1 - turn):
        return np.int64(1), np.int64(2), np.int64(0)
    return np.int64(1), moves + QUIET, np.int64(0)
