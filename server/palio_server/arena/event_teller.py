"""Tells of an event, line by line: how games begin and end, and by whose fault."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from palio_db.event_values import EventMatch
from palio_rules.records.record import Record
from palio_server.tournament.fault_report import FaultReport, fault_reports, on_stderr
from palio_server.tournament.progress import Progress
from palio_server.tournament.score_lines import finished

STDERR_SHOWN = 3  # faults of a bot with which its stderr is shown: it will be the same again

Say = Callable[[str], None]
Stderr = Callable[[str], Awaitable[Sequence[str]]]  # by a bot's name, what it has written since the last call
Told = Callable[[int], None]  # the number of a game whose end was told


async def no_stderr(_bot: str) -> Sequence[str]:
    """Nobody reads what the bots write."""
    return ()


def nobody_counts(_game: int) -> None:
    """Nobody keeps which results were told."""


class EventTeller:
    """`say` is called with every line, `told` with each game whose end was told.

    `stderr` is asked what a bot has written when it has lost by its own fault.
    """

    def __init__(self, say: Say, stderr: Stderr = no_stderr, told: Told = nobody_counts) -> None:
        self.say = say
        self._stderr, self._told = stderr, told
        self._reported: Counter[str] = Counter()  # faults, by bot

    def begun(self, progress: Progress, match: EventMatch) -> None:
        self._tell(progress.start(match))

    async def ended(self, progress: Progress, match: EventMatch, record: Record) -> None:
        """The result, and why a bot has lost by its own fault."""
        self._tell(progress.finish(match, record.result))
        self._told(progress.event.game_number(match))
        for fault in fault_reports(record):
            await self._report(fault, record.match)

    def aborted(self, progress: Progress, match: EventMatch, why: str) -> None:
        self._tell(progress.aborted(match, why))
        self._told(progress.event.game_number(match))

    def again(self, number: int, match: EventMatch, record: Record | None) -> None:
        """Of a game that ended before somebody could be told; without a record it has no result."""
        if record is not None:
            self.say(finished(number, match.bots, record.result))
        self._told(number)

    async def _report(self, fault: FaultReport, match: str) -> None:
        self.say(fault.line)
        self._reported[fault.bot] += 1
        if self._reported[fault.bot] <= STDERR_SHOWN:
            for line in on_stderr(fault, match, await self._stderr(fault.bot)):
                self.say(line)

    def _tell(self, line: str | None) -> None:
        if line:
            self.say(line)
