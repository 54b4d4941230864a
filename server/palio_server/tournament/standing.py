"""One line of the standings of an event."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Standing:
    """Equal ranks share a place. `tie_breaks` are in the order that the format's `tie_breaks` names them."""

    rank: int
    bot: str
    points: float
    played: int = 0  # games, or encounters where these are scored as a whole
    wins: int = 0
    draws: int = 0
    losses: int = 0
    tie_breaks: tuple[float, ...] = ()
    left: bool = False  # it has withdrawn, or was given up
    note: str = ""  # "won the final", "group B"
