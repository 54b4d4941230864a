"""The fewest actions of a Chexers puzzle, exactly: A* with a table of distances.

Hart, Nilsson and Raphael, "A formal basis for the heuristic determination of minimum cost paths" (1968). The heuristic
is the sum, over all pieces, of what each would need if it could jump in every direction at every step. One action moves
one piece, so the sum never exceeds the truth (it is admissible), and one action changes it by at most one (it is
consistent): the first time that a position is taken off the heap, the way to it is a shortest one.
"""

from collections import deque
from heapq import heappop, heappush

from palio_rules.boards.chexers import BLOCK, EXITS, INDEX, LETTERS, WAYS, Action, actions, moved
from palio_rules.instances.effort import spend


def distances(cells: str, colour: int) -> dict[int, int]:
    """For each cell, the fewest actions in which a piece there, free to jump anywhere, could leave; the exit included.

    Blocks stay in the way. From a cell that is not in the table there is no way out.
    """
    reached = {at: 1 for at in EXITS[colour] if cells[at] != BLOCK}
    waiting = deque(sorted(reached))
    while waiting:
        at = waiting.popleft()
        for way in WAYS[at]:
            for there in (way.near, way.far):
                if there >= 0 and there not in reached and cells[there] != BLOCK:
                    reached[there] = reached[at] + 1
                    waiting.append(there)
    return reached


def solve(cells: str, colour: int) -> list[Action] | None:
    """A shortest way to take all pieces of `colour` off, or None if there is none."""
    letter, table = LETTERS[colour], distances(cells, colour)
    if any(cell == letter and at not in table for at, cell in enumerate(cells)):
        return None

    total = sum(table[at] for at, cell in enumerate(cells) if cell == letter)
    best = {cells: 0}
    came: dict[str, tuple[str, Action]] = {}
    heap = [(total, total, cells)]
    while heap:
        total, left, here = heappop(heap)
        spend(1)
        if letter not in here:
            return _way(here, came)
        taken = best[here]
        if total > taken + left:
            continue  # a shorter way here has been found since
        for action in actions(here, colour):
            there = moved(here, action, convert=False)
            if taken + 1 < best.get(there, taken + 2):
                best[there], came[there] = taken + 1, (here, action)
                rest = left + _change(action, table)
                heappush(heap, (taken + 1 + rest, rest, there))
    return None


def _change(action: Action, table: dict[int, int]) -> int:
    """By how much the estimate grows with an action."""
    if action.kind == "EXIT":
        return -1
    src, dst = action.where
    return table[INDEX[dst]] - table[INDEX[src]]


def _way(here: str, came: dict[str, tuple[str, Action]]) -> list[Action]:
    way: list[Action] = []
    while here in came:
        here, action = came[here]
        way.append(action)
    return way[::-1]
