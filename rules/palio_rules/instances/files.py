"""Reading of files with an instance.

The suffix of the file's name gives the format; the result is a game and options.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from palio_rules.errors import BadInstance, BadOption
from palio_rules.instances.chexers_solo import read_json
from palio_rules.instances.rush_hour import read_in
from palio_rules.instances.source import Source
from palio_rules.instances.tsp import read_distances, read_tsp
from palio_rules.registry import game


class InstanceFile(NamedTuple):
    """The name of a game, and settings for its options."""

    game: str
    options: dict[str, Any]

    def with_settings(self, file: str, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options with more `settings`, as in `./board.in:max_moves=50`.

        Raises BadOption for a setting that the instance in `file` has already, or that has no meaning with it.
        """
        if twice := next((name for name in settings if name in self.options), None):
            raise BadOption(f"the option {twice!r} is given twice: {file} has it; leave one of them out")
        options, rules = self.options | {**settings}, game(self.game)
        kept = rules.instance(rules.parse_options(options))
        if idle := next((name for name in settings if name not in kept), None):
            raise BadOption(
                f"the option {idle!r} of {self.game} is for instances that are drawn, and {file} is one already; "
                "leave it out"
            )
        return options


READERS: dict[str, tuple[str, Callable[[Source], dict[str, Any]]]] = {
    ".in": ("rush_hour", read_in),
    ".json": ("chexers_solo", read_json),
    ".tsp": ("tsp", read_tsp),
    ".txt": ("tsp", read_distances),
}


def read_file(path: Path | str) -> InstanceFile:
    """Read an instance. Raises BadInstance with file, line and reason."""
    suffix = Path(path).suffix.lower()
    if suffix not in READERS:
        known = ", ".join(f"{end} ({game})" for end, (game, _) in READERS.items())
        raise BadInstance(f"{path}: a file with an instance ends in one of {known}")
    name, read = READERS[suffix]
    return InstanceFile(name, read(Source.read(path)))
