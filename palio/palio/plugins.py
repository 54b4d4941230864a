"""The public names for packages that extend Palio. Each kind is found by an entry-point group in pyproject.toml.

| group | what an entry is |
|---|---|
| `palio.games` | a `palio.Game`, by its name: `docs/how-to/games.md` |
| `palio.game_schemes` | a `GameScheme`: all games behind `NAME:` |
| `palio.bots` | a `palio.Bot`, by its name |
| `palio.bot_schemes` | a function from the text behind `NAME:` to an `Entrant` |
| `palio.formats` | a `Format` of tournaments, by its name |
| `palio.companions` | a `Companion` of a game: evaluations, solvers, hints |
| `palio.encodings` | an `Encoding` of a game for programs that learn |

    [project.entry-points."palio.formats"]
    ladder = "mypackage.ladder:Ladder"

A name is loaded on first use, because a machine that plays bots has no server.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from palio_clients.games.companion import Companion
    from palio_clients.sdk.loader import Entrant
    from palio_db.event_values import Plan
    from palio_rules.addons.encodings.encoding import BadAction, Encoding
    from palio_rules.registry import GameScheme
    from palio_rules.scene import Gestures
    from palio_server.tournament.event import Event
    from palio_server.tournament.format import Format

__all__ = ["BadAction", "Companion", "Encoding", "Entrant", "Event", "Format", "GameScheme", "Gestures", "Plan"]

_MODULES = {
    "BadAction": "palio_rules.addons.encodings.encoding",
    "Companion": "palio_clients.games.companion",
    "Encoding": "palio_rules.addons.encodings.encoding",
    "Entrant": "palio_clients.sdk.loader",
    "Event": "palio_server.tournament.event",
    "Format": "palio_server.tournament.format",
    "GameScheme": "palio_rules.registry",
    "Gestures": "palio_rules.scene",
    "Plan": "palio_db.event_values",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, *globals()])
