"""The lower bound of a position's remaining actions: the tables that guide both searches of `travel.py`.

The handout looks up each piece's distance to the nearest exit and halves it, as if there were a piece to jump over at
every step, and adds jumps over blocks unchanged. That is not admissible: a detour in jumps over pieces can be shorter
than the nearest path with its jumps over blocks. Two admissible bounds take its place, and the larger one counts.

- *Apart*: each piece on its own, free to jump in every direction at every step.
- *Together*: hexes from which a single piece needs equally many actions are one place. Each action on the board has an
  equivalent from place to place, with a piece in the right place for every jump. This puzzle has at most a few thousand
  positions, and is solved from its end backwards: a pattern database after Culberson and Schaeffer, "Pattern
  databases", Computational Intelligence 14 (1998).

Both are exact costs of a simpler puzzle, and so consistent: no action lowers them by more than its own cost.
"""

from collections import defaultdict, deque
from collections.abc import Iterator
from itertools import combinations_with_replacement
from math import inf
from typing import TYPE_CHECKING

from palio_rules.boards.chexers import BLOCK, EXITS, WAYS
from palio_rules.instances.chexers_solo import distances

if TYPE_CHECKING:
    from palio_clients.handouts.chexers.node import Node
else:
    from node import Node  # as in the course: the file beside this one

Place = float  # all hexes from which a single piece needs so many actions; inf: it cannot leave
Team = tuple[Place, ...]  # the places of all pieces, the nearest to an exit first
Steps = defaultdict[Place, set[Place]]
Jumps = defaultdict[Place, set[tuple[Place, Place]]]


class Heuristic:
    """The tables of one board: call it with any node of it for a lower bound of the actions."""

    def __init__(self, node: Node) -> None:
        self.apart = distances(node.cells, node.colour)
        self.alone = alone(node.cells, node.colour)
        self.together = together(self.alone, len(node.pieces))

    def __call__(self, node: Node) -> float:
        """Return the bound: 0 in a final state only; inf if a piece is shut in.

        Otherwise there is a solution: the piece that is nearest to an exit leaves alone, because no piece is nearer;
        then the next one. A piece that is shut in stays so: any hex over which another could help it, it could step on.
        """
        pieces = node.pieces
        apart = sum([self.apart.get(at, inf) for at in pieces])
        return max(apart, self.together.get(tuple(sorted([self.alone[at] for at in pieces])), inf))


def alone(cells: str, colour: int) -> dict[int, Place]:
    """Return for each hex without a block the fewest actions in which a single piece there leaves the board.

    The handout's table: breadth first from every usable exit, by steps and by jumps over blocks.
    """
    table = {at: inf for at, cell in enumerate(cells) if cell != BLOCK}
    waiting = deque(sorted(EXITS[colour] & table.keys()))
    table.update(dict.fromkeys(waiting, 1))
    while waiting:
        at = waiting.popleft()
        for way in WAYS[at]:  # every one of them is reversible
            there = way.far if cells[way.near] == BLOCK else way.near
            if table.get(there) == inf:
                table[there] = table[at] + 1
                waiting.append(there)
    return table


def together(table: dict[int, Place], pieces: int) -> dict[Team, int]:
    """Return for each team of up to so many pieces the fewest actions from place to place; no entry: one is shut in."""
    steps, jumps = _between(table)
    before: defaultdict[Team, set[Team]] = defaultdict(set)
    for size in range(1, pieces + 1):
        for team in combinations_with_replacement(sorted(set(table.values())), size):
            for later in _after(team, steps, jumps):
                before[later].add(team)
    needs: dict[Team, int] = {(): 0}
    waiting = deque(needs)
    while waiting:
        later = waiting.popleft()
        for team in before[later] - needs.keys():
            needs[team] = needs[later] + 1
            waiting.append(team)
    return needs


def _between(table: dict[int, Place]) -> tuple[Steps, Jumps]:
    """Return for each place where a single piece can go, and over which other place it can jump to which."""
    steps: Steps = defaultdict(set)
    jumps: Jumps = defaultdict(set)
    for at, place in table.items():
        for way in WAYS[at]:
            if way.near in table:
                steps[place].add(table[way.near])
                if way.far in table:
                    jumps[place].add((table[way.near], table[way.far]))
            elif way.far in table:
                steps[place].add(table[way.far])  # over a block
    return steps, jumps


def _after(team: Team, steps: Steps, jumps: Jumps) -> Iterator[Team]:
    """Yield the teams after one action."""
    for number, place in enumerate(team):
        others = team[:number] + team[number + 1 :]
        if place == 1:
            yield others
        for there in steps[place] | {there for over, there in jumps[place] if over in others}:
            yield tuple(sorted((*others, there)))
