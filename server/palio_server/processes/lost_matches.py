"""The matches that bots have lost without playing: missed in a row, or ended by crashes up to the limit of
`--max-crashes`.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from datetime import datetime

from palio_rules.contract.messages import Termination
from palio_rules.records.record import Record

NO_LIMIT = 0  # a bot plays on after any number of crashes
CRASHED: Termination = "crashed"
MISSES = 3  # matches in a row to which a bot has not come; it will not come to the next one either
GONE: frozenset[Termination] = frozenset((CRASHED, "disconnected", "stalled"))


class Appearances:
    """The number of matches in a row that each bot has missed: it was lost or gone before its first move.

    Matches that were lost together count once: a process that plays eight of them at once loses them together.
    """

    def __init__(self, gone: Collection[Termination] = GONE) -> None:
        """`gone`: the terminations that show that a bot without a move was absent."""
        self._gone = frozenset(gone)
        self._missed: Counter[str] = Counter()
        self._last: dict[str, datetime] = {}  # when the last match that counts was over

    def note(self, record: Record) -> tuple[list[str], list[str]]:
        """Take in a match that is over; return the bots that played it to a proper end, and those that
        missed too many.
        """
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
        """Restart the count of a bot that has played."""
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
        """Return True if a bot was absent at its end of the match."""
        return record.result.reason == "nobody-ready" or not self._gone.isdisjoint(record.ends_of(seat))


def crashed(record: Record) -> list[str]:
    """Return the bots whose crash has ended a match."""
    return [name for seat, name in enumerate(record.setup.bots) if CRASHED in record.ends_of(seat)]


class CrashLimit:
    """The games of each bot that ended by its crash, counted from `earlier` ones on."""

    def __init__(self, most: int, earlier: Mapping[str, int] | None = None) -> None:
        self._most, self._games = most, Counter(earlier or {})

    def note(self, record: Record) -> list[str]:
        """Take in a match that is over; return the bots that have reached the limit with it."""
        found = crashed(record)
        self._games.update(found)
        return [name for name in found if self._most != NO_LIMIT and self._games[name] >= self._most]

    def reached(self) -> list[str]:
        """Return the bots that have reached the limit."""
        return [name for name, games in self._games.items() if self._most != NO_LIMIT and games >= self._most]

    def sentence(self, name: str) -> str:
        """Return what a bot has done: `crashed in 5 games, the limit of --max-crashes`."""
        games = "a game" if self._games[name] == 1 else f"{self._games[name]} games"
        return f"crashed in {games}, the limit of --max-crashes"
