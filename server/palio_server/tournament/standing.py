"""One line of the standings of an event."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace


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


def with_reasons(standings: Sequence[Standing], broken: Mapping[str, str]) -> list[Standing]:
    """The same, where bots that did not start, and have won nothing, have the reason in their notes."""
    return [
        replace(line, note="; ".join(filter(None, (line.note, f"did not start: {broken[line.bot]}"))))
        if line.bot in broken and not line.points
        else line
        for line in standings
    ]
