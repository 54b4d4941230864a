"""`palio tournament create`: what an organiser says of a tournament, sent to a server."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from palio_rules.completing.specs import game_spec
from palio_rules.errors import BadOption
from palio_rules.time_control import TimeControl
from palio_server.cli import completed_words
from palio_server.cli.command import runs
from palio_server.cli.event_answers import asked, told
from palio_server.cli.options import (
    game_or_instance,
    json_option,
    known_game,
    option_option,
    server_option,
    st_option,
    tc_option,
    token_option,
)


@click.command(
    epilog="\b\nExamples:\n  palio tournament create breakthrough ann bob cid dan --format swiss --rounds 3 --start\n"
    "  palio tournament create dominoes:rows=6,cols=6 --format knockout:best_of=3 --admits open --starts-at +10m\n"
    "  palio tournament create breakthrough --trf cup.trf --grace 120"
)
@click.argument("game", shell_complete=game_spec)
@click.argument("bots", nargs=-1, metavar="[BOT[=RATING]]...")
@click.option("--format", "form", metavar="FORMAT", shell_complete=completed_words.event_format,
              help="How it is played: knockout:best_of=3 (default: round_robin; with --trf swiss).")  # fmt: skip
@click.option("--rounds", type=click.IntRange(1), help="How many rounds (default: as many as the format has).")
@click.option(
    "--tie-breaks",
    metavar="A,B,...",
    shell_complete=completed_words.tie_breaks,
    help="What decides between equal points, the first one first.",
)
@tc_option
@st_option
@option_option
@click.option(
    "--openings",
    default="",
    metavar="SPEC",
    shell_complete=completed_words.openings,
    help="Where games begin: random plies, or file=BOOK.",
)
@click.option("--seed", type=click.IntRange(0), help="Seed of openings and instances (default: a random one).")
@click.option("--by-time", is_flag=True, help="In a race, rank equal costs by thinking time.")
@click.option("--grace", "grace_s", type=click.FloatRange(0, 86_400), metavar="SECONDS",
              help="How long a bot may stay away before it forfeits (default: 60).")  # fmt: skip
@click.option("--trf", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="Take bots, ratings, byes and rounds from a TRF file that has no results yet.")  # fmt: skip
@click.option("--name", default="", help="What viewers read (default: game and format).")
@click.option("--admits", type=click.Choice(["listed", "token", "open"]), default="listed", show_default=True,
              help="Who else takes part: nobody, bots that enter by their tokens, or who is connected.")  # fmt: skip
@click.option("--starts-at", metavar="TIME", help="When it starts: 2026-12-24T18:00 (here), or +10m from now.")
@click.option("--start", is_flag=True, help="Start it at once.")
@json_option
@server_option
@token_option
@runs
async def create(
    *,
    game: str,
    bots: tuple[str, ...],
    form: str | None,
    trf: Path | None,
    tie_breaks: str | None,
    tc: str | None,
    st: str | None,
    options: tuple[str, ...],
    openings: str,
    starts_at: str | None,
    as_json: bool,
    url: str | None,
    token: str | None,
    **more: Any,
) -> None:
    """Make a tournament of GAME between connected bots on a running server.

    A BOT may come with the rating that seeds it: ann=1650. GAME may be a file with an instance of a race.
    """
    from palio_rules.spec import Spec
    from palio_server.tournament.trf.reading import decoded

    name, settings, _ = game_or_instance(game, options)
    known_game(click.get_current_context(), None, name)
    spec = Spec.parse(form or ("round_robin" if trf is None else "swiss"))
    rules = dict(spec.settings) | ({} if tie_breaks is None else {"tie_breaks": tie_breaks})
    names, ratings = _rated(bots)
    wanted = {
        "game": name,
        "options": settings,
        "bots": names,
        "ratings": ratings,
        "format": spec.name,
        "rules": rules,
        "time": TimeControl.parse(tc, st),
        "openings": openings,
        "trf": None if trf is None else decoded(await asyncio.to_thread(trf.read_bytes)),
        "book": await asyncio.to_thread(_book, openings),
        "starts_at": _zoned(starts_at),
    } | more
    detail = await asked(url, token, "POST", "tournaments", {k: v for k, v in wanted.items() if v is not None})
    told(detail, f"tournament {detail.id} is {detail.stage}: {detail.name}", url, as_json=as_json)


def _rated(bots: tuple[str, ...]) -> tuple[list[str], dict[str, float]]:
    """`ann` and `bob=1650`: names, and ratings by name. Raises BadOption."""
    names, ratings = [], {}
    for bot in bots:
        name, equals, rating = bot.partition("=")
        names.append(name)
        if equals:
            try:
                ratings[name] = float(rating)
            except ValueError:
                raise BadOption(f"{bot!r}: {rating!r} is no rating; write {name}=1650") from None
    return names, ratings


def _book(openings: str) -> tuple[str, ...] | None:
    """The lines of a book's file, which is on this machine and not on the server's. Raises BadOption."""
    from palio_server.tournament.openings.choice import parse_openings

    return parse_openings(openings).read().lines if openings else None


def _zoned(text: str | None) -> str | None:
    """Return a moment of this machine's clock with its time zone, and anything else unchanged for the server to read.

    Raises BadOption for a moment that this machine's clock skips when summer time begins.
    """
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    try:
        zoned = moment.astimezone(UTC)
        skipped = moment.tzinfo is None and zoned.astimezone().replace(tzinfo=None) != moment
    except (ValueError, OverflowError):  # a year that no clock reaches in UTC
        raise BadOption(f"{text!r} is no time to start; write 2026-12-24T18:00:00Z, or +10m for ten minutes") from None
    if skipped:
        raise BadOption(f"{text!r} does not exist here: the clock skips it when summer time begins; give another time")
    return zoned.isoformat()
