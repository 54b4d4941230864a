"""Who has appeared at its matches, and who never does: what a finished match says of its bots."""

from collections import Counter
from collections.abc import Collection
from datetime import datetime

from palio_rules.contract.messages import Termination
from palio_rules.records.record import Record

MISSES = 3  # matches in a row to which a bot has not come; it will not come to the next one either
GONE: frozenset[Termination] = frozenset(("crashed", "disconnected", "stalled"))


class Appearances:
    """Counts the matches in a row that each bot has missed: that it was lost or gone from before its first move.

    Matches that were lost together count once: a process that plays eight of them at once loses them at one stroke.
    """

    def __init__(self, gone: Collection[Termination] = GONE) -> None:
        """`gone`: the ends that say of a bot without a move that it was not there."""
        self._gone = frozenset(gone)
        self._missed: Counter[str] = Counter()
        self._last: dict[str, datetime] = {}  # when the last match that counts was over

    def note(self, record: Record) -> tuple[list[str], list[str]]:
        """A match is over: the bots that have played it to a proper end, and those that have missed too many now."""
        played, given_up = [], []
        for seat, bot in enumerate(record.setup.bots):
            moved, gone = record.has_moved(seat), self._is_gone(record, seat)
            if moved:
                self.forget(bot)
                if not gone:
                    played.append(bot)
            elif gone and self._misses(bot, record) == MISSES:
                given_up.append(bot)
        return played, given_up

    def forget(self, bot: str) -> None:
        """Count the bot's misses anew: it has played."""
        self._missed.pop(bot, None)
        self._last.pop(bot, None)

    def excuse(self, bot: str) -> None:
        """Let the bot try again: one more miss is one too many."""
        self._missed[bot] = MISSES - 1

    def _misses(self, bot: str, record: Record) -> int:
        last = self._last.get(bot)
        if self._missed[bot] and last is not None and record.started_at < last:
            return 0  # one of those that were lost together
        self._missed[bot] += 1
        self._last[bot] = record.finished_at
        return self._missed[bot]

    def _is_gone(self, record: Record, seat: int) -> bool:
        """Whether a bot was not there at its end of the match."""
        return record.result.reason == "nobody-ready" or not self._gone.isdisjoint(record.ends_of(seat))
