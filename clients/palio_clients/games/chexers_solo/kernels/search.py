"""Chexers Solo solved: the fewest actions that take all pieces off.

A* (Hart, Nilsson and Raphael, 1968) with the larger of two consistent estimates: the sum over all pieces of the cost of
each if it could jump anywhere, as in the rules' own solver, and the pattern database (`patterns`). The frontier has a
list for each total and each estimate: of the least total the nearest to the end is taken, and of these the newest.
"""

from itertools import pairwise
from math import comb, inf
from typing import Any

import numpy as np

from palio_clients.kernels.bits import ONE, ZERO, lowest, raised, scrambled
from palio_clients.kernels.jit import Array, Flag, Int, Record, Word, kernel, stop_flag
from palio_clients.search.game_tree import Stop, Stopped, never
from palio_clients.search.planning import Plan
from palio_rules.boards.chexers import BLOCK, EXITS, HEXES, LEAVE, LETTERS, WAYS, Action
from palio_rules.instances.chexers_solo import distances

# Chexers Solo for kernels: a position is a word with a bit for each piece, in the order of the rules' hexes.
#
# Pieces are not distinguished, so there are at most 74,519 positions of four, and a workspace has room for all of them.

PIECES = 4
POSITIONS = sum(comb(len(HEXES), pieces) for pieces in range(PIECES + 1))
SLOTS = 1 << 17  # of the hash table of positions
OFF = 31  # the region of a piece that has left
PATTERNS = 32**PIECES
FAR = 127  # the upper limit of remaining actions
LEVELS = 4  # of the frontier: an action changes the total by 0, 1 or 2

WORKSPACE = np.dtype(
    [
        ("pieces", np.int64),  # at the beginning
        ("blocks", np.uint64),
        ("exits", np.uint64),
        ("near", np.int64, (len(HEXES), 6)),  # -1 where the board ends
        ("far", np.int64, (len(HEXES), 6)),
        ("alone", np.int64, (len(HEXES),)),  # actions in which a piece that may jump anywhere is off, by its hex
        ("region", np.int64, (len(HEXES),)),
        ("steps", np.uint64, (32,)),  # the regions that a piece can step to, by its own region
        ("jumps", np.uint64, (32, 32)),  # the regions it can jump to, by its own and another piece's region
        ("away", np.uint8, (PATTERNS,)),  # see `patterns`
        ("queue", np.int32, (PATTERNS,)),
        ("count", np.int64),  # positions that are known
        ("explored", np.int64),
        ("waiting", np.int64),  # positions in the frontier
        ("heads", np.int32, (LEVELS, FAR + 1)),  # the first position of each list, -1 for none
        ("codes", np.uint64, (POSITIONS,)),
        ("cost", np.int32, (POSITIONS,)),
        ("left", np.int32, (POSITIONS,)),  # lower bound of the remaining actions
        ("came", np.int32, (POSITIONS,)),
        ("after", np.int32, (POSITIONS,)),  # the next position in its list; itself: it has left the frontier
        ("before", np.int32, (POSITIONS,)),
        ("keys", np.uint64, (SLOTS,)),
        ("places", np.int32, (SLOTS,)),
    ],
    align=True,
)


def fits(cells: str, colour: int) -> bool:
    """Return whether there is room for all reachable positions."""
    return cells.count(LETTERS[colour]) <= PIECES


def workspace(cells: str, colour: int) -> Any:
    """Return an array of one record, with the blocks and exits of this position."""
    made = np.zeros(1, WORKSPACE)
    space, table = made[0], distances(cells, colour)
    space["pieces"], space["heads"] = cells.count(LETTERS[colour]), -1
    space["blocks"] = sum(1 << at for at, cell in enumerate(cells) if cell == BLOCK)
    space["exits"] = sum(1 << at for at in EXITS[colour] if cells[at] != BLOCK)
    space["near"] = space["far"] = -1
    for at, ways in enumerate(WAYS):
        space["alone"][at], space["region"][at] = table.get(at, FAR), _region(at, colour)
        for number, way in enumerate(ways):
            space["near"][at, number], space["far"][at, number] = way.near, way.far
    return made


def code_of(cells: str, colour: int) -> int:
    return sum(1 << at for at, cell in enumerate(cells) if cell == LETTERS[colour])


def action_of(before: int, after: int) -> Action:
    """Return the action from one position to the next."""
    src = (before & ~after).bit_length() - 1
    dst = (after & ~before).bit_length() - 1
    if dst < 0:
        return LEAVE[src]
    return next(
        action
        for way in WAYS[src]
        for to, action in ((way.near, way.step), (way.far, way.jump))
        if to == dst and action
    )


def _region(at: int, colour: int) -> int:
    """Return the region of a hex: the remaining rows and, across, hexes two by two."""
    q, r = HEXES[at]
    lines, across = ((3 - q, r), (3 - r, q), (q + r + 3, q))[colour]
    return 4 * lines + (across + 3) // 2


# A pattern database: on a board of regions instead of hexes, the cost of every position is computed.
#
# Culberson and Schaeffer, "Pattern databases", Computational Intelligence 14 (1998). A piece in a region is at any hex
# of it, so n actions on the board are at most n here. But a jump still needs another piece to jump over, which a table
# for single pieces does not know: the piece in front goes step by step.
#
# A pattern is the regions of four pieces, in ascending order, five bits each; missing pieces count as off. All actions
# but the exit are reversible.


@kernel
def lay_out(space: Record) -> None:
    """Store the regions that a piece can reach from each region."""
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
    """Compute how many actions each pattern is away from the empty board, by searching backwards."""
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
    """Queue the patterns one action before this one; return the new end of the queue."""
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
    """Return the pattern with a piece in another region."""
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


NOT_FOUND, STOPPED = -1, -2


def solve(cells: str, colour: int, stop: Stop = never, spaces: Any = None) -> Plan:
    """Return a shortest plan; the position must fit. Raises Stopped.

    A caller that passes the `workspace` can read in it how many positions were explored so far.
    """
    spaces = workspace(cells, colour) if spaces is None else spaces
    with stop_flag(stop) as flag:
        number = find(spaces, np.uint64(code_of(cells, colour)), flag)
    if number == STOPPED:
        raise Stopped
    space, codes = spaces[0], list[int]()
    explored = int(space["explored"])
    if number == NOT_FOUND:
        return Plan((), complete=False, expanded=explored, at_least=inf)
    while number >= 0:
        codes.append(int(space["codes"][number]))
        number = int(space["came"][number])
    codes.reverse()
    moves = tuple(action_of(before, after) for before, after in pairwise(codes))
    return Plan(moves, complete=True, expanded=explored, at_least=len(moves))


@kernel
def find(spaces: Array, start: Word, flag: Flag) -> Int:
    """Return the number of the empty board, once its least cost is known."""
    space = spaces[0]
    lay_out(space)
    work_out(space)
    meet(space, start, 0, NOT_FOUND)
    total, left = space.left[0], np.int64(0)
    while space.waiting > 0:
        if raised(flag):
            return STOPPED
        while space.heads[total % LEVELS, left] < 0:
            left += 1
            if left > FAR:
                total, left = total + 1, np.int64(0)
        number = np.int64(space.heads[total % LEVELS, left])
        take_out(space, number)
        if space.codes[number] == ZERO:
            return number
        space.explored += 1
        expand(space, number)
        left = max(left - 1, np.int64(0))
    return NOT_FOUND


@kernel
def expand(space: Record, number: Int) -> None:
    """Visit all positions that are one action away."""
    code, cost = space.codes[number], np.int64(space.cost[number]) + 1
    taken, pieces = code | space.blocks, code
    while pieces != ZERO:
        at = lowest(pieces)
        rest = code ^ (ONE << np.uint64(at))
        pieces &= pieces - ONE
        for way in range(6):
            to = space.near[at, way]
            if to >= 0 and on(taken, to):
                to = space.far[at, way]
            if to >= 0 and not on(taken, to):
                meet(space, rest | (ONE << np.uint64(to)), cost, number)
        if on(space.exits, at):
            meet(space, rest, cost, number)


@kernel
def meet(space: Record, code: Word, cost: Int, came: Int) -> None:
    """Put a position into the frontier, unless it is known at no more cost or hopeless."""
    slot = scrambled(code) & np.uint64(SLOTS - 1)
    while space.keys[slot] != ZERO and space.keys[slot] != code + ONE:
        slot = (slot + ONE) & np.uint64(SLOTS - 1)
    if space.keys[slot] == ZERO:
        number = space.count
        space.count += 1
        space.keys[slot], space.places[slot], space.codes[number] = code + ONE, number, code
        space.left[number] = remaining(space, code)
        space.after[number] = number
        if space.left[number] >= FAR:
            space.cost[number] = 0  # never visit it again
            return
    else:
        number = np.int64(space.places[slot])
        if space.cost[number] <= cost:
            return
        if space.after[number] != number:
            take_out(space, number)
    space.cost[number], space.came[number] = cost, came
    put_in(space, number)


@kernel
def remaining(space: Record, code: Word) -> Int:
    """Return a lower bound of the remaining actions; FAR if the position is lost."""
    alone, pieces = np.int64(0), code
    while pieces != ZERO:
        alone += space.alone[lowest(pieces)]
        pieces &= pieces - ONE
    return min(max(alone, np.int64(space.away[pattern_of(space, code)])), FAR)


@kernel
def put_in(space: Record, number: Int) -> None:
    """Put a position first into its list of the frontier."""
    level, left = (space.cost[number] + space.left[number]) % LEVELS, space.left[number]
    head = space.heads[level, left]
    space.after[number], space.before[number] = head, -1
    if head >= 0:
        space.before[head] = number
    space.heads[level, left] = number
    space.waiting += 1


@kernel
def take_out(space: Record, number: Int) -> None:
    before, after = space.before[number], space.after[number]
    if before >= 0:
        space.after[before] = after
    else:
        space.heads[(space.cost[number] + space.left[number]) % LEVELS, space.left[number]] = after
    if after >= 0:
        space.before[after] = before
    space.after[number] = number
    space.waiting -= 1
