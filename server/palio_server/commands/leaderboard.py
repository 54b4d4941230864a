"""`palio leaderboard`: who is best, and how sure are we."""

import click

from palio_server.commands.common import db_option, game_option, json_option, runs, token_option, url_option

EXAMPLES = """
\b
Examples:
  palio leaderboard                            every game that has been played here
  palio leaderboard --game breakthrough --head-to-head
  palio leaderboard --game dominoes --json | jq '.leaders[0].bot'
  palio leaderboard --url http://127.0.0.1:8000
"""


@click.command(epilog=EXAMPLES)
@game_option
@click.option("--head-to-head", is_flag=True, help="Also what every two bots have scored against each other.")
@json_option
@db_option
@url_option
@token_option
@runs
async def leaderboard(
    *, game: str | None, head_to_head: bool, as_json: bool, db: str | None, url: str | None, token: str | None
) -> int | None:
    """Show ratings with error bars, results, faults and thinking times.

    Reads the database, or a running server if --url (or PALIO_URL) is given. With --json and --game it prints that
    game's leaderboard, with --json alone the list of all.
    """
    from palio_server.console.leaders import show_leaders  # noqa: PLC0415 - the database is heavy to load
    from palio_server.console.sources import source  # noqa: PLC0415 - with it

    async with source(db, url, token) as found:
        await show_leaders(found, game, head_to_head=head_to_head, as_json=as_json)
    return None
