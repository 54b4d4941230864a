"""Counting the legal boards of a small size: every group has a liberty.

Tromp and Farneback, "Combinatorics of Go", CG (2006); OEIS A094777.
"""

import numpy as np

from palio_clients.games.go.kernels.workspace import AROUND, BORDER, POINTS, STRIDE
from palio_clients.kernels.jit import Array, Int, Truth, kernel


def legal_boards(size: int) -> int:
    """Return how many of the 3**(size * size) boards are legal. 4x4 takes some seconds, 5x5 days."""
    colours = np.full(POINTS, BORDER, np.int8)
    points = np.array([(row + 1) * STRIDE + col + 1 for row in range(size) for col in range(size)], np.int64)
    colours[points] = 0
    return int(_count(colours, points, np.zeros(POINTS, np.int64), np.zeros(POINTS, np.int64)))


@kernel
def _count(colours: Array, points: Array, stack: Array, seen: Array) -> Int:
    """Count through all boards as an odometer with three digits."""
    found, time = np.int64(0), np.int64(0)
    while True:
        time += 1
        found += _is_legal(colours, points, stack, seen, time)
        at = 0
        while at < len(points) and colours[points[at]] == BORDER - 1:
            colours[points[at]] = 0
            at += 1
        if at == len(points):
            return found
        colours[points[at]] += 1


@kernel
def _is_legal(colours: Array, points: Array, stack: Array, seen: Array, time: Int) -> Truth:
    for first in points:
        if colours[first] == 0 or seen[first] == time:
            continue
        size, free = 1, False
        stack[0] = first
        seen[first] = time
        while size:
            size -= 1
            point = stack[size]
            for step in AROUND:
                other = point + step
                if colours[other] == 0:
                    free = True
                elif colours[other] == colours[first] and seen[other] != time:
                    seen[other] = time
                    stack[size] = other
                    size += 1
        if not free:
            return False
    return True
