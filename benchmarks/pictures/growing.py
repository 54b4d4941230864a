"""Watching of searches that keep their tree: every node that they make, with its final numbers."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from unittest.mock import patch


@contextmanager
def nodes_of(search: ModuleType) -> Iterator[list[Any]]:
    """Collect the nodes that `search` makes from here on, in their order: the root is the first one."""
    made: list[Any] = []

    class Watched(search.Node):  # type: ignore[name-defined, misc]
        __slots__ = ()

        def __init__(self, *known: Any) -> None:
            super().__init__(*known)
            made.append(self)

    with patch.object(search, "Node", Watched):
        yield made
