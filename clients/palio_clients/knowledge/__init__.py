"""What our agents know of each game beyond its rules, one module per game, found by the game's name.

A module has one function and, where they make sense, more:

- `evaluate(state, seat)`: how good a position is for `seat`, about one pawn's worth to the unit; over all seats the
  values add up to 0. In a race: the steps that remain at least, as a negative number;
- `alone(state, seat)`: the moves of `seat` and the positions after them if nobody else ever moved;
- `remaining(state, seat)`: an estimate of how many such moves `seat` needs to win; 0 when it has won;
- `lookback(state, depth)`: what a search of `depth` plies depends on besides the position, where the rules for draws
  look back: of equal positions with equal lookbacks it finds the same;
- `offers(state)`: in an anytime race, whole solutions that are worth handing in.

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
