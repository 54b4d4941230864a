"""The places of a tree's nodes: leaves side by side, each parent in the middle of its children."""

from collections.abc import Callable, Sequence
from typing import Any

Children = Callable[[Any], Sequence[Any]]


def spread(root: Any, children: Children, left: float, right: float, *, between: float = 0.0) -> dict[int, float]:
    """Return the x of every node, by its `id`, so that the leaves fill the space from `left` to `right`.

    The gap between two leaves of different parents is wider, by `between` of the usual one.
    """
    places: dict[int, float] = {}
    at = -1.0
    last_parent: Any = None

    def place(node: Any, parent: Any) -> float:
        nonlocal at, last_parent
        below = [place(child, node) for child in children(node)]
        if below:
            here = (below[0] + below[-1]) / 2
        else:
            at += 1 if last_parent in (None, parent) else 1 + between
            last_parent, here = parent, at
        places[id(node)] = here
        return here

    place(root, root)
    unit = (right - left) / max(at, 1e-9)
    return {key: left + x * unit for key, x in places.items()}
