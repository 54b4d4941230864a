"""What commands print. All do it here: what others have written must neither drive the terminal nor forge lines."""

from typing import Any

import click

from palio_rules.plain_text import plain, plain_json


def say(text: str = "", *, err: bool = False, lines: bool = False) -> None:
    """Print a line; with `lines`, a text of several, in which nobody else has written a line break."""
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
