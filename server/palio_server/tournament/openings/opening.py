"""One opening, and what every source of openings offers."""

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Opening:
    """How a game begins: in a position, "" for the game's own first one, from which `moves` are played.

    As `Setup` has them: moves as on the wire, the position in the game's own text.
    """

    moves: tuple[Any, ...] = ()
    position: str = ""

    def fields(self) -> dict[str, Any]:
        """The fields of Setup that it gives."""
        return {"opening": self.moves, "position": self.position}


class Openings(Protocol):
    """Openings by number, from 0. Which one has which number depends on the source alone, not on who asked before."""

    @property
    def size(self) -> int | None:
        """How many there are before they come round again; None: nobody knows."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What whoever has chosen them should know, in sentences."""

    def opening(self, index: int) -> Opening:
        """The one with this number. Raises BadOption if there is none."""

    def check(self, wanted: int) -> tuple[str, ...]:
        """What there is to say if so many are wanted. Raises BadOption if there are too few of them to do with."""
