"""`palio check-bot`: play the whole protocol against a bot and say what it does wrong."""

import click


@click.command("check-bot")
def check_bot() -> None:
    """Not yet."""
