"""How far a tournament is: which matches are over, what they add up to, and the lines that tell it."""

from collections.abc import Sequence

from palio_db.values import MatchRow
from palio_rules.messages import Result
from palio_server.tournament.crosstable import Crosstable
from palio_server.tournament.score_lines import finished, started


class Progress:
    """Counts every match once, however often it is told of it."""

    def __init__(self, bots: Sequence[str], matches: Sequence[MatchRow]) -> None:
        """`matches` are all matches of the tournament, in the order of play; those that are over are counted."""
        self.table = Crosstable(bots)
        self.total = len(matches)
        self._numbers = {row.id: number for number, row in enumerate(matches, 1)}
        self._bots = {row.id: row.bots for row in matches}
        self._started: set[str] = set()
        self._over: set[str] = set()
        for row in matches:
            self.see(row)

    @property
    def over(self) -> int:
        """How many matches are finished or aborted."""
        return len(self._over)

    @property
    def done(self) -> bool:
        return self.over == self.total

    def see(self, row: MatchRow) -> bool:
        """Take in how a match stands in the store; True if it is over and that is news."""
        if row.status not in ("finished", "aborted") or row.id in self._over:
            return False
        self._over.add(row.id)
        if row.scores is not None:
            self.table.add(row.bots, row.scores)
        return True

    def start(self, match: str) -> str | None:
        """`Started game 3 of 12 (A vs B)`, once for each match; None for a repetition or another tournament's."""
        if match not in self._numbers or match in self._started:
            return None
        self._started.add(match)
        first, second = self._bots[match]
        return started(self._numbers[match], self.total, first, second)

    def finish(self, match: str, result: Result) -> str | None:
        """`Finished game 3 (A vs B): 1-0 {no-moves}`, and count it; None if that was done before."""
        if match not in self._numbers or match in self._over:
            return None
        self._over.add(match)
        self.table.add(self._bots[match], result.scores)
        first, second = self._bots[match]
        return finished(self._numbers[match], first, second, result)
