"""The game of a run in a worker's process: known there while the run lasts, also to the bots that it starts.

A worker outlives runs, and authors mend their games between two of them. So a file's game is forgotten with its last
run, and so is what was imported beside it. All of this happens in the thread that plays.
"""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from palio_rules import game_file, registry
from palio_rules.errors import BadOption

_runs: Counter[tuple[str, str]] = Counter()  # by game and what to type for it: how many play it now


@contextmanager
def game_here(name: str, typed: str) -> Iterator[None]:
    """In the context this process knows the game `name`, which is `typed` as its file, or as it is called.

    What this process was started with counts for nothing: it may name files of another machine. Raises BadOption.
    """
    if not _runs:
        os.environ.pop(registry.GIVEN, None)
    if any(other == name and text != typed for other, text in _runs):
        raise BadOption(f"another version of the game {name} is being played here; wait until that run is over")
    _runs[name, typed] += 1
    try:
        registry.game(registry.adopt(typed).name)
        yield
    finally:
        _runs[name, typed] -= 1
        if _runs[name, typed] <= 0:
            del _runs[name, typed]
            registry.forget(name)
            if game_file.is_file(typed):
                _forget_modules(Path(game_file.parts(typed)[0]).parent.resolve())


def _forget_modules(folder: Path) -> None:
    """Forget what was imported from `folder`."""
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != folder]
    for name, module in [*sys.modules.items()]:
        if Path(getattr(module, "__file__", None) or os.sep).is_relative_to(folder):
            del sys.modules[name]
