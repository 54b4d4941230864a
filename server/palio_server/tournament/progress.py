"""How far a tournament is: which matches are over, what they add up to, and the lines that say so."""

from collections.abc import Mapping, Sequence

from palio_db.values import MatchRow
from palio_rules.contract.messages import Result
from palio_rules.registry import is_race
from palio_server.tournament.crosstable import Costs, Crosstable, costs_of
from palio_server.tournament.score_lines import finished, started


class Progress:
    """Counts every match once, however often it hears of it."""

    def __init__(
        self, bots: Sequence[str], matches: Sequence[MatchRow], costs: Mapping[str, Costs | None] | None = None
    ) -> None:
        """`matches` are all matches of the tournament, in the order of play; those that are over are counted.

        `costs` has what was paid in those of them that are races, by match.
        """
        self.table = Crosstable(bots)
        self.total = len(matches)
        self._matches = {row.id: (number, row.bots) for number, row in enumerate(matches, 1)}
        self.race = bool(matches) and is_race(matches[0].game)
        self._started: set[str] = set()
        self._over: set[str] = set()
        for row in matches:
            self.see(row, (costs or {}).get(row.id))

    @property
    def over(self) -> int:
        """How many matches are finished or aborted."""
        return len(self._over)

    @property
    def done(self) -> bool:
        return self.over == self.total

    def counted(self, match: str) -> bool:
        """Whether this match is over and counted."""
        return match in self._over

    def drop(self, match: str) -> None:
        """Count a match as over that is not played."""
        self._over.add(match)

    def extend(self, rows: Sequence[MatchRow]) -> None:
        """More matches of the tournament, after all others."""
        for row in rows:
            self.total += 1
            self._matches[row.id] = (self.total, row.bots)

    def see(self, row: MatchRow, costs: Costs | None = None) -> bool:
        """Take in how a match stands in the store; True if it is over and that is news."""
        if row.status not in ("finished", "aborted") or row.id in self._over:
            return False
        self._over.add(row.id)
        if row.scores is not None:
            self.table.add(row.bots, row.scores, costs)
        return True

    def start(self, match: str) -> str | None:
        """`Started game 3 of 12 (A vs B)`, once for each match; None for a repetition or another tournament's."""
        if match not in self._matches or match in self._started:
            return None
        self._started.add(match)
        number, bots = self._matches[match]
        return started(number, self.total, bots, race=self.race)

    def finish(self, match: str, result: Result) -> str | None:
        """`Finished game 3 (A vs B): 1-0 {no-moves}`, and count it; None if that was done before."""
        if match not in self._matches or match in self._over:
            return None
        self._over.add(match)
        number, bots = self._matches[match]
        self.table.add(bots, result.scores, costs_of(result))
        return finished(number, bots, result)
