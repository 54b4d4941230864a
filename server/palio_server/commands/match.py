"""`palio match`: start matches, and look at those that were played."""

from pathlib import Path

import click

from palio_rules.time_control import TimeControl
from palio_server.commands.common import (
    Group,
    db_option,
    game_option,
    game_or_instance,
    json_option,
    known_game,
    option_option,
    runs,
    st_option,
    tc_option,
    token_option,
    url_option,
)

EXAMPLES = """
\b
Examples:
  palio match start breakthrough mine random --tc 10+0.1
  palio match list --game dominoes --bot mine
  palio match show ID
  palio match replay ID --delay 0.5
  palio match export --game breakthrough -o games.txt
"""


@click.group(cls=Group, epilog=EXAMPLES)
def match() -> None:
    """Start matches between connected bots; list, show, replay and export those that were played."""


@match.command(
    epilog="\b\nExamples:\n  palio match start breakthrough mine random --tc 10+0.1\n"
    "  palio match start dominoes:rows=6,cols=6 a b --url https://palio.example --token palio_...\n"
    "  palio match start ./berlin52.tsp a b c --st 10"
)
@click.argument("game")
@click.argument("bots", nargs=-1, required=True, metavar="BOT BOT...")
@tc_option
@st_option
@option_option
@click.option("--rounds", type=click.IntRange(1, 100), default=1, help="So many matches, in all orders of the seats.")
@click.option("--openings", type=click.IntRange(0, 100), default=0, metavar="PLIES", help="Random plies to begin with.")
@click.option("--seed", type=click.IntRange(0), help="Of the openings and instances (default: a random one).")
@click.option("--by-time", is_flag=True, help="In a race, rank equal costs by thinking time.")
@click.option("--event", default="", help="What the match belongs to.")
@json_option
@url_option
@token_option
@runs
async def start(
    *,
    game: str,
    bots: tuple[str, ...],
    tc: str | None,
    st: str | None,
    options: tuple[str, ...],
    as_json: bool,
    url: str | None,
    token: str | None,
    **wanted: object,
) -> int | None:
    """Let connected bots play a match of GAME on a running server; the first BOT moves first.

    GAME may be a file with an instance of a race. In a race all bots run at once.
    """
    from palio_server.console.match_commands import start_match  # noqa: PLC0415 - the database is heavy to load
    from palio_server.console.remote import Remote  # noqa: PLC0415 - with it

    name, settings, _ = game_or_instance(game, options)
    known_game(click.get_current_context(), None, name)
    wanted |= {"game": name, "options": settings, "bots": bots, "time": TimeControl.parse(tc, st)}
    await start_match(Remote(url, token), wanted, as_json=as_json)
    return None


@match.command(
    "list", epilog="\b\nExamples:\n  palio match list --bot mine --limit 20\n  palio match list --status running --json"
)
@game_option
@click.option("--bot", help="Only matches of this bot.")
@click.option("--status", type=click.Choice(["scheduled", "running", "finished", "aborted"]), help="Only these.")
@click.option("--tournament", type=int, help="Only matches of this tournament.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="How many.")
@json_option
@db_option
@url_option
@token_option
@runs
async def list_(
    *,
    game: str | None,
    bot: str | None,
    status: str | None,
    tournament: int | None,
    limit: int,
    as_json: bool,
    db: str | None,
    url: str | None,
    token: str | None,
) -> int | None:
    """List matches, the newest first."""
    from palio_server.console.match_commands import list_matches  # noqa: PLC0415 - the database is heavy to load
    from palio_server.console.sources import source  # noqa: PLC0415 - with it

    async with source(db, url, token) as found:
        await list_matches(
            found, as_json=as_json, game=game, bot=bot, status=status, tournament=tournament, limit=limit
        )
    return None


@match.command(epilog="\b\nExamples:\n  palio match show ID\n  palio match show ID --url http://127.0.0.1:8000")
@click.argument("match_id", metavar="ID")
@db_option
@url_option
@token_option
@runs
async def show(*, match_id: str, db: str | None, url: str | None, token: str | None) -> int | None:
    """Show how the match ID went: the moves, the refusals, the last position, the result."""
    from palio_server.console.match_commands import show_match  # noqa: PLC0415 - the database is heavy to load
    from palio_server.console.sources import source  # noqa: PLC0415 - with it

    async with source(db, url, token) as found:
        await show_match(found, match_id)
    return None


@match.command(epilog="\b\nExamples:\n  palio match replay ID\n  palio match replay ID --delay 0.2")
@click.argument("match_id", metavar="ID")
@click.option(
    "--delay",
    type=click.FloatRange(0, 60),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="Between two moves.",
)
@db_option
@url_option
@token_option
@runs
async def replay(*, match_id: str, delay: float, db: str | None, url: str | None, token: str | None) -> int | None:
    """Play the match ID again on the screen, move by move; Ctrl-C stops."""
    from palio_server.console.match_commands import replay_match  # noqa: PLC0415 - the database is heavy to load
    from palio_server.console.sources import source  # noqa: PLC0415 - with it

    async with source(db, url, token) as found:
        await replay_match(found, match_id, delay)
    return None


@match.command(
    epilog="\b\nExamples:\n  palio match export ID\n  palio match export --game breakthrough -o games.txt\n"
    "  palio match export --tournament 3 --format json -o games.jsonl"
)
@click.argument("match_ids", nargs=-1, metavar="[ID]...")
@game_option
@click.option("--tournament", type=int, help="Only matches of this tournament.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="text: much like PGN; json: one record a line.",
)  # fmt: skip
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="A file (default: the screen).")
@db_option
@url_option
@token_option
@runs
async def export(
    *,
    match_ids: tuple[str, ...],
    game: str | None,
    tournament: int | None,
    form: str,
    output: Path | None,
    db: str | None,
    url: str | None,
    token: str | None,
) -> int | None:
    """Write records: of the matches ID..., or of all finished ones, oldest first. docs/records.md has the formats."""
    from palio_server.console.match_commands import export_matches  # noqa: PLC0415 - the database is heavy to load
    from palio_server.console.sources import source  # noqa: PLC0415 - with it

    async with source(db, url, token) as found:
        await export_matches(found, match_ids, game, tournament, form, output)
    return None
