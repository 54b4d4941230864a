"""A file with an instance, by the end of its name: the game it is for, and the options that carry it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from palio_rules.errors import BadInstance
from palio_rules.instances.chexers_solo import read_json
from palio_rules.instances.distance_list import read_distances
from palio_rules.instances.rush_hour import read_in
from palio_rules.instances.source import Source
from palio_rules.instances.tsplib import read_tsp


class Found(NamedTuple):
    """The name of a game, and settings for its options."""

    game: str
    options: dict[str, Any]


READERS: dict[str, tuple[str, Callable[[Source], dict[str, Any]]]] = {
    ".in": ("rush_hour", read_in),
    ".json": ("chexers_solo", read_json),
    ".tsp": ("tsp", read_tsp),
    ".txt": ("tsp", read_distances),
}


def read_file(path: Path | str) -> Found:
    """Read an instance. Raises BadInstance with file, line and reason."""
    suffix = Path(path).suffix.lower()
    if suffix not in READERS:
        known = ", ".join(f"{end} ({game})" for end, (game, _) in READERS.items())
        raise BadInstance(f"{path}: a file with an instance ends in one of {known}")
    game, read = READERS[suffix]
    return Found(game, read(Source.read(path)))
