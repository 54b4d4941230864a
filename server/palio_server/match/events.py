"""What happens in a match, as the referee reports it. The journal, the feed and the ratings each match on these.

(Absent | Back)* Started (Played | Rejected | Absent | Back | Forfeited)* Finished; a match for which nobody, or
only one side of a duel, made itself ready goes to Finished without Started. The generator is suspended at each event,
so that whoever consumes `Finished` commits the result before the referee announces it to the bots.
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


# What has happened in a match: before this worker took it up, and in an anytime race the solutions that are kept.
#
# There each move is a whole solution, and the record keeps those that are better than all before.

MAX_SIZE = 8 * 2**20  # bytes of an entrant's solutions in the record; then its race is over


class History(NamedTuple):
    """The journal of a match, and how often it has been claimed: once, if it is new."""

    epoch: int = 1
    plies: Sequence[Ply] = ()
    rejected: Sequence[RejectedMove] = ()

    def of(self, entrant: int) -> "History":
        """The part of one entrant of a race, who has seat 0 there."""
        plies = [replace(ply, seat=0) for ply in self.plies if ply.seat == entrant]
        return History(self.epoch, plies, [replace(move, seat=0) for move in self.rejected if move.seat == entrant])


class Solutions:
    """What the record of an anytime race keeps of one entrant. `size` is in bytes of JSON."""

    def __init__(self, rules: Game[Any, Any], journal: Iterable[Ply] = ()) -> None:
        self._rules = rules
        self.size = 0
        for ply in journal:
            self.keep(ply)

    @property
    def full(self) -> bool:
        return self.size > MAX_SIZE

    def better(self, before: Any, after: Any) -> bool:
        """Whether the solution that led to `after` costs less than the best one `before`."""
        least, cost = self._rules.cost(before), self._rules.cost(after)
        return least is None or (cost is not None and cost < least)

    def keep(self, ply: Ply) -> None:
        """Count what `ply` takes; one that has no solution takes next to nothing."""
        if ply.move is not None:
            self.size += len(json.encode(ply))
