"""`palio watch`: a match in the terminal."""

import click

from palio_server.commands.common import runs, url_option

EXAMPLES = """
\b
Examples:
  palio watch                                  the newest match on this machine's server
  palio watch 0m3k9x --url https://palio.example
  palio watch | tee match.txt                  one line a move
"""


@click.command(epilog=EXAMPLES)
@click.argument("match", required=False)
@url_option
@runs
async def watch(*, match: str | None, url: str | None) -> int | None:
    """Follow MATCH live until it ends; without MATCH the newest one, or the next that begins."""
    from palio_server.console.watching import follow  # noqa: PLC0415 - `palio --help` need not load websockets and rich

    return await follow(match, url)
