"""What commands print. All do it here: what others have written, a server or a bot, must not drive the terminal."""

import click

from palio_rules.plain_text import plain


def say(text: str = "", *, err: bool = False, lines: bool = False) -> None:
    """Print a line; with `lines`, a text of several."""
    click.echo(plain(text, lines=lines), err=err)
