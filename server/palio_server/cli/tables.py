"""Tables in the terminal: columns as wide as they need to be, never cut, with a head that stands out on a screen."""

from collections.abc import Collection, Sequence

from palio_rules.plain_text import plain
from palio_server.cli.printing import say, say_heading


def columns(cells: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> str:
    """Lines of aligned columns, whatever their width; those in `left` are names, the others figures.

    >>> print(columns([["bot", "games"], ["random", "7"]]))
    bot     games
    random      7
    """
    cells = [[plain(cell) for cell in line] for line in cells]
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    )


def show_table(cells: Sequence[Sequence[str]], left: Collection[int] = (0,), title: str = "") -> None:
    """Print a table whose first line is its head."""
    head, *lines = columns(cells, left).splitlines()
    if title:
        say_heading(title, bold=True)
    say_heading(head, dim=True)
    for line in lines:
        say(line)


def seconds(ms: int | None) -> str:
    """A clock for people: `9.8 s`, `4:59`, `-` where there is none."""
    if ms is None:
        return "-"
    return f"{ms / 1000:.1f} s" if ms < 60_000 else f"{ms // 60_000}:{ms // 1000 % 60:02}"
