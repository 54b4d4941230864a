"""Watching searches that keep their tree: every node that they make, with the numbers that it has in the end."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from unittest.mock import patch


@contextmanager
def nodes_of(search: ModuleType) -> Iterator[list[Any]]:
    """The nodes that `search` makes from here on, in the order in which it makes them: the root is the first one."""
    made: list[Any] = []

    class Watched(search.Node):  # type: ignore[name-defined, misc]
        __slots__ = ()

        def __init__(self, *known: Any) -> None:
            super().__init__(*known)
            made.append(self)

    with patch.object(search, "Node", Watched):
        yield made
