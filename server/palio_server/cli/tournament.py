"""`palio tournament`: events on a standing server: made, entered, played; and looked at, wherever they were played."""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from palio_rules.errors import BadOption
from palio_rules.plain_text import plain
from palio_server.cli.command import Group
from palio_server.cli.event_acts import add, cancel, extend, pause, resume, start, withdraw
from palio_server.cli.event_answers import number_argument
from palio_server.cli.event_create import create
from palio_server.cli.event_source import with_events
from palio_server.cli.options import json_option
from palio_server.cli.printing import say, show_json

if TYPE_CHECKING:
    from palio_db.event_values import Stage
    from palio_server.api.event_exports import Form
    from palio_server.cli.event_source import Events

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
    from palio_server.cli.event_report import listed

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
    from palio_server.cli.event_report import show_detail, show_rounds

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
    if str(file) == "-":
        text = data.decode()
        sys.stdout.write(plain(text, lines=True) if sys.stdout.isatty() else text)
        return
    await asyncio.to_thread(file.write_bytes, data)
    say(f"tournament {number} is in {file}", err=True)


for act in (create, start, pause, resume, cancel, extend, add, withdraw):
    tournament.add_command(act)
