"""What happens in a match, as the referee tells it. The journal, the feed and the ratings each match on these.

Started (Played | Refused | Absent | Returned)* Finished; the generator is suspended at each of them, so that whoever
consumes `Finished` commits the result before the referee announces it to the bots.
"""

from dataclasses import dataclass
from typing import Any

from palio_rules.messages import Result
from palio_rules.record import Ply, Refusal


@dataclass(frozen=True, slots=True)
class Started:
    """All seats are ready, the clocks run from now on. `state` is the position after opening and journaled plies."""

    state: Any
    clocks_ms: list[int | None]


@dataclass(frozen=True, slots=True)
class Played:
    """A legal move. `state` is the position after it, `number` how many plies have been played since the opening."""

    number: int
    ply: Ply
    move: Any
    state: Any
    clocks_ms: list[int | None]


@dataclass(frozen=True, slots=True)
class Refused:
    """A move that the rules forbid."""

    refusal: Refusal
    strikes_left: int
    clocks_ms: list[int | None]


@dataclass(frozen=True, slots=True)
class Absent:
    """The bot in `seat` has lost its connection and has `grace_ms` to return."""

    seat: int
    grace_ms: int


@dataclass(frozen=True, slots=True)
class Returned:
    """The bot in `seat` is back; `grace_ms` are left for its next absence."""

    seat: int
    grace_ms: int


@dataclass(frozen=True, slots=True)
class Finished:
    """The match is over. The bots hear of it when the generator is resumed."""

    result: Result
    state: Any
    clocks_ms: list[int | None]


Event = Started | Played | Refused | Absent | Returned | Finished
