"""How far a search has come, as one line on stderr: the share of its limits, nodes, and nodes a second."""

import sys
from types import TracebackType
from typing import Any, Self

from palio_clients.solving.budget import Budget


class Bar:
    """Drawn with rich on a terminal; nothing elsewhere, or where rich is not installed."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._progress = _progress() if sys.stderr.isatty() else None
        self._task: Any = None

    def __enter__(self) -> Self:
        if self._progress is not None:
            self._progress.start()
            self._task = self._progress.add_task("", total=1.0, nodes="", rate="")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._progress is not None:
            self._progress.stop()

    def draw(self) -> None:
        """To be called a few times a second."""
        if self._progress is None:
            return
        budget = self._budget
        nodes, seconds = budget.nodes, budget.seconds()
        self._progress.update(
            self._task,
            completed=budget.used(),
            description=budget.stage,
            nodes=f"{nodes:,} nodes",
            rate=f"{nodes / seconds:,.0f}/s" if seconds else "",
        )


def _progress() -> Any:
    try:
        from rich.console import Console  # noqa: PLC0415 - it comes with the server and with `palio play`
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415 - as above
    except ModuleNotFoundError:
        return None
    return Progress(
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[nodes]} {task.fields[rate]} {task.description}"),
        console=Console(stderr=True),
        transient=True,
    )
