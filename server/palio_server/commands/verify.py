"""`palio verify`: does everything that is remembered hold?"""

import click

from palio_server.commands.common import db_option, game_option, runs

EXAMPLES = """
\b
Examples:
  palio verify
  palio verify --game breakthrough --db postgresql://palio@db/palio
"""


@click.command(epilog=EXAMPLES)
@game_option
@db_option
@runs
async def verify(*, game: str | None, db: str | None) -> int | None:
    """Play every recorded match through the rules again, and add up every score again.

    Prints each match that does not reproduce and each sum that is wrong; ends with 1 if there is any.
    """
    from palio_server.console.verification import check_all  # noqa: PLC0415 - the database is heavy to load

    return await check_all(db, game)
