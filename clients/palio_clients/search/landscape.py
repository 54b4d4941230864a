"""What a local search walks on: states, the small changes that lead from one to another, and what each is worth."""

from collections.abc import Iterator
from random import Random
from typing import Protocol, TypeVar

S = TypeVar("S")
C = TypeVar("C")


class Landscape(Protocol[S, C]):
    """States of a problem, each a complete solution with a cost. States and changes are values."""

    def cost(self, state: S) -> float:
        """What the state costs; less is better."""

    def somewhere(self, random: Random) -> S:
        """A state at random."""

    def changes(self, state: S) -> Iterator[tuple[float, C]]:
        """All small changes, each with the cost that it adds; negative if it makes the state better."""

    def change(self, state: S, random: Random) -> tuple[float, C]:
        """One change at random, with the cost that it adds."""

    def changed(self, state: S, change: C) -> S:
        """The state after `change`."""
