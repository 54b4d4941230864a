"""What happens in a match, as the referee reports it. The journal, the feed and the ratings each match on these.

(Absent | Back)* Started (Played | Rejected | Absent | Back | Forfeited)* Finished; a match for which nobody, or
only one side of a duel, made itself ready goes to Finished without Started. The generator is suspended at each event,
so that whoever consumes `Finished` commits the result before the referee announces it to the bots.
"""

from typing import Any

import msgspec

from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, RejectedMove


class Started(msgspec.Struct, frozen=True):
    """All seats are ready, the clocks run from now on. `state` is the position after opening and journaled plies."""

    state: Any
    clocks_ms: list[int | None]


class Forfeited(Started, frozen=True, kw_only=True):
    """A seat is out of a game that plays on without it: who watches may take it for a new start from `state`."""

    number: int  # of plies since the opening, this one included
    ply: Ply  # without a move; `out` says why
    reason: str
    detail: str = ""


class Played(msgspec.Struct, frozen=True):
    """A legal move. `state` is the position after it, `number` how many plies have been played since the opening.

    `move` is None for a solution that is no better than the best one of its anytime race; nor is it in `ply`.
    """

    number: int
    ply: Ply
    move: Any
    state: Any
    clocks_ms: list[int | None]


class Rejected(msgspec.Struct, frozen=True):
    """A move that the rules forbid."""

    rejected: RejectedMove
    strikes_left: int
    clocks_ms: list[int | None]


class Absent(msgspec.Struct, frozen=True):
    """The bot in `seat` has lost its connection and has `grace_ms` to come back."""

    seat: int
    grace_ms: int


class Back(msgspec.Struct, frozen=True):
    """The bot in `seat` is connected again; `grace_ms` are left for its next absence."""

    seat: int
    grace_ms: int


class Finished(msgspec.Struct, frozen=True):
    """The match is over. The bots hear of it when the generator is resumed."""

    result: Result
    state: Any
    clocks_ms: list[int | None]


Event = Started | Played | Rejected | Absent | Back | Finished
