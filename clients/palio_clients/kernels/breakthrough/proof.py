"""Who wins, by proof-number search: depth-first, in the memory that a table has.

Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", thesis, University of Tokyo (2002). A child is
left only when it is a quarter worse than the next one, not as soon as it is worse at all: the 1 + epsilon trick of
Pawlewicz and Lew, "Improving depth-first PN-search", CG (2006). No position of Breakthrough can occur twice in a game,
as every move brings a pawn nearer to its goal. So what the table knows of a position is true however it was reached.

Races that are decided end a line early: Saffidine, Jouandeau and Cazenave, "Solving Breakthrough with race patterns and
job-level proof number search", ACG (2011). A position begins with the number of its moves, all of which are to be
refuted, and with the pawns that a side is ahead: whoever is behind has a longer way to go.

A node is a position whose moves are listed. Both numbers are its own side's: `proof` of a win, `disproof` of a loss.
"""

import numpy as np

from palio_clients.kernels.bits import ONE, ZERO, lowest, popcount, raised
from palio_clients.kernels.breakthrough.board import captures, fan_of, landing, numbered, ways
from palio_clients.kernels.breakthrough.numbers import SURE, recalled, remember
from palio_clients.kernels.breakthrough.race import race
from palio_clients.kernels.jit import Array, Flag, Int, Record, Word, kernel

WON, OPEN, LOST = 1, 0, -1  # for the side to move
AHEAD = 8  # what a pawn more is worth in a first number
EPSILON = np.int64(2)  # a quarter, as a shift


@kernel
def prove(spaces: Array, stacks: Array, table: Array, flag: Flag, own: Word, enemy: Word, turn: Int) -> Int:
    """Whether the side to move wins a game that is not over. OPEN if it was stopped, or came to its limit of nodes.

    The children of the root are then at the beginning of the stack, with `plies` the distance of the root.
    """
    space, stack = spaces[0], stacks[0]
    ply = np.int64(0)
    stack.begin[0] = 0
    stack.most_proof[0] = stack.most_disproof[0] = SURE
    enter(space, stack, table, ply, own, enemy, turn)
    while True:
        proof, disproof, distance, best, second = weighed(stack, ply)
        if proof == 0 or disproof == 0 or proof >= stack.most_proof[ply] or disproof >= stack.most_disproof[ply]:
            remember(space, stack, table, ply, turn, proof, disproof, distance)
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
        a, b, plies = recalled(space, stack, table, mine, theirs, 1 - turn)
        if (a or b) and (a != stack.proof[best] or b != stack.disproof[best]):  # reached on another way meanwhile
            stack.proof[best], stack.disproof[best], stack.distance[best] = a, b, plies
            continue
        stack.taken[ply] = best
        stack.most_proof[ply + 1] = stack.most_disproof[ply] - disproof + stack.proof[best]
        stack.most_disproof[ply + 1] = min(stack.most_proof[ply], second + (second >> EPSILON) + 1)
        ply += 1
        turn = 1 - turn
        enter(space, stack, table, ply, mine, theirs, turn)


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
def enter(space: Record, stack: Record, table: Array, ply: Int, own: Word, enemy: Word, turn: Int) -> None:
    """List the children of a position on the stack; not those that leave a pawn alone which is about to arrive."""
    stack.own[ply], stack.enemy[ply], stack.since[ply] = own, enemy, stack.nodes
    stack.nodes += 1
    at = stack.begin[ply]
    left, straight, right = ways(space, own, enemy, turn)
    threats = enemy & space.ahead[1 - turn] if ply else ZERO  # whoever asks about the root wants to see all
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
            over = (to & space.goal[turn]) != ZERO or theirs == ZERO
            proof, disproof, distance = judged(space, stack, table, theirs, mine, 1 - turn, over)
            stack.proof[at], stack.disproof[at], stack.distance[at] = proof, disproof, distance
            at += 1
    stack.begin[ply + 1] = at


@kernel
def judged(
    space: Record, stack: Record, table: Array, own: Word, enemy: Word, turn: Int, over: Int
) -> tuple[Int, Int, Int]:
    """The numbers of a position for its side to move, which has lost if it is `over`; and its distance."""
    if over:
        return SURE, 0, 0
    plies = race(space, own, enemy, turn)
    if plies > 0:
        return 0, SURE, plies
    if plies < 0:
        return SURE, 0, -plies
    proof, disproof, distance = recalled(space, stack, table, own, enemy, turn)
    if proof or disproof:
        return proof, disproof, distance
    threats = enemy & space.ahead[1 - turn]
    if threats != ZERO:
        left, right = captures(space, own, threats, turn)
        return 1, popcount(left) + popcount(right), 0
    left, straight, right = ways(space, own, enemy, turn)
    moves = popcount(left) + popcount(straight) + popcount(right)
    lead = AHEAD * (popcount(own) - popcount(enemy))
    return 1 + max(np.int64(0), AHEAD - lead), moves + max(np.int64(0), AHEAD + lead), 0
