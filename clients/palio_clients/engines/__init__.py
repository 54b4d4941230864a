"""What the champion plays with: one module a game, found by the game's name.

A module has one of two functions:

- `engine(rules, options, seed) -> Engine`: what thinks where somebody is against you;
- `racer(settings) -> Bot`: who runs where you race alone.

A game without a module is thought about by its compiled engine, or by the readable search if nobody has compiled it.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from palio_clients.bot import Bot
from palio_clients.engines.engine import Engine
from palio_clients.engines.settings import Settings
from palio_rules.game import Game


@cache
def module_of(game: str) -> ModuleType | None:
    """The module about `game`, None if there is none."""
    name = f"{__name__}.{game}"
    return import_module(name) if find_spec(name) else None


def engine_of(rules: Game[Any, Any], options: Any, seed: int = 0) -> Engine:
    """A new engine for one match. Where it is not the one that should play, its `remark` says so."""
    from palio_clients.engines import best_available  # noqa: PLC0415 - it needs this package

    made: Engine = getattr(module_of(rules.name), "engine", best_available.engine)(rules, options, seed)
    return made


def player_of(rules: Game[Any, Any], settings: Settings) -> Bot:
    """Who plays one match: the game's racer, or a thinker with its engine."""
    from palio_clients.engines.thinker import Thinker  # noqa: PLC0415 - it needs this package

    racer = getattr(module_of(rules.name), "racer", Thinker)
    made: Bot = racer(settings)
    return made
