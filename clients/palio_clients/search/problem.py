"""A search problem: where to begin, what leads where, and how much remains."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Generic, NamedTuple, TypeVar

S = TypeVar("S", bound=Hashable)


class Problem(NamedTuple, Generic[S]):
    """What a search for a plan is given.

    `remaining` estimates the steps to a goal. It is 0 at the goals and nowhere else, infinite only where no goal can be
    reached. It is admissible if it never exceeds the truth, consistent if a step lessens it by 1 at most; the second
    implies the first.
    """

    start: S
    successors: Callable[[S], Iterable[tuple[Any, S]]]  # each move, and the state after it
    remaining: Callable[[S], float]
