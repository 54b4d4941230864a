"""Rush Hour's car park for kernels: a position in one word, and the cells under vehicles in another.

Each vehicle has as many bits of the first as it takes to say where it stands, so that one step to the right or down
adds its unit. Cells are numbered as in the rules.
"""

from typing import Any

import numpy as np

from palio_rules.boards.rush_hour import LETTERS, At, Garage

LARGEST = 8  # sides of a board: its cells are the bits of a word
BITS = 63  # of a position; one more word is kept for none

WORKSPACE = np.dtype(
    [
        ("side", np.int64),
        ("cars", np.int64),
        ("escaping", np.int64),  # the number of `a`
        ("road", np.uint64, (LARGEST,)),  # its way out, by its first cell
        ("length", np.int64, (len(LETTERS),)),
        ("shift", np.uint64, (len(LETTERS),)),  # where its bits begin
        ("mask", np.uint64, (len(LETTERS),)),  # as many ones as it has bits
        ("stands", np.uint64, (len(LETTERS), LARGEST)),  # cells it covers, by its first one
        ("cells", np.uint64, (len(LETTERS), LARGEST)),  # along its line
        ("head", np.int64),  # positions that have been looked at
        ("count", np.int64),  # positions that are known
        ("found", np.int64),  # the first one that is solved, -1 if none is known
    ],
    align=True,
)


def fits(garage: Garage) -> bool:
    """Whether the board and every position fit into a word: that is so up to 6x6, if no vehicle is a single cell."""
    return garage.side <= LARGEST and sum(_bits(garage)) <= BITS


def workspace(garage: Garage) -> Any:
    """An array of one record, for a garage that `fits`."""
    made = np.zeros(1, WORKSPACE)
    space, shift = made[0], 0
    space["side"], space["cars"], space["escaping"] = garage.side, len(garage.vehicles), garage.escaping
    space["road"][: len(garage.road)] = garage.road
    for index, bits in enumerate(_bits(garage)):
        space["length"][index] = garage.vehicles[index].length
        space["shift"][index], space["mask"][index] = shift, (1 << bits) - 1
        space["stands"][index, : len(garage.stands[index])] = garage.stands[index]
        space["cells"][index, : garage.side] = garage.cells[index]
        shift += bits
    return made


def packed(space: Any, at: At) -> int:
    """The word of a position."""
    return sum(k << int(shift) for k, shift in zip(at, space["shift"], strict=False))


def unpacked(space: Any, code: int) -> At:
    cars = int(space["cars"])
    pairs = zip(space["shift"][:cars].tolist(), space["mask"][:cars].tolist(), strict=True)
    return tuple(code >> shift & mask for shift, mask in pairs)


def _bits(garage: Garage) -> list[int]:
    return [(garage.side - car.length).bit_length() for car in garage.vehicles]
