"""Tables in the terminal: drawn on a screen, plain columns for files and pipes."""

from collections.abc import Collection, Sequence

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text


def columns(cells: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> str:
    """Lines of aligned columns, whatever their width; those in `left` are names, the others figures.

    >>> print(columns([["bot", "games"], ["random", "7"]]))
    bot     games
    random      7
    """
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    )


def show_table(cells: Sequence[Sequence[str]], left: Collection[int] = (0,), title: str = "") -> None:
    """Print a table whose first line is its head; a screen gets rules and colours, a file the bare columns."""
    console = Console()
    if not console.is_terminal:
        click.echo(f"{title}\n{columns(cells, left)}" if title else columns(cells, left))
        return
    table = Table(title=title or None, title_justify="left", box=SIMPLE_HEAD, title_style="bold")
    for column, name in enumerate(cells[0]):
        table.add_column(Text(name), justify="left" if column in left else "right", no_wrap=True)
    for line in cells[1:]:
        table.add_row(*(Text(cell) for cell in line))
    console.print(table)


def seconds(ms: int | None) -> str:
    """A clock for people: `9.8 s`, `4:59`, `-` where there is none."""
    if ms is None:
        return "-"
    return f"{ms / 1000:.1f} s" if ms < 60_000 else f"{ms // 60_000}:{ms // 1000 % 60:02}"
