"""The lines of an event in progress, above a progress bar where there is a screen; otherwise with one now and then.

`Announcer` keeps which results have been printed.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from math import inf
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Literal, Protocol, Self

from palio_db.errors import StoreError
from palio_rules.plain_text import plain
from palio_server.cli.log_option import logs_json, on_stderr
from palio_server.cli.printing import say
from palio_server.tournament.progress import GameRate, PrintedResults, progress_line

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID


# The progress of an event, for display: counted as its games end, put into words on demand.

REFRESH_S = 1.0  # between two changes of a screen without news: its clock
SHARE = 50  # one part of so many of the time is spent on computing the leader
# seconds between two writes of printed results: each is a transaction for many games; a kill repeats the lines in it
PAUSE_S = 0.2
AGAIN_S = 1.0  # until the next try, after the store could not write

Write = Callable[[str], Awaitable[object]]


class Games(Protocol):
    """The part of `tournament.progress.Progress` that is shown."""

    @property
    def over(self) -> int: ...
    @property
    def known_total(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Watching:
    """Further facts about an event, each with the games that it counts; computed for each line that is printed, and for
    a screen at most once a second.
    """

    more: Callable[[], Sequence[str]] = tuple  # parts of the progress line: the leader, the LLR
    table: Callable[[], str] | None = None
    table_every: int = 0  # games; 0: never
    scores: Callable[[], str] | None = None
    scores_every: int = 0  # games; 0: never
    about: bool = False  # True: the event may become longer or shorter


NOTHING_MORE = Watching()


@dataclass(slots=True)
class WatchedEvent:
    """The displayed state of an event."""

    games: Games
    watching: Watching
    pace: GameRate
    task: "TaskID | None"
    seen: int  # games that were over at the last look
    told: int  # games that were over when the last progress line was printed
    more: Sequence[str] = ()  # the last value of `watching`
    asked: float = -inf  # when that was computed
    patience: float = REFRESH_S  # seconds until it is computed again: longer if that takes long

    def look(self, now: float) -> int:
        """Return how many more games are over."""
        more = self.games.over - self.seen
        if more > 0:
            self.pace.note(now, more)
        self.seen = self.games.over
        return more

    def line(self, now: float) -> str:
        """Return the progress line, with the values known now."""
        began = perf_counter()
        self.more, self.asked = self.watching.more(), now
        self.patience = max(REFRESH_S, SHARE * (perf_counter() - began))
        return self._text(now)

    def shown(self, now: float) -> str:
        """Return the line for a screen: what says the games that it counts may be a second old."""
        return self.line(now) if now - self.asked >= self.patience else self._text(now)

    def _text(self, now: float) -> str:
        over, total, pace = self.games.over, self.games.known_total, self.pace.per_s(now)
        left = None if total is None else self.pace.seconds_left(now, max(total - over, 0))
        return progress_line(over, total, pace, left, self.more, about=self.watching.about)


EVERY_S = 10.0  # seconds between two progress lines, where there is no screen
BAR = 20  # characters; the line beside it says more
ROOM_FOR_BAR = 100  # columns of a screen; a narrower one shows the line alone
SHOW_S = 0.1  # between two changes of a screen: each of them takes a millisecond, as much as some games
PATIENCE_S = 2.0  # seconds without output


def bar(*columns: "ProgressColumn") -> "Progress":
    """Return a progress bar on stderr, if that is a screen."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)


def _takes_codes() -> bool:
    """Return True if a screen understands the codes to redraw a line, and its user wants that."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


Log = Callable[[str, Literal["info", "warn"]], None]


class Ticker:
    """The printer of an event's lines on stdout, and warnings on stderr; a quiet one prints only warnings.

    The progress is a bar on stderr, if that is a screen; otherwise a line on stdout every ten seconds.
    """

    def __init__(
        self, *, quiet: bool = False, log: Callable[[str, Literal["info", "warn"]], None] | None = None
    ) -> None:
        """`log` is called with all lines, also of a quiet one."""
        self._quiet, self._log = quiet, log
        self._screen = not quiet and sys.stderr.isatty() and not logs_json() and _takes_codes()
        self._bar: Progress | None = None  # begins with the first thing to count
        self._lines: list[str] = []  # to be shown above the bar
        self._showing: asyncio.TimerHandle | None = None
        self._ticking: asyncio.TimerHandle | None = None
        self._event: WatchedEvent | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Print what is not yet shown, and end the bar."""
        if self._ticking is not None:
            self._ticking.cancel()
        if self._bar is not None:
            self._show()
            self._bar.stop()

    @property
    def shown_after_s(self) -> float:
        """The seconds after `say` until a line is certainly visible."""
        return 2 * SHOW_S if self._screen and sys.stdout.isatty() else 0.0

    def begin(self, introduction: str, games: Games, watching: Watching = NOTHING_MORE) -> None:
        """Begin an event; its bar moves with every line from now on, or a progress line comes now and then."""
        self.say(introduction)
        if self._quiet:
            return
        loop = asyncio.get_running_loop()
        task = (
            self._started().add_task("games", total=games.known_total, completed=games.over) if self._screen else None
        )
        self._event = WatchedEvent(games, watching, GameRate(loop.time()), task, games.over, games.over)
        self._tick_later(loop)

    def progress(self) -> None:
        """Print the progress now."""
        if self._event is not None:
            self._event.told = self._event.games.over
            self.say(self._event.line(asyncio.get_running_loop().time()))

    def say(self, line: str) -> None:
        """Print a line about the event; after a game that completes so many more, scores and table follow."""
        if self._log is not None:
            self._log(line, "info")
        if self._quiet:
            return
        self._print(line, err=False)
        event = self._event
        if event is None or not (more := event.look(asyncio.get_running_loop().time())):
            return
        watching = event.watching

        def due(every: int) -> bool:
            return bool(every) and event.seen // every > (event.seen - more) // every

        if watching.scores is not None and due(watching.scores_every):
            self._print(watching.scores(), err=False)
        if watching.table is not None and due(watching.table_every):
            self.progress()
            self._print(watching.table(), err=False)

    @contextmanager
    def counting(self, what: str, total: int) -> Iterator[Callable[[], None]]:
        """Show a bar for the time before; call the yielded function after each step. Without a screen, a line if
        needed.
        """
        if self._screen:
            shown = self._started()
            task = shown.add_task(what, total=total)
            steps = count(1)
            try:
                yield lambda: shown.update(
                    task, completed=(step := next(steps)), description=f"{what} {step} of {total}"
                )
            finally:
                shown.remove_task(task)
            return
        done, began, said = 0, monotonic(), self._quiet

        def counted() -> None:
            nonlocal done, said
            done += 1
            if not said and done < total and monotonic() - began > PATIENCE_S:
                said = True
                self.warn(f"drawing {what}, {done} of {total} so far")

        yield counted

    def show(self, line: str) -> None:
        """Print a line of a bot; on stderr if only the result is wanted on stdout."""
        self._print(line, err=self._quiet)

    def warn(self, line: str) -> None:
        """Print a warning, even if only the result is wanted."""
        if self._log is not None:
            self._log(line, "warn")
        self._print(line, err=True)

    def _started(self) -> "Progress":
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeElapsedColumn

            # brackets in it are of an LLR, not markup
            line = TextColumn("{task.description}", markup=False), TimeElapsedColumn()
            wide = Console(stderr=True).width >= ROOM_FOR_BAR
            self._bar = bar(*((BarColumn(BAR), *line) if wide else line))
            self._bar.start()
        return self._bar

    def _tick_later(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._ticking is not None:
            self._ticking.cancel()
        self._ticking = loop.call_later(REFRESH_S if self._screen else EVERY_S, self._tick, loop)

    def _tick(self, loop: asyncio.AbstractEventLoop) -> None:
        """Handle the passing of time: a screen shows it, elsewhere a line reports changes."""
        event = self._event
        assert event is not None
        self._tick_later(loop)
        if self._screen:
            self._show()
        elif event.games.over != event.told:
            self.progress()

    def _print(self, line: str, *, err: bool) -> None:
        if err and logs_json():
            on_stderr(line, "warning")
        elif self._bar is None or not (err or sys.stdout.isatty()):
            say(line, err=err, lines=True)
        else:
            self._lines.append(line)
        if self._bar is not None and self._showing is None:
            self._showing = asyncio.get_running_loop().call_later(SHOW_S, self._show)

    def _show(self) -> None:
        """Print the new lines above the bar, and move the bar."""
        from rich.text import Text

        assert self._bar is not None
        if self._showing is not None:
            self._showing.cancel()
            self._showing = None
        lines, self._lines = self._lines, []
        event = self._event
        if event is not None and event.task is not None:
            shown = event.shown(asyncio.get_running_loop().time())
            self._bar.update(event.task, completed=event.games.over, total=event.games.known_total, description=shown)
        if lines:
            self._bar.console.print(Text(plain("\n".join(lines), lines=True)), soft_wrap=True)


# The numbers of printed results are kept, so that a resumed event prints the others, and only those.
#
# One write is under way at a time, with all numbers that there are by then. So a kill repeats at most the lines of one
# write, and loses none.


class Announcer:
    """Made by `announcing`."""

    def __init__(self, announced: PrintedResults, write: Write, shown_after_s: float) -> None:
        self.announced = announced
        self._write = write
        self._shown_after_s = shown_after_s
        self._kept = str(announced)
        self._news = asyncio.Event()

    def note(self, number: int) -> None:
        """Note that the result of this game has been printed."""
        self.announced.add(number)
        self._news.set()

    async def run(self) -> None:
        """Write new numbers, until cancelled."""
        while True:
            await self._news.wait()
            self._news.clear()
            text = str(self.announced)
            try:
                await asyncio.sleep(self._shown_after_s)
                await self.keep(text)
                await asyncio.sleep(PAUSE_S)
            except StoreError:  # play goes on without the store, and so does this
                self._news.set()
                await asyncio.sleep(AGAIN_S)

    async def keep(self, text: str) -> None:
        """Write this, unless it was written last. Raises StoreError."""
        if text != self._kept:
            await self._write(text)
            self._kept = text


@asynccontextmanager
async def announcing(announced: PrintedResults, write: Write, shown_after_s: float = 0.0) -> AsyncIterator[Announcer]:
    """Write in the background, and a last time at the end.

    `shown_after_s`: seconds after which a line that was said is visible.
    """
    announcer = Announcer(announced, write, shown_after_s)
    task = asyncio.create_task(announcer.run())
    try:
        yield announcer
    finally:
        task.cancel()
        await asyncio.wait({task})
        with suppress(StoreError):  # then some lines are printed again
            await announcer.keep(str(announced))
