"""Rush Hour solved by looking at everything: every position that can be reached, and how far each is from the way out.

Breadth-first search, Moore, "The shortest path through a maze" (1959). Slides can be taken back, so the positions that
can be reached form one graph without directions: a second search, from all of its solved positions at once, gives the
fewest moves from each of them. That is how a generator finds a hard board where a random one is easy.

Inside, a position is one integer, four bits a vehicle; a test proves that it moves as the rules do.
"""

from typing import NamedTuple

from palio_rules.boards.rush_hour import At, Garage

BITS = 4  # a vehicle: no board has more than ten rows


class TooMany(Exception):
    """More positions can be reached than was allowed to look at."""


class Reach(NamedTuple):
    """What can be reached: how many positions, and those by the fewest moves that each needs, solved ones first.

    `levels` is empty if nothing solves the board.
    """

    positions: int
    levels: list[list[At]]


def reach(garage: Garage, start: At, most: int) -> Reach:
    """Look at every position that can be reached from `start`. Raises TooMany if there are more than `most`."""
    graph, taken = _explore(garage, start, most)
    shift, road = BITS * garage.escaping, garage.road
    level = [code for code in graph if not taken[code] & road[code >> shift & 15]]
    known, levels = set(level), []
    while level:
        levels.append([_unpacked(code, len(start)) for code in level])
        level = list(dict.fromkeys(there for code in level for there in graph[code] if there not in known))
        known.update(level)
    return Reach(len(graph), levels)


def _explore(garage: Garage, start: At, most: int) -> tuple[dict[int, list[int]], dict[int, int]]:
    """For each position that can be reached: those one slide away, and the cells that are taken."""
    side = garage.side
    cars = [
        (BITS * index, car.length, garage.cells[index], garage.stands[index])
        for index, car in enumerate(garage.vehicles)
    ]
    first = sum(k << BITS * index for index, k in enumerate(start))
    graph: dict[int, list[int]] = {}
    known, waiting = {first: garage.occupied(start)}, [first]
    for code in waiting:  # grows while we walk along it
        taken, near = known[code], []
        for shift, length, cells, stands in cars:
            k = code >> shift & 15
            lifted, to, there = taken ^ stands[k], k, code
            while to and not taken & cells[to - 1]:
                to, there = to - 1, there - (1 << shift)
                near.append((there, lifted | stands[to]))
            to, there = k, code
            while to + length < side and not taken & cells[to + length]:
                to, there = to + 1, there + (1 << shift)
                near.append((there, lifted | stands[to]))
        graph[code] = [there for there, _ in near]
        fresh = [(there, cells) for there, cells in near if there not in known]
        known.update(fresh)
        waiting += [there for there, _ in fresh]
        if len(known) > most:
            raise TooMany
    return graph, known


def _unpacked(code: int, vehicles: int) -> At:
    return tuple(code >> BITS * index & 15 for index in range(vehicles))


def solve(garage: Garage, start: At) -> list[tuple[int, int]] | None:
    """A shortest solution as (vehicle, amount), or None if there is none."""
    came: dict[At, tuple[At, tuple[int, int]] | None] = {start: None}
    waiting = [start]
    for at in waiting:
        if garage.solved(at):
            return _way(at, came)
        for index, amount in garage.slides(at):
            there = (*at[:index], at[index] + amount, *at[index + 1 :])
            if there not in came:
                came[there] = (at, (index, amount))
                waiting.append(there)
    return None


def _way(at: At, came: dict[At, tuple[At, tuple[int, int]] | None]) -> list[tuple[int, int]]:
    way = []
    while (before := came[at]) is not None:
        at, slide = before
        way.append(slide)
    return way[::-1]
