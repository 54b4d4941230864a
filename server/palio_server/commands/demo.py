"""`palio demo`: the whole thing, in a minute."""

import click

from palio_server.commands.common import db_option, runs

EXAMPLES = """
\b
Examples:
  palio demo                                   then open http://127.0.0.1:8000
  palio demo --once                            ends by itself, for scripts
"""


@click.command(epilog=EXAMPLES)
@click.option("--once", is_flag=True, help="End after the tournaments.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="Of the page.")
@click.option("--browser", is_flag=True, help="Open the page.")
@db_option
@runs
async def demo(*, once: bool, port: int, browser: bool, db: str | None) -> int | None:
    """Let shipped bots play a tournament in each game, duels, tables and races, over real connections.

    Afterwards the server stays up until Ctrl-C, with matches going on that can be watched.
    """
    from palio_server.console.demonstration import demonstrate  # noqa: PLC0415 - the server is heavy to load

    return await demonstrate(db, port, once=once, browser=browser)
