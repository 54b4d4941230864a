"""Events of a match, as the referee reports them. The journal, the feed and the ratings each match on these.

(Absent | Back)* Started (Played | Rejected | Absent | Back | Forfeited)* Finished. A match goes to Finished without
Started if no bot, or only one side of a duel, became ready. The generator is suspended at each event, so that the
consumer of `Finished` commits the result before the referee announces it to the bots.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import json
from msgspec.structs import replace

from palio_rules.contract.messages import Result
from palio_rules.game import Game
from palio_rules.records.record import Ply, RejectedMove


class Started(msgspec.Struct, frozen=True):
    """All seats are ready, and the clocks run from now on. `state` is the position after opening and
    journaled plies.
    """

    state: Any
    clocks_ms: list[int | None]


class Forfeited(Started, frozen=True, kw_only=True):
    """A seat leaves a game that continues without it; viewers may treat this as a new start from `state`."""

    number: int  # plies since the opening, this one included
    ply: Ply  # without a move; `out` says why
    reason: str
    detail: str = ""


class Played(msgspec.Struct, frozen=True):
    """A legal move. `state` is the position after it, `number` counts the plies played since the opening.

    In an anytime race `move`, here and in `ply`, is None for a solution that is no better than the best one so far.
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
    """The bot in `seat` is connected again; it has `grace_ms` left for its next absence."""

    seat: int
    grace_ms: int


class Finished(msgspec.Struct, frozen=True):
    """The match is over. The bots are told when the generator is resumed.

    `texts`: in a course, what programs said of their faults, by seat. They are for authors and staff alone.
    """

    result: Result
    state: Any
    clocks_ms: list[int | None]
    texts: dict[int, str] = {}


RefereeEvent = Started | Played | Rejected | Absent | Back | Finished


# The history of a match: what happened before this worker took it up, and in an anytime race the solutions that are
# kept. There each move is a whole solution, and the record keeps those that are better than all before.

MAX_SIZE = 8 * 2**20  # bytes of one entrant's solutions in the record; beyond that its race is over


class History(NamedTuple):
    """The journal of a match, and how often the match has been claimed (1 if it is new)."""

    epoch: int = 1
    plies: Sequence[Ply] = ()
    rejected: Sequence[RejectedMove] = ()

    def of(self, entrant: int) -> "History":
        """Return the part of one entrant of a race, who has seat 0 there."""
        plies = [replace(ply, seat=0) for ply in self.plies if ply.seat == entrant]
        return History(self.epoch, plies, [replace(move, seat=0) for move in self.rejected if move.seat == entrant])


class Solutions:
    """The solutions of one entrant that the record of an anytime race keeps. `size` is in bytes of JSON."""

    def __init__(self, rules: Game[Any, Any], journal: Iterable[Ply] = ()) -> None:
        self._rules = rules
        self.size = 0
        for ply in journal:
            self.keep(ply)

    @property
    def full(self) -> bool:
        return self.size > MAX_SIZE

    def better(self, before: Any, after: Any) -> bool:
        """Return True if the solution that led to `after` costs less than the best one, `before`."""
        least, cost = self._rules.cost(before), self._rules.cost(after)
        return least is None or (cost is not None and cost < least)

    def keep(self, ply: Ply) -> None:
        """Add the size of `ply`; a ply without a solution takes almost none."""
        if ply.move is not None:
            self.size += len(json.encode(ply))
