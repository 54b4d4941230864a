"""Encodings by the names of their games. Those of other packages join by `palio.encodings`, exactly as ours do."""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from palio_rules.encodings.by_touch import TouchEncoding
from palio_rules.encodings.encoding import Encoding
from palio_rules.errors import BadOption, quoted
from palio_rules.game import Game

GROUP = "palio.encodings"


@cache
def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def encoding_of(rules: Game[Any, Any], options: Any) -> Encoding[Any, Any]:
    """The encoding of `rules` under `options`, an instance of `rules.options_type`.

    An entry point names it, or the game's own method `encoding` gives it; a game without one is encoded by its scene
    and its gestures. Raises BadOption, with the remedy, where it has none of these either, or where what is given as
    its encoding is none.
    """
    entry = _entries().get(rules.name)
    if entry is None:
        own = rules.encoding(options)
        if own is not None and not isinstance(own, Encoding):
            raise BadOption(
                f"encoding() of {rules.name!r} returned {quoted(own)}, which is no palio_rules.encodings.Encoding; "
                "mend it, or return None"
            )
        return own or TouchEncoding(rules, options)
    try:
        found = entry.load()
    except Exception as error:
        raise BadOption(
            f"the encoding of {rules.name!r} cannot be imported: {type(error).__name__}: {error}; "
            f"mend its entry point {entry.value!r}, or uninstall its package"
        ) from error
    if not (isinstance(found, type) and issubclass(found, Encoding)):
        raise BadOption(
            f"what is installed as the encoding of {rules.name!r} is no subclass of palio_rules.encodings.Encoding; "
            f"mend its entry point {entry.value!r}"
        )
    made: Encoding[Any, Any] = found(rules, options)
    return made
