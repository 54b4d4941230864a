"""What our agents know of each game beyond its rules, one module per game, found by the game's name.

A module has two functions and, where planning makes sense, two more:

- `evaluate(state, seat)`: how good a position is for `seat`, the negative of the other seat's value; about one pawn's
  worth to the unit;
- `alone(state, seat)`: the moves of `seat` and the positions after them if the opponent never moved;
- `remaining(state, seat)`: an estimate of how many such moves `seat` needs to win; 0 when it has won.

A game without a module can be played all the same: its positions all look alike until they are decided.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


@cache
def knowledge_of(game: str) -> ModuleType | None:
    """The module about `game`, None if there is none."""
    name = f"{__name__}.{game}"
    return import_module(name) if find_spec(name) else None
