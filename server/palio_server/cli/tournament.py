"""`palio tournament`: events on a standing server: made, entered, played; and shown, from a server or a database."""

import asyncio
import sys
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from palio_rules.completing import game_spec
from palio_rules.contract.endpoints import web
from palio_rules.errors import BadOption
from palio_rules.plain_text import plain
from palio_rules.time_control import TimeControl
from palio_rules.written_file import write_whole
from palio_server.cli import completed_words
from palio_server.cli.addresses import part
from palio_server.cli.command import Group, runs
from palio_server.cli.event_source import with_events
from palio_server.cli.options import (
    game_or_instance,
    json_option,
    known_game,
    odds_of,
    odds_option,
    option_option,
    rated_option,
    server_option,
    st_option,
    tc_option,
    token_option,
)
from palio_server.cli.printing import say, show_json

if TYPE_CHECKING:
    from palio_db.event_values import Stage
    from palio_server.api.event_items import TournamentDetail
    from palio_server.api.event_views import Form
    from palio_server.cli.event_source import Events


# The requests of `palio tournament` to a server, and the display of the answers.

number_argument = click.argument("number", type=click.IntRange(1), metavar="N")


async def asked(url: str | None, token: str | None, method: str, path: str, body: object = None) -> "TournamentDetail":
    """Return the server's answer. Raises CommandFailed."""
    from palio_server.api.event_items import TournamentDetail
    from palio_server.cli.command import CommandFailed
    from palio_server.cli.source import Remote

    remote = Remote(url, token)
    answer = await remote.send(method, path, {} if body is None else body)
    try:
        return msgspec.json.decode(answer, type=TournamentDetail)
    except msgspec.DecodeError as error:
        raise CommandFailed(f"{remote.url} answers in a form that this palio cannot read: {error}") from None


def told(detail: "TournamentDetail", line: str, url: str | None, *, as_json: bool = False) -> None:
    if as_json:
        show_json(detail)
        return
    say(f"{line}; look at it with: palio tournament show {detail.id} --url {web(url)}")


# `palio tournament start|pause|resume|cancel|extend|add|withdraw`: an organiser changes a tournament of a server.


@click.command(epilog="\b\nExample:\n  palio tournament start 3")
@number_argument
@server_option
@token_option
@runs
async def start(*, number: int, url: str | None, token: str | None) -> None:
    """Start tournament N now."""
    detail = await asked(url, token, "POST", f"tournaments/{number}/start")
    told(detail, f"tournament {number} is {detail.stage}, with {len(detail.bots)} bots", url)


@click.command(epilog="\b\nExample:\n  palio tournament pause 3")
@number_argument
@server_option
@token_option
@runs
async def pause(*, number: int, url: str | None, token: str | None) -> None:
    """Begin no more games of tournament N; those in progress are played to their end."""
    detail = await asked(url, token, "POST", f"tournaments/{number}/pause")
    say(f"tournament {number} is {detail.stage}; {detail.running} games are played to their end")


@click.command(epilog="\b\nExample:\n  palio tournament resume 3")
@number_argument
@server_option
@token_option
@runs
async def resume(*, number: int, url: str | None, token: str | None) -> None:
    """Go on with tournament N, which was paused."""
    detail = await asked(url, token, "POST", f"tournaments/{number}/resume")
    told(detail, f"tournament {number} is {detail.stage}", url)


@click.command(epilog="\b\nExample:\n  palio tournament cancel 3")
@number_argument
@server_option
@token_option
@runs
async def cancel(*, number: int, url: str | None, token: str | None) -> None:
    """End tournament N without a winner; games in progress are played to their end."""
    detail = await asked(url, token, "POST", f"tournaments/{number}/cancel")
    say(f"tournament {number} is {detail.stage}; {detail.finished} of its games count on the leaderboard")


@click.command(epilog="\b\nExample:\n  palio tournament extend 3 --rounds 9")
@number_argument
@click.option("--rounds", type=click.IntRange(1), required=True, help="How many rounds in all.")
@server_option
@token_option
@runs
async def extend(*, number: int, rounds: int, url: str | None, token: str | None) -> None:
    """Give tournament N more rounds; one that is finished goes on."""
    detail = await asked(url, token, "POST", f"tournaments/{number}/extend", {"rounds": rounds})
    told(detail, f"tournament {number} has {rounds} rounds now, and is {detail.stage}", url)


@click.command(epilog="\b\nExamples:\n  palio tournament add 3 eve\n  palio tournament add 3 eve --bye 2 --bye 3")
@number_argument
@click.argument("bot")
@click.option("--rating", type=float, help="What seeds it.")
@click.option("--bye", "byes", type=click.IntRange(1), multiple=True, metavar="ROUND",
              help="A round for which it has half a point; may be repeated.")  # fmt: skip
@server_option
@token_option
@runs
async def add(
    *, number: int, bot: str, rating: float | None, byes: tuple[int, ...], url: str | None, token: str | None
) -> None:
    """Enter BOT in tournament N, by its own token or an organiser's."""
    wanted = {"bot": bot} | ({"byes": byes} if byes else {}) | ({} if rating is None else {"rating": rating})
    detail = await asked(url, token, "POST", f"tournaments/{number}/entries", wanted)
    entry = next(entry for entry in detail.entries if entry.bot == bot)
    absent = "" if entry.connected else "; it is not connected yet"
    say(f"{bot} is number {entry.number} of tournament {number}, from round {entry.joined} on{absent}")


@click.command(epilog="\b\nExample:\n  palio tournament withdraw 3 eve")
@number_argument
@click.argument("bot")
@server_option
@token_option
@runs
async def withdraw(*, number: int, bot: str, url: str | None, token: str | None) -> None:
    """Let BOT play no more in tournament N; what it has not begun is forfeited."""
    await asked(url, token, "DELETE", f"tournaments/{number}/entries/{part(bot)}")
    say(f"{bot} has left tournament {number}")


# `palio tournament create`: an organiser's settings, sent to a server.


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
@odds_option
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
@rated_option
@click.option("--grace", "grace_s", type=click.FloatRange(0, 86_400), metavar="SECONDS",
              help="How long a bot may stay away before it forfeits (default: 60).")  # fmt: skip
@click.option("--trf", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="Take bots, ratings, byes and rounds from a TRF file that has no results yet.")  # fmt: skip
@click.option("--name", default="", help="What viewers read (default: game and format).")
@click.option("--admits", type=click.Choice(["listed", "token", "open"]), default="listed", show_default=True,
              help="Who else takes part: no bot, bots that enter by their tokens, or all connected bots.")  # fmt: skip
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
    odds: tuple[str, ...],
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
        "times": {bot: str(own) for bot, own in odds_of(odds, ()).items()} or None,
        "openings": openings,
        "trf": None if trf is None else decoded(await asyncio.to_thread(trf.read_bytes)),
        "book": await asyncio.to_thread(_book, openings, name),
        "starts_at": _zoned(starts_at),
    } | more
    detail = await asked(url, token, "POST", "tournaments", {k: v for k, v in wanted.items() if v is not None})
    told(detail, f"tournament {detail.id} is {detail.stage}: {detail.name}", url, as_json=as_json)
    if detail.note and detail.admits == "listed":  # else bots that are missing may enter yet
        say(f"palio: {detail.note}", err=True)
    await _warn_of_unseen(detail, url, token)


PAGE = 200  # profiles in an answer, the most that a server gives


async def _warn_of_unseen(detail: "TournamentDetail", url: str | None, token: str | None) -> None:
    """Print a warning for each entry that the server has never seen, which is probably a typing error.

    The server keeps names that it has never seen, because their bots may come later.
    """
    absent = [entry.bot for entry in detail.entries if not entry.connected]
    for name in absent:
        if name not in (similar := await _known(name, url, token)):
            close = get_close_matches(name, similar or await _known("", url, token), n=1)
            guess = f"; did you mean {close[0]!r}?" if close else ""
            say(f"palio: the server has never seen {name!r}{guess}", err=True)
            say(f"palio: take it out with: palio tournament withdraw {detail.id} {name}", err=True)


async def _known(part_of_name: str, url: str | None, token: str | None) -> list[str]:
    """Return the names of the bots that a server knows and that contain this text."""
    from palio_server.api.bot_reader import Profiles
    from palio_server.cli.source import open_remote

    names: list[str] = []
    with open_remote(web(url), token) as remote:
        while True:
            answer = await remote.get("profiles", q=part_of_name, limit=PAGE, offset=len(names))
            page = msgspec.json.decode(answer, type=Profiles)
            names += [profile.name for profile in page.bots]
            if not page.bots or len(names) >= page.total or len(names) >= 5 * PAGE:
                return names


def _rated(bots: tuple[str, ...]) -> tuple[list[str], dict[str, float]]:
    """Return `ann` and `bob=1650`: names, and ratings by name. Raises BadOption."""
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


def _book(openings: str, game: str) -> tuple[str, ...] | None:
    """Return the lines of a book's file, which is on this machine and not on the server's. Raises BadOption."""
    from palio_server.tournament.openings.choice import parse_openings

    return parse_openings(openings).read(game).lines if openings else None


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


EXAMPLES = """
\b
Examples:
  palio tournament create breakthrough ann bob cid --format swiss --rounds 5 --start
  palio tournament create breakthrough --format knockout --admits token --starts-at +30m
  palio tournament show 3 --rounds
  palio tournament why 3 2 1
  palio tournament export 3 cup.csv
"""

ENDS: "dict[str, Form]" = {".json": "json", ".csv": "csv", ".md": "md", ".trf": "trf", ".txt": "text"}


@click.group(cls=Group, epilog=EXAMPLES)
def tournament() -> None:
    """Make and run tournaments on a standing server; show and export those that were played anywhere."""


@tournament.command("list", epilog="\b\nExamples:\n  palio tournament list\n  palio tournament list --stage running")
@click.option("--stage", type=click.Choice(["open", "running", "paused", "finished", "cancelled"]), help="Only these.")
@click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True, help="How many at most.")
@json_option
@with_events
async def list_(events: "Events", *, stage: "Stage | None", limit: int, as_json: bool) -> None:
    """List tournaments, the newest first."""
    from palio_server.cli.event_source import listed

    found = await events.tournaments(stage, limit)
    if as_json:
        show_json(found)
    elif not found:
        say(f"no such tournament in {events.where}")
    else:
        listed(found)


@tournament.command(epilog="\b\nExamples:\n  palio tournament show 3\n  palio tournament show 3 --rounds --json")
@number_argument
@click.option("--rounds", is_flag=True, help="All pairings, too.")
@json_option
@with_events
async def show(events: "Events", *, number: int, rounds: bool, as_json: bool) -> None:
    """Show tournament N: how far it is, who stands where, and with --rounds who met whom."""
    from palio_server.cli.event_source import show_detail, show_rounds

    detail = await events.show(number)
    pairings = await events.rounds(number) if rounds else []
    if as_json:
        value = msgspec.to_builtins(detail) | ({"pairings": msgspec.to_builtins(pairings)} if rounds else {})
        show_json(value)
        return
    show_detail(detail)
    show_rounds(pairings)


@tournament.command(epilog="\b\nExample:\n  palio tournament why 3 2 1")
@number_argument
@click.argument("round_", type=click.IntRange(1), metavar="ROUND")
@click.argument("board", type=click.IntRange(1), metavar="BOARD")
@json_option
@with_events
async def why(events: "Events", *, number: int, round_: int, board: int, as_json: bool) -> None:
    """Say why those meet who sit at BOARD in ROUND of tournament N."""
    pairings = await events.rounds(number)
    boards = [each for item in pairings if item.round == round_ for each in item.encounters]
    found = next((each for each in boards if each.board == board), None)
    if found is None:
        there = f"boards 1 to {boards[-1].board}" if boards else f"{len(pairings)} rounds so far"
        raise BadOption(f"tournament {number} has no board {board} in round {round_}; there are {there}")
    answer = await events.why(number, found.number)
    if as_json:
        show_json(answer)
        return
    for sentence in answer.sentences:
        say(sentence)


@tournament.command(
    epilog="\b\nExamples:\n  palio tournament export 3 cup.csv\n  palio tournament export 3 - --format md"
)
@number_argument
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@click.option("--format", "form", type=click.Choice(sorted(set(ENDS.values()))),
              help="What to write (default: by the name of the file).")  # fmt: skip
@with_events
async def export(events: "Events", *, number: int, file: Path, form: "Form | None") -> None:
    """Write tournament N to FILE: standings (csv), cross-table (md), TRF, games (text), or all but these (json).

    The end of FILE says which (.csv .md .trf .txt .json); - is the screen.
    """
    if form is None and file.suffix.lower() not in ENDS:
        raise BadOption(f"{file.name!r} does not say what to write; end it in {', '.join(ENDS)}, or give --format")
    data = await events.export(number, form or ENDS[file.suffix.lower()])
    if data.startswith(b"%"):  # games that are not in it, see `record_texts`
        note = data.splitlines()[0].decode()
        say(f"palio: {note.removeprefix('% ')}", err=True)
    if str(file) == "-":
        text = data.decode()
        sys.stdout.write(plain(text, lines=True) if sys.stdout.isatty() else text)
        return
    await asyncio.to_thread(write_whole, file, data)
    say(f"tournament {number} is in {file}", err=True)


for act in (create, start, pause, resume, cancel, extend, add, withdraw):
    tournament.add_command(act)
