"""How far it is at least, seen from afar: on a board of regions instead of hexes, every position is worked out.

Culberson and Schaeffer, "Pattern databases", Computational Intelligence 14 (1998). A piece in a region is wherever that
helps, so what takes n actions on the board takes no more here. But a jump still needs somebody to jump over, and that
is what a table for each piece by itself does not know: whoever is in front goes step by step.

A pattern is the regions of four pieces, in ascending order, five bits each; those that were never there are off. All
actions but the exit can be taken back.
"""

import numpy as np

from palio_clients.games.chexers_solo.kernels.workspace import FAR, OFF, PATTERNS, PIECES
from palio_clients.kernels.bits import ONE, ZERO, lowest
from palio_clients.kernels.jit import Int, Record, Word, kernel


@kernel
def lay_out(space: Record) -> None:
    """Note where a piece can get to from each region."""
    for at in range(len(space.near)):
        if not on(space.blocks, at):
            own = space.region[at]
            if on(space.exits, at):
                space.steps[own] |= ONE << np.uint64(OFF)
                space.steps[OFF] |= ONE << np.uint64(own)
            for way in range(6):
                near, far = space.near[at, way], space.far[at, way]
                if near >= 0 and not on(space.blocks, near):
                    space.steps[own] |= ONE << np.uint64(space.region[near])
                if far >= 0 and not on(space.blocks, far):
                    bit = ONE << np.uint64(space.region[far])
                    if on(space.blocks, near):
                        space.steps[own] |= bit
                    else:
                        space.jumps[own, space.region[near]] |= bit


@kernel
def on(word: Word, at: Int) -> Int:
    return np.int64((word >> np.uint64(at)) & ONE)


@kernel
def work_out(space: Record) -> None:
    """Fill in how many actions each pattern is away from none of the pieces, by going back from there."""
    for pattern in range(PATTERNS):
        space.away[pattern] = FAR
    goal = PATTERNS - 1  # all are off
    space.away[goal], space.queue[0] = 0, goal
    head, tail = 0, 1
    while head < tail:
        tail = back(space, space.queue[head], tail)
        head += 1


@kernel
def back(space: Record, pattern: Int, tail: Int) -> Int:
    """Queue the patterns one action before this one; the new end of the queue."""
    for piece in range(space.pieces):
        own = (pattern >> (5 * piece)) & 31
        to = space.steps[own]
        for other in range(PIECES):
            if other != piece:
                to |= space.jumps[own, (pattern >> (5 * other)) & 31]
        while to != ZERO:
            there = ordered(pattern, piece, lowest(to))
            to &= to - ONE
            if space.away[there] == FAR:
                space.away[there] = space.away[pattern] + 1
                space.queue[tail] = there
                tail += 1
    return tail


@kernel
def ordered(pattern: Int, piece: Int, region: Int) -> Int:
    """The pattern with a piece in another region."""
    low = pattern & ((1 << (5 * piece)) - 1)
    rest = low | ((pattern >> (5 * piece + 5)) << (5 * piece))  # of the others
    place = 0
    while place < PIECES - 1 and ((rest >> (5 * place)) & 31) < region:
        place += 1
    low = rest & ((1 << (5 * place)) - 1)
    return low | (region << (5 * place)) | ((rest >> (5 * place)) << (5 * place + 5))


@kernel
def pattern_of(space: Record, code: Word) -> Int:
    pattern, first = PATTERNS - 1, PIECES - 1
    while code != ZERO:
        at = lowest(code)
        code &= code - ONE
        pattern = ordered(pattern, first, space.region[at])
    return pattern
