"""Chexers Solo solved: the fewest actions that take all pieces off.

A* (Hart, Nilsson and Raphael, 1968) with the larger of two consistent estimates: the sum over all pieces of what each
would need if it could jump anywhere, as in the rules' own solver, and what `patterns` know. The frontier is a list for
each total and each estimate: of the least total the nearest to the end is taken, and of these the newest.
"""

from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from palio_clients.games.chexers_solo.kernels.patterns import lay_out, on, pattern_of, work_out
from palio_clients.games.chexers_solo.kernels.workspace import FAR, LEVELS, SLOTS, action_of, code_of, workspace
from palio_clients.kernels.alarm import watched
from palio_clients.kernels.bits import ONE, ZERO, lowest, raised, scrambled
from palio_clients.kernels.jit import Array, Flag, Int, Record, Word, kernel
from palio_clients.search.a_star import Plan
from palio_clients.search.game_tree import Stop, Stopped, never

NOT_FOUND, STOPPED = -1, -2


def solve(cells: str, colour: int, stop: Stop = never, spaces: Any = None) -> Plan:
    """A shortest plan; the position must fit. Raises Stopped.

    Whoever brings the `workspace` itself can see in it how many positions were explored so far.
    """
    spaces = workspace(cells, colour) if spaces is None else spaces
    with watched(stop) as flag:
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
    """The number of the empty board, once the least cost of it is known."""
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
    """Meet everything that is one action away."""
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
            space.cost[number] = 0  # never better than that
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
    """The actions that remain at least; FAR if the position is lost."""
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
