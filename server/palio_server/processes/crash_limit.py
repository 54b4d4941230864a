"""The games of an event that each bot has lost by crashes, and the limit of `--max-crashes`."""

from collections import Counter
from collections.abc import Mapping

from palio_rules.contract.messages import Termination
from palio_rules.records.record import Record

NO_LIMIT = 0  # a bot plays on after any number of crashes
CRASHED: Termination = "crashed"


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
