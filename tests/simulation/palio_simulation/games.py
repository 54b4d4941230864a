"""The games: small ones, one of which has moves that are legal twice in a row."""

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from palio_rules import registry

PLUGIN = Path(__file__).parents[2] / "plugin" / "palio_nim.py"
OPTIONS: dict[str, dict[str, Any]] = {  # of each game
    "dominoes": {"rows": 3, "cols": 3},
    "breakthrough": {"rows": 4, "cols": 3},
    "nim": {"heaps": 4},  # to take a stone from a heap can mostly be done again
}


class Installed:
    """An entry point of something that is here already."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind

    def load(self) -> Any:
        return self._kind


def _nim() -> Any:
    name = "palio_simulation_nim"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, PLUGIN)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name].Nim


@contextmanager
def installed() -> Iterator[None]:
    """The games are known by their names until the context ends."""
    entries = {**registry._entries(), "nim": Installed(_nim())}
    with patch.object(registry, "_entries", lambda: entries):
        yield
