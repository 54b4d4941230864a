"""What `palio match` does: on a database or on a running server."""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import click
import msgspec
from rich.console import Console
from rich.live import Live
from rich.text import Text

from palio_rules.errors import BadOption
from palio_rules.record import Record
from palio_rules.record_text import record_to_text
from palio_server.console.field import entrants, is_race, places, standings
from palio_server.console.remote import Remote
from palio_server.console.sources import Listed, Source
from palio_server.console.spectator import Spectator
from palio_server.console.terminal import show_table
from palio_server.live.replay import ended, replay_record
from palio_server.tournament.score_lines import outcome, versus

PAGE = 500  # matches asked for at once


async def start_match(remote: Remote, wanted: Mapping[str, Any], *, as_json: bool) -> None:
    """Ask a server for a match, or for several, and say which."""
    body = {"opening_plies" if name == "openings" else name: value for name, value in wanted.items()}
    answer = await remote.post("matches", {name: value for name, value in body.items() if value is not None})
    if as_json:
        click.echo(answer.decode())
        return
    bots = versus(wanted["bots"], race=is_race(wanted["game"]))
    for match in msgspec.json.decode(answer)["matches"]:
        click.echo(f"match {match}: {bots}, {wanted['time']}; follow it with: palio watch {match} --url {remote.url}")


async def list_matches(source: Source, *, as_json: bool, **wanted: Any) -> None:
    """Print matches, the newest first."""
    found = await source.matches(**wanted)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)))
        return
    if not found:
        click.echo(f"no such match in {source.where}")
        return
    head = ["match", "game", "bots", "result", "how", "plies", "event"]
    show_table([head, *map(_line, found)], left={0, 1, 2, 3, 4, 6})


async def show_match(source: Source, match: str) -> None:
    """Print a finished match move by move."""
    for line in _spectator(await source.record(match)).introduction():
        click.echo(line)


async def replay_match(source: Source, match: str, delay: float) -> None:
    """Draw a finished match, `delay` seconds a move; without a screen, print every board."""
    record = await source.record(match)
    played = replay_record(record)
    console = Console()
    with ExitStack() as stack:
        display = stack.enter_context(Live(console=console, auto_refresh=False)) if console.is_terminal else None
        for number, view in enumerate(played.views):
            opening = len(played.views) - 1 - len(played.lines)
            line = _move(played, number - 1 - opening)
            result = record.result if number == len(played.views) - 1 else None
            board = view.text if view.race is None else f"{view.text}\n\n{standings(played.summary, view, result)}"
            if display is None:
                click.echo(f"{line}\n{board}\n")
            else:
                display.update(Text(f"{match}\n\n{board}\n\n{line}"), refresh=True)
                await asyncio.sleep(delay)
    for line in _spectator(record).ending():
        click.echo(line)


async def export_matches(
    source: Source, ids: Sequence[str], game: str | None, tournament: int | None, form: str, output: Path | None
) -> None:
    """Write records as text, or as JSON lines."""
    with ExitStack() as stack:
        file: IO[str] = sys.stdout
        if output is not None:
            file = stack.enter_context(output.open("w", encoding="utf-8", newline="\n"))
        number = 0
        async for record in _records(source, ids, game, tournament):
            if form == "json":
                file.write(msgspec.json.encode(record).decode() + "\n")
            else:
                file.write(("\n" if number else "") + record_to_text(record))
            number += 1
    if not number:
        raise BadOption(f"no finished match in {source.where} is like that; `palio match list` shows what there is")
    if output is not None:
        click.echo(f"{number} records are in {output}", err=True)


async def _records(
    source: Source, ids: Sequence[str], game: str | None, tournament: int | None
) -> AsyncIterator[Record]:
    """The wanted ones, or all finished ones in the order in which they were scheduled."""
    if not ids:
        listed: list[str] = []
        while True:
            page = await source.matches(
                game=game, tournament=tournament, status="finished", limit=PAGE, before=listed[-1] if listed else None
            )
            listed += [match.id for match in page]
            if len(page) < PAGE:
                break
        ids = listed[::-1]
    for match in ids:
        yield await source.record(match)


def _line(match: Listed) -> list[str]:
    race = is_race(match.game)
    result = match.status
    if match.scores is not None:
        result = places(match.bots, match.scores) if race else outcome(match.scores)
    how = match.reason if match.termination in (None, "rule") else f"{match.termination}: {match.reason}"
    plies = "" if match.plies is None else str(match.plies)
    bots = entrants(match.bots) if race else versus(match.bots)
    return [match.id, match.game, bots, result, how or "", plies, match.event]


def _spectator(record: Record) -> Spectator:
    return Spectator(ended(record).snapshot())


def _move(played: Any, number: int) -> str:
    if number < 0:
        return "the first position"
    line = played.lines[number]
    return f"{line.ply}. {played.summary.seats[line.seat].bot} {line.move}"
