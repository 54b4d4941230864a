"""Chexers Solo for kernels: a position is a word with a bit for each piece, in the order of the rules' hexes.

Pieces have no names, so there are no more than 74,519 positions of four, and a workspace has room for all of them.
"""

from math import comb
from typing import Any

import numpy as np

from palio_rules.boards.chexers import BLOCK, EXITS, HEXES, LEAVE, LETTERS, WAYS, Action
from palio_rules.instances.chexers_solver import distances

PIECES = 4
POSITIONS = sum(comb(len(HEXES), pieces) for pieces in range(PIECES + 1))
SLOTS = 1 << 17  # of the table that finds positions
OFF = 31  # the region of a piece that has left
PATTERNS = 32**PIECES
FAR = 127  # actions that remain at most, as far as anybody knows
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
        ("steps", np.uint64, (32,)),  # regions that a piece can go to by itself, by its own
        ("jumps", np.uint64, (32, 32)),  # and those it can jump to, by its own and another piece's
        ("away", np.uint8, (PATTERNS,)),  # see `patterns`
        ("queue", np.int32, (PATTERNS,)),
        ("count", np.int64),  # positions that are known
        ("explored", np.int64),
        ("waiting", np.int64),  # positions in the frontier
        ("heads", np.int32, (LEVELS, FAR + 1)),  # of its lists: the number of a position, -1 for none
        ("codes", np.uint64, (POSITIONS,)),
        ("cost", np.int32, (POSITIONS,)),
        ("left", np.int32, (POSITIONS,)),  # actions that remain at least
        ("came", np.int32, (POSITIONS,)),
        ("after", np.int32, (POSITIONS,)),  # in its list; itself: it has left the frontier
        ("before", np.int32, (POSITIONS,)),
        ("keys", np.uint64, (SLOTS,)),
        ("places", np.int32, (SLOTS,)),
    ],
    align=True,
)


def fits(cells: str, colour: int) -> bool:
    """Whether there is room for all positions that can come."""
    return cells.count(LETTERS[colour]) <= PIECES


def workspace(cells: str, colour: int) -> Any:
    """An array of one record, with the blocks and exits of this position."""
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
    """What leads from one position to the next."""
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
    """Lines to go and, across, hexes two by two."""
    q, r = HEXES[at]
    lines, across = ((3 - q, r), (3 - r, q), (q + r + 3, q))[colour]
    return 4 * lines + (across + 3) // 2
