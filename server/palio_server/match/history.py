"""What has happened in a match: before this worker took it up, and in an anytime race the solutions that are kept.

There each move is a whole solution, and the record keeps those that are better than all before.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from msgspec import json
from msgspec.structs import replace

from palio_rules.game import Game
from palio_rules.records.record import Ply, RejectedMove

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
