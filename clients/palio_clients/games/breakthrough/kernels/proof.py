"""The winner by proof-number search: depth-first, in the memory of a table.

Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", thesis, University of Tokyo (2002). No
position of Breakthrough can occur twice in a game, as every move brings a pawn nearer to its goal. So a table entry is
valid for every path to its position; and it is the same for the position's image, left for right.

Races that are decided end a line early: Saffidine, Jouandeau and Cazenave, "Solving Breakthrough with race patterns and
job-level proof number search", ACG (2011). A position's first number is the number of its moves, all of which are to be
refuted, plus the pawns and rows that a side is ahead: the side that is behind has a longer way to go.

A node is a position whose moves are listed. Both numbers are its own side's: `proof` of a win, `disproof` of a loss.
"""

from typing import Any

import numpy as np

from palio_clients.games.breakthrough.kernels.evaluation import PAWN, balance, race
from palio_clients.games.breakthrough.kernels.workspace import (
    LONGEST,
    SQUARES,
    WIDEST,
    captures,
    fan_of,
    landing,
    numbered,
    ways,
)
from palio_clients.kernels.bits import ONE, ZERO, lowest, popcount, raised
from palio_clients.kernels.jit import Array, Flag, Int, Record, Word, kernel
from palio_clients.kernels.table import SURE, fields, limit_child, recalled, remember, weighed
from palio_rules.games.breakthrough import Board

WON, OPEN, LOST = 1, 0, -1  # for the side to move
AHEAD = 16  # the value of an extra pawn in a first number

PROOF = np.dtype(
    [
        ("mirror", np.uint64, (SQUARES,)),  # the image of each square, left for right
        ("nodes", np.int64),
        ("limit", np.int64),  # nodes at most, 0 for no limit
        ("plies", np.int64),  # until the end, at most, once the root is proven
        ("own", np.uint64, (LONGEST + 1,)),  # pawns of the side to move at each ply
        ("enemy", np.uint64, (LONGEST + 1,)),
        ("child_own", np.uint64, (LONGEST * WIDEST,)),  # the stack, from the view of the side to move there
        ("child_enemy", np.uint64, (LONGEST * WIDEST,)),
        *fields(LONGEST, LONGEST * WIDEST),
    ],
    align=True,
)


def proof_space(board: Board) -> Any:
    """Return an array of one record. Most of it is never written to, and uses no memory."""
    made = np.zeros(1, PROOF)
    for square in range(board.rows * board.cols):
        row, col = divmod(square, board.cols)
        made[0]["mirror"][square] = board.bit(row, board.cols - 1 - col)
    return made


@kernel
def prove(spaces: Array, stacks: Array, table: Array, flag: Flag, own: Word, enemy: Word, turn: Int) -> Int:
    """Return whether the side to move wins a game that is not over; OPEN if stopped, or at its limit of nodes.

    The children of the root are then at the beginning of the stack, and `plies` is the distance of the root.
    """
    space, stack = spaces[0], stacks[0]
    ply = np.int64(0)
    stack.begin[0] = 0
    stack.most_proof[0] = stack.most_disproof[0] = SURE
    enter(space, stack, table, ply, own, enemy, turn)
    while True:
        proof, disproof, distance, best, second = weighed(stack, ply)
        if proof == 0 or disproof == 0 or proof >= stack.most_proof[ply] or disproof >= stack.most_disproof[ply]:
            a, b = key_of(stack, stack.own[ply], stack.enemy[ply], turn)
            remember(table, a, b, proof, disproof, distance, stack.nodes - stack.since[ply])
            if ply == 0:
                stack.plies = distance
                return WON if proof == 0 else LOST
            ply -= 1
            turn = 1 - turn
            at = stack.taken[ply]
            stack.proof[at], stack.disproof[at], stack.distance[at] = proof, disproof, distance
            continue
        if raised(flag) or (stack.limit and stack.nodes >= stack.limit):
            return OPEN
        mine, theirs = stack.child_own[best], stack.child_enemy[best]
        a, b = key_of(stack, mine, theirs, 1 - turn)
        newer, other, plies = recalled(table, a, b)
        if (newer or other) and (newer != stack.proof[best] or other != stack.disproof[best]):
            # it was reached by another path meanwhile
            stack.proof[best], stack.disproof[best], stack.distance[best] = newer, other, plies
            continue
        limit_child(stack, ply, disproof, best, second)
        ply += 1
        turn = 1 - turn
        enter(space, stack, table, ply, mine, theirs, turn)


@kernel
def mirrored(stack: Record, pawns: Word) -> Word:
    """Return the image of the pawns, left for right."""
    image = ZERO
    while pawns != ZERO:
        image |= stack.mirror[lowest(pawns)]
        pawns &= pawns - ONE
    return image


@kernel
def key_of(stack: Record, own: Word, enemy: Word, turn: Int) -> tuple[Word, Word]:
    """Return two words: those of the position, or of its image if that comes first; the second contains the turn."""
    return lesser(own, enemy, mirrored(stack, own), mirrored(stack, enemy), turn)


@kernel
def lesser(own: Word, enemy: Word, own_image: Word, enemy_image: Word, turn: Int) -> tuple[Word, Word]:
    if own_image < own or (own_image == own and enemy_image < enemy):
        own, enemy = own_image, enemy_image
    return own, enemy ^ (ZERO - np.uint64(turn))


@kernel
def enter(space: Record, stack: Record, table: Array, ply: Int, own: Word, enemy: Word, turn: Int) -> None:
    """List the children of a position on the stack, except those that ignore a pawn which is about to arrive."""
    stack.own[ply], stack.enemy[ply], stack.since[ply] = own, enemy, stack.nodes
    stack.nodes += 1
    at = stack.begin[ply]
    left, straight, right = ways(space, own, enemy, turn)
    threats = enemy & space.ahead[1 - turn] if ply else ZERO  # at the root all moves are listed
    own_image, enemy_image = mirrored(stack, own), mirrored(stack, enemy)
    movers = left | straight | right
    while movers != ZERO:
        square = np.uint64(lowest(movers))
        movers &= movers - ONE
        pawn, fan = ONE << square, fan_of(left, straight, right, square)
        while fan != ZERO:
            bit = lowest(fan)
            fan &= fan - ONE
            to = landing(space, square, bit, turn)
            if threats != ZERO and (to & threats) == ZERO:
                continue
            mine, theirs = own ^ (pawn | to), enemy & ~to
            stack.child_own[at], stack.child_enemy[at], stack.move[at] = theirs, mine, numbered(square, bit)
            if (to & space.goal[turn]) != ZERO or theirs == ZERO:
                proof, disproof, distance = SURE, 0, np.int64(0)
            else:
                there = stack.mirror[lowest(to)]
                mine_image = own_image ^ (stack.mirror[np.int64(square)] | there)
                a, b = lesser(theirs, mine, enemy_image & ~there, mine_image, 1 - turn)
                proof, disproof, distance = judged(space, table, theirs, mine, 1 - turn, a, b)
            stack.proof[at], stack.disproof[at], stack.distance[at] = proof, disproof, distance
            at += 1
    stack.begin[ply + 1] = at


@kernel
def judged(space: Record, table: Array, own: Word, enemy: Word, turn: Int, a: Word, b: Word) -> tuple[Int, Int, Int]:
    """Return the numbers of a position for its side to move, and its distance; no side has won. Its key is (a, b)."""
    plies = race(space, own, enemy, turn)
    if plies > 0:
        return 0, SURE, plies
    if plies < 0:
        return SURE, 0, -plies
    proof, disproof, distance = recalled(table, a, b)
    if proof or disproof:
        return proof, disproof, distance
    threats = enemy & space.ahead[1 - turn]
    if threats != ZERO:
        left, right = captures(space, own, threats, turn)
        return 1, popcount(left) + popcount(right), 0
    left, straight, right = ways(space, own, enemy, turn)
    moves = popcount(left) + popcount(straight) + popcount(right)
    lead = AHEAD * balance(space, own, enemy, turn) // PAWN
    return 1 + max(np.int64(0), AHEAD - lead), moves + max(np.int64(0), AHEAD + lead), 0
