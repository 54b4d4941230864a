"""Rush Hour: whatever stands in the way of `a` must move, and so must what stands in the only way of that.

The estimate is one of CSCI 104's (University of Southern California). It is consistent, hence admissible: it counts
vehicles each of which has to move once more at least, and a move of one vehicle takes no other one off the list.

- *Direct blockers* stand in the row of `a`, to its right. Where `a` itself slides it passes over empty cells, so that
  it has the same vehicles to its right afterwards.
- *Indirect blockers* stand in the cells through which a direct blocker has to leave the row, if it is too long to leave
  it on the other side. When it has moved and left the row, those cells were empty; when it has moved and is still in
  the row, what it did not pass is still in its way.

A direct blocker that lies in the row of `a`, or is too long for either side, never gets out of the way: then infinitely
much remains.
"""

from collections.abc import Iterator
from functools import lru_cache, partial
from math import inf

from palio_clients.search.a_star import Problem
from palio_rules.boards.rush_hour import At, Garage, Vehicle
from palio_rules.games.rush_hour import Move, Position

LOST = 1000.0  # what a position is worth that cannot be solved: less than any other


def problem(state: Position, _seat: int = 0) -> Problem[At]:
    """The puzzle from `state` on: where the vehicles stand is all that changes, and each slide costs 1."""
    return Problem(state.at, partial(slides, state.garage), partial(indirect_blockers, state.garage))


def evaluate(state: Position, _seat: int) -> float:
    """The fewer vehicles have to move, the better."""
    return -min(indirect_blockers(state.garage, state.at), LOST)


def slides(garage: Garage, at: At) -> Iterator[tuple[Move, At]]:
    """Every move, and where the vehicles stand after it, in the order of the rules."""
    vehicles = garage.vehicles
    for index, amount in garage.slides(at):
        yield Move(vehicles[index].letter, amount), (*at[:index], at[index] + amount, *at[index + 1 :])


def indirect_blockers(garage: Garage, at: At) -> float:
    """The vehicles to the right of `a`, and those in the only way of these; 0 exactly if the board is solved."""
    road = garage.road[at[garage.escaping]]
    needed, only_way = road, _only_ways(garage)
    for index, stands in enumerate(garage.stands):
        if stands[at[index]] & road:
            way = only_way[index][at[index]]
            if way is None:
                return inf
            needed |= way
    return sum(1 for stands, k in zip(garage.stands, at, strict=True) if stands[k] & needed)


@lru_cache(maxsize=64)
def _only_ways(garage: Garage) -> tuple[tuple[int | None, ...], ...]:
    """For each vehicle, by its first cell: the cells through which it must leave the row of `a`; None: it never can.

    No cells at all if it can leave on both sides.
    """
    row = garage.vehicles[garage.escaping].line
    return tuple(_only_way(car, cells, row) for car, cells in zip(garage.vehicles, garage.cells, strict=True))


def _only_way(car: Vehicle, cells: tuple[int, ...], row: int) -> tuple[int | None, ...]:
    side = len(cells)
    up, down = row >= car.length, row + car.length < side
    if car.lies or not (up or down):
        return (None,) * side
    if up and down:
        return (0,) * side
    if up:
        return tuple(sum(cells[row - car.length : k]) for k in range(side))
    return tuple(sum(cells[k + car.length : row + 1 + car.length]) for k in range(side))
