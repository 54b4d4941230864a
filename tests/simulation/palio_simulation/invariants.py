"""What must hold when a world is over, whatever has befallen it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from palio_simulation.world import World


def broken(world: "World") -> Iterator[str]:
    """Sentences about what does not hold."""
    yield from ()
