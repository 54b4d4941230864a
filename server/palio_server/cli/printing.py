"""The output of commands. All use this module: third-party texts must not control the terminal or imitate lines."""

import re
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from palio_rules.errors import BadOption
from palio_rules.plain_text import plain, plain_json


def say(text: str = "", *, err: bool = False, lines: bool = False) -> None:
    """Print a line; with `lines`, a text of several, whose line breaks are all our own."""
    click.echo(plain(text, lines=lines), err=err)


def say_text(text: str) -> None:
    """Print several lines, see `say`."""
    say(text, lines=True)


def say_heading(text: str, **style: bool) -> None:
    """Print a line that stands out on a screen. (`click.echo` leaves styles out where there is none.)"""
    click.echo(click.style(plain(text), **style))


def show_json(value: Any) -> None:
    """Print a value as JSON."""
    import msgspec  # `palio --help` starts without it

    click.echo(plain_json(msgspec.json.format(msgspec.json.encode(value)).decode()))


def show_json_line(value: Any) -> None:
    """Print a value as JSON, all in one line."""
    import msgspec  # as above

    show_json_text(msgspec.json.encode(value).decode())


def show_json_text(text: str) -> None:
    """Print JSON as it came."""
    click.echo(plain_json(text))


# Tables in the terminal: columns as wide as their contents, never cut, with a head that is styled on a screen.


def columns(cells: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> str:
    """Return lines of aligned columns of any width; those in `left` are names, the others figures.

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
    """Return a clock for people: `9.8 s`, `4:59`, `-` where there is none."""
    if ms is None:
        return "-"
    return f"{ms / 1000:.1f} s" if ms < 60_000 else f"{ms // 60_000}:{ms // 1000 % 60:02}"


# Moments and spans on a command line: `30d`, `24h`, `2026-12-31`, `never`.

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800, "y": 31_536_000}
LONGEST_S = 36_500 * 86_400  # a century; a longer span counts as without end

NEVER = "never"
_SPAN = re.compile(r"(\d{1,9})([smhdwy])", re.ASCII)


def span(text: str) -> timedelta | None:
    """Return the span of `90s`, `30m`, `24h`, `30d`, `4w`, `1y`; None for a text that is not a span of time."""
    found = _SPAN.fullmatch(text)
    return None if found is None else timedelta(seconds=min(int(found[1]) * SECONDS[found[2]], LONGEST_S))


def overlap(text: str) -> timedelta:
    """Return an overlap. Raises BadOption."""
    found = timedelta(0) if text == "0" else span(text)
    if found is None:
        raise BadOption(f"{text!r} is no span of time; write 24h, 30m, 7d, or 0")
    return found


def end(text: str, now: datetime) -> datetime | None:
    """Return an end: after a span, at the end of a day, or at a moment; None: `never`. Raises BadOption."""
    if text == NEVER:
        return None
    lasts = span(text)
    if lasts is not None:
        found = now + lasts
    else:
        found = _moment(text, "30d, 24h, 2026-12-31, or never")
        found += timedelta(days=_is_day(text))  # the day itself is included
    if found <= now:
        raise BadOption(f"{text!r} is over; name a later moment")
    return found


def since(text: str, now: datetime) -> datetime:
    """Return a beginning: a span ago, the beginning of a day, or a moment. Raises BadOption."""
    ago = span(text)
    return _moment(text, "24h, 7d, or 2026-12-31") if ago is None else now - ago


def _moment(text: str, forms: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise BadOption(f"{text[:40]!r} is no moment; write {forms}") from None
    if not 1 < found.year < 9999:
        raise BadOption(f"{text[:40]!r} is no moment of our time; write {forms}")
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _is_day(text: str) -> bool:
    return len(text) <= len("2026-12-31")
