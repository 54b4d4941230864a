"""`palio match`: start matches, and look at those that were played."""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click
import msgspec
from msgspec import UNSET

from palio_rules.completing import game_spec
from palio_rules.errors import BadOption
from palio_rules.plain_text import plain, plain_json
from palio_rules.records.boards import ranks
from palio_rules.records.record import Record, Void
from palio_rules.registry import is_race
from palio_rules.time_control import TimeControl
from palio_rules.written_file import written
from palio_server.cli.command import Group, runs
from palio_server.cli.options import (
    game_option,
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
    with_source,
)
from palio_server.cli.printing import say, say_text, show_json, show_json_text, show_table
from palio_server.cli.spectator import Spectator, standings
from palio_server.tournament.score_lines import how_ended, outcome, versus

if TYPE_CHECKING:
    from palio_server.cli.source import Listed, Source, Wanted

EXAMPLES = """
\b
Examples:
  palio match start breakthrough mine random --tc 10+0.1
  palio match list --game dominoes --bot mine
  palio match show ID
  palio match replay ID --delay 0.5
  palio match export --game breakthrough -o games.txt
  palio match void ID --reason "both bots have one author"
"""

PAGE = 500  # matches asked for at once
NAMED = 3  # entrants of a race in a list of matches


@click.group(cls=Group, epilog=EXAMPLES)
def match() -> None:
    """Start matches between connected bots; list, show, replay and export those that were played."""


@match.command(
    epilog="\b\nExamples:\n  palio match start breakthrough mine random --tc 10+0.1\n"
    "  palio match start dominoes:rows=6,cols=6 a b --url https://palio.example --token palio_...\n"
    "  palio match start ./berlin52.tsp a b c --st 10"
)
@click.argument("game", shell_complete=game_spec)
@click.argument("bots", nargs=-1, required=True, metavar="BOT BOT...")
@tc_option
@st_option
@odds_option
@option_option
@click.option(
    "--rounds", type=click.IntRange(1, 100), default=1, help="How many matches, through all orders of the seats."
)
@click.option(
    "--openings",
    type=click.IntRange(0, 100),
    default=0,
    metavar="PLIES",
    help="Random plies before the bots take over.",
)
@click.option("--seed", type=click.IntRange(0), help="Seed of openings and instances (default: a random one).")
@click.option("--by-time", is_flag=True, help="In a race, rank equal costs by thinking time.")
@rated_option
@click.option("--event", default="", help="Name of the event that the match belongs to.")
@json_option
@server_option
@token_option
@runs
async def start(
    *,
    game: str,
    bots: tuple[str, ...],
    tc: str | None,
    st: str | None,
    odds: tuple[str, ...],
    options: tuple[str, ...],
    openings: int,
    as_json: bool,
    url: str | None,
    token: str | None,
    **more: object,
) -> None:
    """Let connected bots play a match of GAME on a running server; the first BOT moves first.

    GAME may be a file with an instance of a race. In a race all bots run at once.
    """
    from palio_server.cli.source import Remote

    name, settings, _ = game_or_instance(game, options)
    known_game(click.get_current_context(), None, name)
    time = TimeControl.parse(tc, st)
    times = {name: str(own) for name, own in odds_of(odds, bots).items()} or None
    wanted = {"game": name, "options": settings, "bots": bots, "time": time, "times": times} | more
    wanted["opening_plies"] = openings
    remote = Remote(url, token)
    answer = await remote.send("POST", "matches", {key: value for key, value in wanted.items() if value is not None})
    if as_json:
        show_json_text(answer.decode(errors="backslashreplace"))
        return
    who = versus(bots, race=is_race(name))
    for started in msgspec.json.decode(answer)["matches"]:
        say(f"match {started}: {who}, {time}; follow it with: palio watch {started} --url {remote.url}")


@match.command(
    "list", epilog="\b\nExamples:\n  palio match list --bot mine --limit 20\n  palio match list --status running --json"
)
@game_option
@click.option("--bot", help="Only matches of this bot.")
@click.option(
    "--status", type=click.Choice(["scheduled", "running", "finished", "aborted"]), help="Only matches of this status."
)
@click.option("--tournament", type=int, help="Only matches of this tournament.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="How many matches at most.")
@json_option
@with_source
async def list_(source: "Source", *, as_json: bool, **wanted: "Unpack[Wanted]") -> None:
    """List matches, the newest first."""
    found = await source.matches(**wanted)
    if as_json:
        show_json(found)
    elif not found:
        say(f"no such match in {source.where}")
    else:
        head = ["match", "game", "bots", "result", "how", "plies", "event"]
        show_table([head, *map(_listed, found)], left={0, 1, 2, 3, 4, 6})


@match.command(epilog="\b\nExamples:\n  palio match show ID\n  palio match show ID --url http://127.0.0.1:8000 --json")
@click.argument("match_id", metavar="ID")
@json_option
@with_source
async def show(source: "Source", *, match_id: str, as_json: bool) -> None:
    """Show how the match ID went: its moves, rejected ones too, the last position, the result.

    With --json its record, as `palio match export --format json` has it.
    """
    record = await source.record(match_id)
    if as_json:
        show_json(record)
        return
    for line in _spectator(record).introduction():
        say_text(line)
    if record.void is not UNSET:
        say(_void(record.void))


@match.command(
    epilog='\b\nExamples:\n  palio match void ID --reason "both bots have one author"\n'
    "  palio match void ID --undo\n"
    "  palio match void ID --reason rigged --url https://palio.example --token palio_..."
)
@click.argument("match_id", metavar="ID")
@click.option("--reason", help="Why; the match's record shows it publicly.")
@click.option("--undo", is_flag=True, help="Let it count again.")
@with_source
async def void(source: "Source", *, match_id: str, reason: str | None, undo: bool) -> None:
    """Let the finished match ID count for nothing; it stays, with its record.

    Ratings and all else that is counted are as if it had never been played. In an event it is as a match that was
    called off. All matches of a bot: palio bot void.
    """
    if undo:
        changed = await source.unvoid(match_id)
        say(f"match {match_id} counts again" if changed else f"match {match_id} was not void; it counts")
        return
    if reason is None:
        wrong = "--reason is missing: why does the match not count? Its record shows that publicly"
        raise click.UsageError(wrong, click.get_current_context())
    say(f"match {match_id} no longer counts: {_void(await source.void(match_id, reason))}")


@match.command(epilog="\b\nExamples:\n  palio match replay ID\n  palio match replay ID --delay 0.2")
@click.argument("match_id", metavar="ID")
@click.option(
    "--delay",
    type=click.FloatRange(0, 60),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="Time between two moves.",
)
@with_source
async def replay(source: "Source", *, match_id: str, delay: float) -> None:
    """Play the match ID again on the screen, move by move; Ctrl-C stops.

    Without a screen it prints every board.
    """
    await replay_match(await source.record(match_id), delay)


async def replay_match(record: Record, delay: float) -> None:
    """Draw every position of a match, `delay` seconds each; without a screen, print them."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from palio_server.live.replay import replay_record

    played = replay_record(record)
    opening = len(played.views) - 1 - len(played.lines)
    console = Console()
    with Live(console=console, auto_refresh=False) if console.is_terminal else nullcontext() as display:
        for number, view in enumerate(played.views):
            line = "the first position"
            if (ply := number - 1 - opening) >= 0:
                move = played.lines[ply]
                line = f"{move.ply}. {played.summary.seats[move.seat].bot} {move.move}"
            result = record.result if number == len(played.views) - 1 else None
            board = view.text if view.race is None else f"{view.text}\n\n{standings(played.summary, view, result)}"
            if display is None:
                say(line)
                say_text(f"{board}\n")
            else:
                shown = plain(f"{record.match}\n\n{board}\n\n{plain(line)}", lines=True)
                display.update(Text(shown), refresh=True)
                await asyncio.sleep(delay)
    for line in _spectator(record).ending():
        say_text(line)


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
@with_source
async def export(
    source: "Source", *, match_ids: tuple[str, ...], form: str, output: Path | None, **wanted: "Unpack[Wanted]"
) -> None:
    """Write records: of the matches ID..., or of all finished ones, oldest first. See docs/reference/records.md."""
    from palio_rules.records.text import record_to_text

    number = 0
    with nullcontext(None) if output is None else written(output) as file:
        ids = match_ids or [match async for match in _finished(source, wanted)][::-1]
        for number, match_id in enumerate(ids, 1):
            record = await source.record(match_id)
            if form == "json":
                text = plain_json(msgspec.json.encode(record).decode()) + "\n"
            else:
                text = ("\n" if number > 1 else "") + record_to_text(record)
            if file is not None:
                file.write(text.encode())
            else:
                sys.stdout.write(plain(text, lines=True) if sys.stdout.isatty() else text)
        if not number:
            raise BadOption(f"no finished match in {source.where} fits; `palio match list` shows what there is")
    if output is not None:
        say(f"{number} records are in {output}", err=True)


async def _finished(source: "Source", wanted: "Wanted") -> AsyncIterator[str]:
    """Yield the identities of finished matches, those scheduled last first."""
    wanted = {**wanted, "status": "finished", "limit": PAGE}
    while page := await source.matches(**wanted):
        for match in page:
            yield match.id
        wanted["before"] = page[-1].id


def _listed(match: "Listed") -> list[str]:
    race = is_race(match.game)
    result = match.status
    if match.scores is not None:
        result = first_places(match.bots, match.scores) if race else outcome(match.scores)
    how = how_ended(match.termination, match.reason, match.detail)
    if match.void is not None:
        how = f"void: {match.void.reason}"
    plies = "" if match.plies is None else str(match.plies)
    bots = first_entrants(match.bots) if race else versus(match.bots)
    return [match.id, match.game, bots, result, how, plies, match.event]


def _void(void: Void) -> str:
    return f"void since {void.at:%Y-%m-%d %H:%M} UTC, by {void.by}: {void.reason}"


def first_entrants(bots: Sequence[str]) -> str:
    """Return `ann, bob, cid and 61 more`: the first of many names."""
    return ", ".join(bots[:NAMED]) + (f" and {len(bots) - NAMED} more" if len(bots) > NAMED else "")


def first_places(bots: Sequence[str], scores: Sequence[float]) -> str:
    """Return `1. bob 2. ann 2. cid`: the first by the scores of a finished race, if no more is known of it."""
    placed = ranks([-score for score in scores])
    order = sorted(range(len(bots)), key=placed.__getitem__)
    return " ".join(f"{placed[entrant]}. {bots[entrant]}" for entrant in order[:NAMED])


def _spectator(record: Record) -> Spectator:
    from palio_server.live.replay import ended

    return Spectator(ended(record).snapshot())
