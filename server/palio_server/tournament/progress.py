"""How far an event is: which games are over, what they add up to, and the lines that say so."""

from collections.abc import Iterator

from palio_db.event_values import EventMatch
from palio_rules.contract.messages import Result
from palio_server.tournament.crosstable import Crosstable
from palio_server.tournament.event import Event
from palio_server.tournament.format import Format
from palio_server.tournament.score_lines import finished, started, versus


class Progress:
    """Counts every game of an event once, however often it hears of it. Games are numbered as they were planned."""

    def __init__(self, event: Event, format_: Format) -> None:
        """What is over in `event` is counted."""
        self.format = format_
        self._started: set[int] = set()
        self.count(event)

    def count(self, event: Event) -> None:
        """What is over in `event`, from the beginning."""
        self.event = event
        self.table = Crosstable([entry.bot for entry in event.entries])
        self._over: set[int] = set()
        self.finished = 0  # games that have a result
        for encounter in event.encounters:
            for match in encounter.matches:
                self._see(match)

    @property
    def race(self) -> bool:
        return self.event.race

    @property
    def over(self) -> int:
        """How many games are finished or aborted."""
        return len(self._over)

    @property
    def known_total(self) -> int | None:
        """How many games there will be in all; None: nobody knows yet."""
        return self.format.total(self.event)

    @property
    def total(self) -> int:
        """The same, or as many as are planned so far."""
        return max(self.known_total or 0, self.event.planned)

    def games_over(self) -> Iterator[int]:
        """The numbers of the games that are over."""
        return iter(sorted(self._over))

    def start(self, match: EventMatch) -> str | None:
        """`Started game 3 of 12 (A vs B)`, once for each game; None for a repetition."""
        number = self.event.game_number(match)
        if number in self._started:
            return None
        self._started.add(number)
        return started(number, self.total, match.bots, race=self.race)

    def finish(self, match: EventMatch, result: Result) -> str | None:
        """`Finished game 3 (A vs B): 1-0 {no-moves}`, and count it; None if that was done before."""
        if not self._see(match):
            return None
        return finished(self.event.game_number(match), match.bots, result)

    def aborted(self, match: EventMatch, why: str) -> str | None:
        """`Aborted game 3 (A vs B): stopped`, and count it; None if that was done before."""
        if not self._see(match):
            return None
        return f"Aborted game {self.event.game_number(match)} ({versus(match.bots, race=self.race)}): {why}"

    def _see(self, match: EventMatch) -> bool:
        number = self.event.game_number(match)
        if match.status not in ("finished", "aborted") or number in self._over:
            return False
        self._over.add(number)
        if match.scores is not None:
            self.finished += 1
            self.table.add(match.bots, match.scores, match.costs)
        return True
