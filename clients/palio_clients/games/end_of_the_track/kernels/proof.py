"""Who wins End of the Track, by proof-number search: depth-first, in the memory that a table has.

Nagai's df-pn, see `breakthrough.proof`. One side, the attacker, wants to win; the other wants that not to happen, and
a draw will do. So both numbers of a position say how far its side to move is from what it wants.

A game that comes back to where it was is a draw sooner or later. So a position that is on the way from the root to
itself is a failure of the attacker, and so is one that is too deep. That depends on the way, of which the table knows
nothing (Palay's graph-history interaction): what it says of *failures* may be wrong elsewhere, and is no proof of
anything. Its *wins* hold: a win is kept only when those below it are, with the plies that it takes at most. So whoever
follows the quickest one comes nearer to the end with each move, and meets no position a second time. What the game has
seen once, it sees twice then, which is no draw yet. What it has seen twice is a failure wherever it is met, so that a
table must not be used for a game in which that are others.
"""

import numpy as np

from palio_clients.games.end_of_the_track.kernels.past import occurred, occurred_since, pop, push, words_of
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

PROVEN, OPEN, FAILED = 1, 0, -1  # that the attacker wins; that nothing is known; that no win was found
QUIET = 8  # what it adds to the numbers of a defender that no threat hangs over it
TWICE = np.int64(2)
ATTACKER_AT = np.uint64(62)  # the bit of a key's second word that is free

PROOF = np.dtype(
    [
        ("nodes", np.int64),
        ("limit", np.int64),  # nodes at most, 0 for no limit
        ("plies", np.int64),  # until the end, at most, once the root is settled
        ("deepest", np.int64),  # plies from the root that are looked at
        ("attacker", np.int64),
        ("own", np.uint64, (DEEPEST + 1,)),  # blocks of the side to move at each ply
        ("enemy", np.uint64, (DEEPEST + 1,)),
        ("stood", np.int64, (DEEPEST + 1,)),  # where the piece stood that was moved
        *fields(DEEPEST, (DEEPEST + 1) * WIDEST),
    ],
    align=True,
)


@kernel
def prove(spaces: Array, stacks: Array, table: Array, flag: Flag, own: Word, enemy: Word, turn: Int) -> Int:
    """Whether the attacker wins a game that is not over. OPEN if it was stopped, or came to its limit of nodes."""
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
    """List the children of a position, which is now on the way, on the stack."""
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
    """The numbers of a position for its side to move, and its distance; nobody has arrived."""
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
