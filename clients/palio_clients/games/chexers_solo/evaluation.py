"""Chexers Solo: a lower bound for each piece is its cost if it could jump anywhere.

The estimate is the table of the rules' own solver, which proves it consistent: see
`palio_rules.instances.chexers_solo`.
"""

from collections.abc import Iterator
from functools import lru_cache, partial
from math import inf

from palio_clients.search.planning import Problem
from palio_rules.boards.chexers import EMPTY, LETTERS, Action, actions, moved
from palio_rules.games.chexers_solo import Position
from palio_rules.instances.chexers_solo import distances

LOST = 1000.0  # the value of an unsolvable position: less than any other


def problem(state: Position, _seat: int = 0) -> Problem[str]:
    """Return the puzzle from `state` on: a state is the cells, and each action costs 1."""
    return Problem(state.cells, partial(_successors, state.colour), partial(exits_away, state.colour))


def evaluate(state: Position, _seat: int) -> float:
    """Return the negative lower bound of the remaining actions."""
    return -min(exits_away(state.colour, state.cells), LOST)


def exits_away(colour: int, cells: str) -> float:
    """Return the actions that the pieces of `colour` need by the table, exits included; 0 only if all are off."""
    table, letter = _table(cells.replace(LETTERS[colour], EMPTY), colour), LETTERS[colour]
    total, at = 0.0, cells.find(letter)
    while at >= 0:
        total += table[at]
        at = cells.find(letter, at + 1)
    return total


def _successors(colour: int, cells: str) -> Iterator[tuple[Action, str]]:
    for action in actions(cells, colour):
        yield action, moved(cells, action, convert=False)


@lru_cache(maxsize=64)
def _table(blocks: str, colour: int) -> tuple[float, ...]:
    """Return for each cell the actions that a piece there needs; infinite without a way out."""
    found = distances(blocks, colour)
    return tuple(found.get(at, inf) for at in range(len(blocks)))
