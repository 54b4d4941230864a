"""The lines of a tournament in progress, above a progress bar where there is a screen."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Self

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from palio_server.tournament.progress import Progress as Games

PATIENCE_S = 2.0  # of somebody who looks at nothing


def bar(*columns: ProgressColumn, quiet: bool = False) -> Progress:
    """A progress bar on stderr, if that is a screen."""
    console = Console(stderr=True)
    return Progress(*columns, console=console, disable=quiet or not console.is_terminal, transient=True)


class Ticker:
    """Prints a tournament's lines on stdout, and warnings on stderr; a quiet one prints only warnings.

    The bar is on stderr, if that is a screen.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._bar = bar(*columns, quiet=quiet)
        self._games: tuple[TaskID, Games] | None = None

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def begin(self, introduction: str, games: Games) -> None:
        """A tournament begins; its bar moves with every line from now on."""
        self.say(introduction)
        self._games = (self._bar.add_task("games", total=games.total, completed=games.over), games)

    def say(self, line: str) -> None:
        """A line about the tournament."""
        if not self._quiet:
            self._print(line, err=False)
        if self._games is not None:
            task, games = self._games
            self._bar.update(task, completed=games.over)

    @contextmanager
    def counting(self, what: str, total: int) -> Iterator[Callable[[], None]]:
        """A bar for the time before; call what this gives after each step. Without a screen, a line if need be."""
        task, done, began = self._bar.add_task(what, total=total), 0, monotonic()
        said = self._quiet or self._bar.console.is_terminal

        def count() -> None:
            nonlocal done, said
            done += 1
            self._bar.update(task, completed=done)
            if not said and done < total and monotonic() - began > PATIENCE_S:
                said = True
                self.warn(f"drawing {what}, {done} of {total} so far")

        try:
            yield count
        finally:
            self._bar.remove_task(task)

    def warn(self, line: str) -> None:
        """Something to know, even where only the result is wanted."""
        self._print(line, err=True)

    def _print(self, line: str, *, err: bool) -> None:
        if self._bar.disable or not (err or sys.stdout.isatty()):
            click.echo(line, err=err)
        else:
            self._bar.console.print(Text(line))  # above the bar
