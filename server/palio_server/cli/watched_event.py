"""How an event is going, for whoever shows it: counted as its games end, put into words when somebody looks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

from palio_server.tournament.pace import Pace
from palio_server.tournament.progress_line import progress_line

if TYPE_CHECKING:  # where there is no screen, nobody needs bars
    from rich.progress import TaskID

REFRESH_S = 1.0  # between two changes of a screen without news: its clock
SHARE = 50  # one part of so many of the time is spent on finding out who is in front


class Games(Protocol):
    """An event in progress, as `tournament.progress.Progress` counts it."""

    @property
    def over(self) -> int: ...
    @property
    def known_total(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Watching:
    """What else can be said of an event: asked when it is shown, at most once a second."""

    more: Callable[[], Sequence[str]] = tuple  # parts of the progress line: who is in front, the LLR
    table: Callable[[], str] | None = None
    table_every: int = 0  # games; 0: never
    about: bool = False  # whether the event may become longer or shorter than it knows now


NOTHING_MORE = Watching()


@dataclass(slots=True)
class WatchedEvent:
    """What is shown of an event."""

    games: Games
    watching: Watching
    pace: Pace
    task: "TaskID | None"
    seen: int  # games that were over when it was last looked at
    told: int  # games that were over when the last progress line was printed
    more: Sequence[str] = ()  # what `watching` has said last
    asked: float = -inf  # when that was
    patience: float = REFRESH_S  # so many seconds later it is asked again: longer where that takes long

    def look(self, now: float) -> int:
        """How many more games are over."""
        more = self.games.over - self.seen
        if more > 0:
            self.pace.note(now, more)
        self.seen = self.games.over
        return more

    def line(self, now: float) -> str:
        """How it is going, with all that is known now, or was known when it was found out last."""
        if self.patience <= REFRESH_S or now - self.asked >= self.patience:
            began = perf_counter()
            self.more, self.asked = self.watching.more(), now
            self.patience = max(REFRESH_S, SHARE * (perf_counter() - began))
        return self._text(now)

    def shown(self, now: float) -> str:
        """The same for a screen: who is in front need not be newer than a second."""
        return self.line(now) if now - self.asked >= self.patience else self._text(now)

    def _text(self, now: float) -> str:
        over, total, pace = self.games.over, self.games.known_total, self.pace.per_s(now)
        left = None if total is None else self.pace.seconds_left(now, max(total - over, 0))
        return progress_line(over, total, pace, left, self.more, about=self.watching.about)
