"""A connected bot as others see it, and how many there may be."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Presence:
    """A connected bot, all its instances together."""

    name: str
    games: tuple[str, ...]
    instances: int
    slots: int
    playing: int
    transport: str
    rested: bool = False  # the ladder gives it no matches until it shows that it is there


@dataclass(frozen=True, slots=True)
class Limits:
    sessions: int = 5000  # connected at once
    instances: int = 256  # of one name
    resume_s: float = 120.0  # how long a lost session is remembered
