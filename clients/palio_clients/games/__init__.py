"""Knowledge about each game beyond its rules: one folder a game, behind one `Companion`.

`companion_of(name)` finds it. Companions that ship and those of other packages are both found by the entry-point group
`palio.companions`; a game without one can still be played, by searches that know only its rules.
"""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from palio_clients.games.advice import Advice, Adviser
from palio_clients.games.companion import Companion
from palio_clients.games.engine import Engine, Limits
from palio_rules.errors import BadOption

__all__ = ["Advice", "Adviser", "Companion", "Engine", "Limits", "companion_of"]

GROUP = "palio.companions"


@cache
def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


@cache
def companion_of(game: str) -> Companion[Any, Any]:
    """Return the companion of the game called `game`; for a game without one, an empty companion.

    Raises BadOption, with the remedy, if what is installed under that name cannot be imported, or is no companion.
    """
    entry = _entries().get(game)
    if entry is None:
        return Companion()
    try:
        found = entry.load()
    except Exception as error:
        raise BadOption(
            f"the companion of {game!r} cannot be imported: {type(error).__name__}: {error}; "
            f"mend its entry point {entry.value!r}, or uninstall its package"
        ) from error
    if not (isinstance(found, type) and issubclass(found, Companion)):
        raise BadOption(
            f"what is installed as the companion of {game!r} is no subclass of palio_clients.games.Companion; "
            f"mend its entry point {entry.value!r}"
        )
    made: Companion[Any, Any] = found()
    return made
