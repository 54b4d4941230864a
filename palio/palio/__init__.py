"""Palio's public names, for authors of bots and games. For plugins see `palio.plugins`.

    from palio import Bot, run

    class Mine(Bot):
        def choose(self, state, clock):
            return next(state.legal_moves())

    run(Mine, "ws://127.0.0.1:8000", name="mine")

    from palio import Game, Options, State

    class Nim(Game[Heaps, Take]): ...           # docs/how-to/games.md has all of it

These names keep their meaning by Semantic Versioning, as do those of `palio.plugins`, the command line, the wire,
records, the HTTP API and the database; all other modules may change with every release. A name is loaded on first use:
a game's author needs only msgspec, a bot's author also websockets.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from palio_clients import AnytimeBot, Bot, Clock, Resign, play, run
    from palio_rules import (
        BadInstance,
        BadOption,
        BadPosition,
        BadRecord,
        Game,
        IllegalMove,
        Kind,
        MalformedMove,
        Mark,
        Options,
        Outcome,
        Rejection,
        Scene,
        Spec,
        State,
        TimeControl,
        game_from_spec,
    )

__all__ = [
    "AnytimeBot",
    "BadInstance",
    "BadOption",
    "BadPosition",
    "BadRecord",
    "Bot",
    "Clock",
    "Game",
    "IllegalMove",
    "Kind",
    "MalformedMove",
    "Mark",
    "Options",
    "Outcome",
    "Rejection",
    "Resign",
    "Scene",
    "Spec",
    "State",
    "TimeControl",
    "game_from_spec",
    "play",
    "run",
]

_OF_CLIENTS = frozenset(("AnytimeBot", "Bot", "Clock", "Resign", "play", "run"))


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("palio_clients" if name in _OF_CLIENTS else "palio_rules"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, *globals()])
