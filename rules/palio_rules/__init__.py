"""The parts that bots and servers share: the rules of the games, the messages on the wire, and records of matches.

This module exports the names that a game's module and its readers need. `registry` finds a game by its name, `contract`
has the messages and their limits, `records` the records of matches, `instances` the puzzles. The package needs only
msgspec.

    class Nim(Game[Heaps, Take]): ...           # a game of your own, see docs/how-to/games.md
    rules, options = game_from_spec("breakthrough:rows=8,cols=8")
    state = rules.start(options)
    while state.outcome() is None:
        state = state.play(next(state.legal_moves()))
"""

from palio_rules.errors import BadInstance, BadOption, BadPosition, BadRecord, IllegalMove, MalformedMove, Rejection
from palio_rules.game import Game, Kind, Options, Outcome, State
from palio_rules.registry import game_from_spec
from palio_rules.scene import Mark, Scene
from palio_rules.spec import Spec
from palio_rules.time_control import TimeControl

__all__ = [
    "BadInstance",
    "BadOption",
    "BadPosition",
    "BadRecord",
    "Game",
    "IllegalMove",
    "Kind",
    "MalformedMove",
    "Mark",
    "Options",
    "Outcome",
    "Rejection",
    "Scene",
    "Spec",
    "State",
    "TimeControl",
    "game_from_spec",
]
