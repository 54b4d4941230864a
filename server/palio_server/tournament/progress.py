"""The progress of an event: the games that are over, their sums, and the lines that report it."""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from palio_db.event_values import EventMatch
from palio_rules.contract.messages import Result
from palio_rules.errors import BadRecord, quoted
from palio_server.tournament.crosstable import Crosstable
from palio_server.tournament.event import Event
from palio_server.tournament.format import Format
from palio_server.tournament.score_lines import finished, of_total, started, versus
from palio_server.tournament.standing import SprtState, Standing


class Progress:
    """The count of every game of an event, once, even if it is reported more often. Games are numbered as they were
    planned.
    """

    def __init__(self, event: Event, format_: Format) -> None:
        """The finished games in `event` are counted."""
        self.format = format_
        self._started: set[int] = set()
        self.count(event)

    def count(self, event: Event) -> None:
        """Count the finished games in `event`, from the beginning."""
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
        """The number of games that are finished or aborted."""
        return len(self._over)

    @property
    def known_total(self) -> int | None:
        """The number of games in all; None if that is not known yet."""
        return self.format.total(self.event)

    @property
    def total(self) -> int:
        """The number of games in all, or of those planned so far."""
        return max(self.known_total or 0, self.event.planned)

    def games_over(self) -> Iterator[int]:
        """Return the numbers of the games that are over."""
        return iter(sorted(self._over))

    def start(self, match: EventMatch) -> str | None:
        """Return `Started game 3 of 12 (A vs B)`, once for each game; None for a repetition."""
        number = self.event.game_number(match)
        if number in self._started:
            return None
        self._started.add(number)
        return started(number, self.total, match.bots, race=self.race)

    def finish(self, match: EventMatch, result: Result) -> str | None:
        """Return `Finished game 3 (A vs B): 1-0 {no-moves}`, and count it; None if that was done before."""
        if not self._see(match):
            return None
        return finished(self.event.game_number(match), match.bots, result)

    def aborted(self, match: EventMatch, why: str) -> str | None:
        """Return `Aborted game 3 (A vs B): stopped`, and count it; None if that was done before."""
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


# The speed of an event, and when it will end. Pure: the time is an argument.

WINDOW_S = 180.0  # the last minutes matter more than the first: other bots play, the machine does other work
FEW = 10  # games: fewer in the window are too few, and all of them are used


class GameRate:
    """The games over time. Times are in seconds, on any clock that never goes back."""

    def __init__(self, began: float, window_s: float = WINDOW_S) -> None:
        self._began = began
        self._window = window_s
        self._games = 0  # in all
        self._recent: deque[tuple[int, int]] = deque()  # whole seconds, and how many games were over in each
        self._in_window = 0

    def note(self, now: float, games: int = 1) -> None:
        """Note that so many more games are over."""
        self._games += games
        self._in_window += games
        if self._recent and self._recent[-1][0] == int(now):
            games += self._recent.pop()[1]
        self._recent.append((int(now), games))
        self._forget(now)

    def per_s(self, now: float) -> float | None:
        """Return the games a second, over the last minutes; None before the first one is over."""
        self._forget(now)
        if not self._games or now <= self._began:
            return None
        if self._in_window < FEW:
            return self._games / (now - self._began)
        return self._in_window / min(self._window, now - self._began)

    def seconds_left(self, now: float, games: int) -> float | None:
        """Return how long so many more games will take; None before the first one is over."""
        pace = self.per_s(now)
        return None if pace is None else games / pace

    def _forget(self, now: float) -> None:
        while self._recent and self._recent[0][0] < now - self._window:
            self._in_window -= self._recent.popleft()[1]


# One line that says how an event is going: `17 of 40 games, 2.1 games/s, ETA 0:11, best so far: ada 9.5/12`.

MOST_NAMED = 3  # of those that are level in front


def progress_line(
    over: int,
    total: int | None,
    per_s: float | None = None,
    seconds_left: float | None = None,
    more: Iterable[str] = (),
    *,
    about: bool = False,
) -> str:
    """Return how many games are over, their speed, the time left, and `more`; unknown values are left out."""
    parts = [f"{over}{of_total(total, about=about)} game{'' if (total or over) == 1 else 's'}"]
    if per_s is not None:
        parts.append(pace_text(per_s))
    if seconds_left is not None and over != total:
        parts.append(f"ETA {duration(seconds_left)}")
    return ", ".join([*parts, *filter(None, more)])


def pace_text(per_s: float) -> str:
    """Return `12 games/s`, `2.1 games/s`, `0.25 games/s`; for slow ones `1.8 games/min`."""
    if per_s >= 10:
        return f"{per_s:.0f} games/s"
    if per_s >= 1:
        return f"{per_s:.1f} games/s"
    return f"{per_s:.2f} games/s" if per_s >= 0.1 else f"{per_s * 60:.1f} games/min"


def duration(seconds: float) -> str:
    """Return `0:11`, `12:05`, `3:02:10`, `2 d 3 h`."""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    if hours >= 48:
        return f"{hours // 24} d {hours % 24} h"
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def best_text(standings: Sequence[Standing]) -> str:
    """Return `best so far: ada 9.5/12`, all that share the first place; "" before the first game is over."""
    first = [each for each in standings if each.rank == 1 and each.played]
    if not first or len(first) == len(standings):
        return ""
    named = ", ".join(f"{each.bot} {_points(each.points)}/{each.counted}" for each in first[:MOST_NAMED])
    return f"best so far: {named}{f' and {len(first) - MOST_NAMED} more' if len(first) > MOST_NAMED else ''}"


def _points(points: float) -> str:
    return f"{points:.2f}".rstrip("0").rstrip(".")


def llr_text(test: SprtState) -> str:
    """Return `LLR: 1.20 (-2.94, 2.94) [0, 5] in 16 games`: of a sequential test, its bounds and its hypotheses, in
    fastchess's form, and the games that it counts: of pairs only whole ones.
    """
    decided = "" if test.state == "continue" else f" {test.state}"
    games = test.wins + test.draws + test.losses if test.pairs is None else 2 * sum(test.pairs)
    bounds = f"({test.lower:.2f}, {test.upper:.2f}) [{test.elo0:g}, {test.elo1:g}]"
    return f"LLR: {test.llr:.2f} {bounds}{decided} in {games} game{'' if games == 1 else 's'}"


# The games whose results have been printed, which a resumed event does not print again.
#
# A result is in the database before it is printed, so a kill between the two loses the line. These numbers are kept
# with the event; the process that resumes it prints first the results that are finished and not among them. As text
# they are short, since games end nearly in their order: `1-40,43`.

_RANGE = re.compile(r"([1-9]\d{0,9})(?:-([1-9]\d{0,9}))?", re.ASCII)


class PrintedResults:
    """Numbers of games, from 1."""

    def __init__(self, text: str = "") -> None:
        """Read the text that `str` wrote. Raises BadRecord."""
        self._firsts: list[int] = []  # of ranges without a gap, ascending
        self._lasts: list[int] = []
        for part in text.split(",") if text else ():
            found = _RANGE.fullmatch(part)
            first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
            if not (self._lasts[-1] + 1 if self._lasts else 0) < first <= last:
                raise BadRecord(f"{quoted(text)} are no numbers of games; write them as in 1-40,43")
            self._firsts.append(first)
            self._lasts.append(last)

    def add(self, number: int) -> None:
        """Note that the result of this game has been printed."""
        place = bisect_right(self._firsts, number)
        if place and number <= self._lasts[place - 1]:
            return
        before = bool(place) and self._lasts[place - 1] == number - 1
        after = place < len(self._firsts) and self._firsts[place] == number + 1
        if before and after:
            self._lasts[place - 1] = self._lasts.pop(place)
            self._firsts.pop(place)
        elif before:
            self._lasts[place - 1] = number
        elif after:
            self._firsts[place] = number
        else:
            self._firsts.insert(place, number)
            self._lasts.insert(place, number)

    def missing(self, numbers: Iterable[int]) -> list[int]:
        """Return those of these games whose result has not been printed, in order."""
        return sorted(number for number in numbers if number not in self)

    def __contains__(self, number: int) -> bool:
        place = bisect_right(self._firsts, number)
        return bool(place) and number <= self._lasts[place - 1]

    def __str__(self) -> str:
        ranges = zip(self._firsts, self._lasts, strict=True)
        return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)
