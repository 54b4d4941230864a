"""The lines of a tournament in progress, above a progress bar where there is a screen."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Self

import click

if TYPE_CHECKING:  # where there is no screen, nobody needs bars
    from rich.progress import Progress, ProgressColumn, TaskID

    from palio_server.tournament.progress import Progress as Games

SHOW_S = 0.1  # between two changes of a screen: each of them takes a millisecond, as much as some games
PATIENCE_S = 2.0  # of somebody who looks at nothing


def bar(*columns: "ProgressColumn") -> "Progress":
    """A progress bar on stderr, if that is a screen."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)


class Ticker:
    """Prints a tournament's lines on stdout, and warnings on stderr; a quiet one prints only warnings.

    The bar is on stderr, if that is a screen.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._screen = not quiet and sys.stderr.isatty()
        self._bar: Progress | None = None  # begins with the first thing to count
        self._lines: list[str] = []  # that will be shown above the bar
        self._showing: asyncio.TimerHandle | None = None
        self._games: tuple[TaskID, Games] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._show()
            self._bar.stop()

    def begin(self, introduction: str, games: "Games") -> None:
        """A tournament begins; its bar moves with every line from now on."""
        self.say(introduction)
        if self._screen:
            self._games = (self._started().add_task("games", total=games.total, completed=games.over), games)

    def say(self, line: str) -> None:
        """A line about the tournament."""
        if not self._quiet:
            self._print(line, err=False)

    @contextmanager
    def counting(self, what: str, total: int) -> Iterator[Callable[[], None]]:
        """A bar for the time before; call what this gives after each step. Without a screen, a line if need be."""
        if self._screen:
            shown = self._started()
            task = shown.add_task(what, total=total)
            try:
                yield partial(shown.advance, task)
            finally:
                shown.remove_task(task)
            return
        done, began, said = 0, monotonic(), self._quiet

        def count() -> None:
            nonlocal done, said
            done += 1
            if not said and done < total and monotonic() - began > PATIENCE_S:
                said = True
                self.warn(f"drawing {what}, {done} of {total} so far")

        yield count

    def warn(self, line: str) -> None:
        """Something to know, even where only the result is wanted."""
        self._print(line, err=True)

    def _started(self) -> "Progress":
        if self._bar is None:
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn

            self._bar = bar(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            self._bar.start()
        return self._bar

    def _print(self, line: str, *, err: bool) -> None:
        if self._bar is None or not (err or sys.stdout.isatty()):
            click.echo(line, err=err)
        else:
            self._lines.append(line)
        if self._bar is not None and self._showing is None:
            self._showing = asyncio.get_running_loop().call_later(SHOW_S, self._show)

    def _show(self) -> None:
        """Print what has come since the last time above the bar, and move the bar."""
        from rich.text import Text

        assert self._bar is not None
        if self._showing is not None:
            self._showing.cancel()
            self._showing = None
        lines, self._lines = self._lines, []
        if self._games is not None:
            task, games = self._games
            self._bar.update(task, completed=games.over)
        if lines:
            self._bar.console.print(Text("\n".join(lines)), soft_wrap=True)
