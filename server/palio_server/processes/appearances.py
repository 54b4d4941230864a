"""Who has appeared at its matches, and who never does: what a finished match says of the bots that run beside us."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from msgspec import UNSET

from palio_rules.contract.messages import Termination
from palio_rules.records.record import Record

MISSES = 3  # matches in a row to which a bot has not come; it will not come to the next one either
GONE: tuple[Termination, ...] = ("crashed", "disconnected", "stalled")


class Appearances:
    """Counts the matches in a row that each bot has missed: that it was lost or gone from before its first move.

    Matches that were lost together count once: a process that plays eight of them at once loses them at one stroke.
    """

    def __init__(self) -> None:
        self._missed: Counter[str] = Counter()
        self._last: dict[str, datetime] = {}  # when the last match that counts was over

    def note(self, record: Record) -> tuple[list[str], list[str]]:
        """A match is over: the bots that have played it to a proper end, and those that have missed too many now."""
        played, given_up = [], []
        for seat, bot in enumerate(record.setup.bots):
            moved, gone = _has_moved(record, seat), _is_gone(record, seat)
            if moved:
                self._missed.pop(bot, None)
                if not gone:
                    played.append(bot)
            elif gone and self._misses(bot, record) == MISSES:
                given_up.append(bot)
        return played, given_up

    def _misses(self, bot: str, record: Record) -> int:
        last = self._last.get(bot)
        if self._missed[bot] and last is not None and record.started_at < last:
            return 0  # one of those that were lost together
        self._missed[bot] += 1
        self._last[bot] = record.finished_at
        return self._missed[bot]


def _has_moved(record: Record, seat: int) -> bool:
    """Whether a bot has played at least one move; in an anytime race, submitted a solution."""
    return any(ply.seat == seat and ply.out is None for ply in record.plies)


def _is_gone(record: Record, seat: int) -> bool:
    """Whether a bot was not there at its end of the match."""
    result = record.result
    return result.reason == "nobody-ready" or any(how in GONE for how in _ends(record, seat))


def _ends(record: Record, seat: int) -> Iterator[Termination]:
    """Its end where it was its own fault, as often as the record tells it."""
    result = record.result
    if result.seat == seat:
        yield result.termination
    if result.finishes is not UNSET:
        yield result.finishes[seat].termination
    yield from (ply.out for ply in record.plies if ply.seat == seat and ply.out is not None)
