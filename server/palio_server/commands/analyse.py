"""`palio analyse`: what each ply of a recorded match was worth."""

import click

from palio_server.commands.common import db_option, json_option, runs, token_option, url_option

EXAMPLES = """
\b
Examples:
  palio analyse ID
  palio analyse ID --seconds 5 --url http://127.0.0.1:8000
  palio analyse ID --no-keep --json
"""


@click.command(epilog=EXAMPLES)
@click.argument("match")
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), default=0.5, show_default=True, help="For each position."
)
@click.option("--no-keep", is_flag=True, help="Only print it; the page does not show it.")
@json_option
@db_option
@url_option
@token_option
@runs
async def analyse(
    *, match: str, seconds: float, no_keep: bool, as_json: bool, db: str | None, url: str | None, token: str | None
) -> int | None:
    """Look at the finished MATCH again: what was proven at each ply, and which moves threw it away.

    Prints a line a ply, marked ?? where a proven win or draw was given away and ? where much was lost, and keeps the
    analysis for the match's page. Ctrl-C keeps what is done until then.
    """
    from palio_server.console.analysing import analyse_match  # noqa: PLC0415 - the database is heavy to load
    from palio_server.console.sources import source  # noqa: PLC0415 - with it

    async with source(db, url, token) as found:
        return await analyse_match(found, match, seconds, keep=not no_keep, as_json=as_json)
