"""`palio serve`: a standing server."""

import click

from palio_server.commands.common import db_option, runs

EXAMPLES = """
\b
Examples:
  palio serve                                  for yourself, on http://127.0.0.1:8000, no tokens
  palio serve --ladder --tc 5+0.05             idle bots are paired again and again
  palio serve --ladder --bot random --bot greedy
  palio serve --host 0.0.0.0 --db postgresql://palio@db/palio --mqtt mqtt://broker:1883
"""


@click.command(epilog=EXAMPLES)
@click.option("--host", help="Address to listen on (default: 127.0.0.1).")
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 0 takes any free one (default: 8000).")
@db_option
@click.option(
    "--mqtt", metavar="URL", help="A broker that bots and viewers may use too: mqtt://USER:PASSWORD@HOST:PORT."
)
@click.option("--auth/--no-auth", default=None, help="Ask for tokens (default: everywhere but on loopback).")
@click.option("--ladder/--no-ladder", default=None, help="Pair idle bots of one game by themselves.")
@click.option("--tc", metavar="TIME", help="Time control of ladder matches (default: 10+0.1).")
@click.option("--concurrency", type=click.IntRange(1, 10_000), help="Matches at once (default: 8).")
@click.option("--worker", metavar="NAME", help="This server among those that share a database (default: palio).")
@click.option("--bot", "bots", metavar="BOT", multiple=True, help="Start this bot here too; may be repeated.")
@runs
async def serve(
    *,
    host: str | None,
    port: int | None,
    db: str | None,
    mqtt: str | None,
    auth: bool | None,
    ladder: bool | None,
    tc: str | None,
    concurrency: int | None,
    worker: str | None,
    bots: tuple[str, ...],
) -> int | None:
    """Serve bots, viewers and the page until Ctrl-C. Matches that were in progress go on."""
    from palio_server.console.serving import stand  # noqa: PLC0415 - the server is heavy to load
    from palio_server.settings import load  # noqa: PLC0415 - with it

    settings = load(
        host=host,
        port=port,
        db=db,
        mqtt=mqtt,
        auth=None if auth is None else "required" if auth else "open",
        ladder=ladder,
        ladder_tc=tc,
        concurrency=concurrency,
        worker=worker,
    )
    return await stand(settings, bots)
