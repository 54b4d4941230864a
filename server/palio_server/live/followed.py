"""A match that another process on the same database plays, in the feed of this server: as far as its journal tells.

The journal is written a few times a second, so viewers see each ply a moment later. Who is absent it does not tell.
"""

import logging
from collections import Counter
from collections.abc import Sequence
from typing import Any

from msgspec import UNSET

from palio_db.values import MatchRow
from palio_rules.records.boards import boards_of
from palio_rules.records.record import Ply, Record, RejectedMove
from palio_server.live.feed import Feed
from palio_server.match import events
from palio_server.match.clock import SeatClocks

log = logging.getLogger(__name__)


class FollowedMatch:
    """A match of `row`, shown from its making on. Raises ValueError if it cannot be played by the rules."""

    def __init__(self, feed: Feed, row: MatchRow, plies: Sequence[Ply], rejected: Sequence[RejectedMove]) -> None:
        self._feed, self._row, self.epoch = feed, row, row.epoch
        self._boards, self._clocks = boards_of(row.setup), SeatClocks(row.setup.clocks())
        for ply in plies:
            self._boards.play(ply)
        self._clocks.rebuild(plies)
        self._plies, self._strikes = len(plies), Counter(each.seat for each in rejected)
        feed.open(row.id, row.setup, row.event, plies, rejected, tournament=row.tournament, epoch=row.epoch)
        feed.note(row.id, events.Started(self._boards.of(0), self._clocks.left_ms.copy()))

    def hear(self, plies: Sequence[Ply], rejected: Sequence[RejectedMove]) -> None:
        """Show what is new in the journal. Raises ValueError for a ply that the rules forbid."""
        new = rejected[self._strikes.total() :]
        for number, ply in enumerate(plies[self._plies :], self._plies + 1):
            while new and new[0].ply < number:
                self._reject(new[0])
                new = new[1:]
            self._play(number, ply)
        for each in new:
            self._reject(each)

    def end(self, record: Record) -> None:
        """Show the rest of the match, and its result."""
        try:
            self.hear(record.plies, record.refusals)
        except ValueError:  # a third-party game: the result is shown
            log.exception("match %s cannot be shown", record.match, extra={"match": record.match})
        self._feed.note(self._row.id, events.Finished(record.result, None, clocks_at_end(record)))

    def drop(self, reason: str) -> None:
        """Show that it is not played to its end."""
        self._feed.drop(self._row.id, reason)

    def _play(self, number: int, ply: Ply) -> None:
        move = None if ply.move is None else self._move(ply)
        state = self._boards.play(ply)
        self._clocks.rebuild([ply])
        self._plies, clocks = number, self._clocks.left_ms.copy()
        if ply.out is not None:
            self._feed.note(self._row.id, events.Forfeited(state, clocks, number=number, ply=ply, reason=ply.out))
        else:
            self._feed.note(self._row.id, events.Played(number, ply, move, state, clocks))

    def _move(self, ply: Ply) -> Any:
        return self._row.setup.rules().read_move(self._boards.of(ply.seat), ply.move)

    def _reject(self, rejected: RejectedMove) -> None:
        self._strikes[rejected.seat] += 1
        left = max(0, self._row.setup.strikes - self._strikes[rejected.seat])
        self._feed.note(self._row.id, events.Rejected(rejected, left, self._clocks.left_ms.copy()))


def clocks_at_end(record: Record) -> list[int | None]:
    """Return what the clocks show when a match is over, by the times of its plies."""
    factor = 1.0 if record.time_factor is UNSET else record.time_factor
    clocks = SeatClocks([time.scaled(factor) for time in record.setup.clocks()])
    clocks.rebuild(record.plies)
    return clocks.left_ms
