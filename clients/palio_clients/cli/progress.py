"""How far a search has come, as one line on stderr: the share of its limits, nodes, and nodes a second."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from palio_clients.solving.budget import Budget


@contextmanager
def progress_of(budget: Budget) -> Iterator[Callable[[], None]]:
    """Draw it with rich on a terminal; nothing elsewhere, or where rich is not installed.

    Yields what is to be called a few times a second.
    """
    progress = _progress() if sys.stderr.isatty() else None
    if progress is None:
        yield lambda: None
        return

    def draw() -> None:
        nodes, seconds = budget.nodes, budget.seconds()
        rate = f"{nodes / seconds:,.0f}/s" if seconds else ""
        shown = f"{nodes:,} nodes {rate} {budget.stage}"
        progress.update(task, completed=budget.used(), description=shown)

    with progress:
        task = progress.add_task("", total=1.0)
        yield draw


def _progress() -> Any:
    try:
        from rich.console import Console  # noqa: PLC0415 - it comes with the server and with `palio play`
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415 - as above
    except ModuleNotFoundError:
        return None
    columns = BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}")
    return Progress(*columns, console=Console(stderr=True), transient=True)
