"""Games by name. Third-party games join through the entry-point group `palio.games`, exactly as ours do."""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.game import Game
from palio_rules.spec import Spec

GROUP = "palio.games"


@cache
def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def games() -> tuple[str, ...]:
    """The names of all installed games, sorted."""
    return tuple(sorted(_entries()))


@cache
def game(name: str) -> Game[Any, Any]:
    """The game called `name`. Raises BadOption, with the nearest known name, if there is none."""
    entry = _entries().get(name)
    if entry is None:
        raise BadOption(f"unknown game {quoted(name)}; {nearest(name, _entries())}")
    found: Game[Any, Any] = entry.load()()
    if found.name != name:
        raise BadOption(f"the game installed as {name!r} calls itself {found.name!r}; name both alike")
    return found


def is_race(name: str) -> bool:
    """Whether the game of this name is a race; False if it is not installed here, or not any more."""
    return name in _entries() and game(name).kind == "race"


def game_from_spec(text: str) -> tuple[Game[Any, Any], Any]:
    """Read `breakthrough` or `breakthrough:rows=8,cols=8` as a game and its options. Raises BadOption."""
    spec = Spec.parse(text)
    found = game(spec.name)
    return found, found.parse_options(spec.settings)
