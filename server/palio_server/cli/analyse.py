"""`palio analyse`: the value of each ply of a recorded match.

A client's process judges the plies; this side keeps and prints the results. Searching is part of the clients, which the
server must not import: the record goes out and the plies come back as JSON.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from palio_rules.completing import bot_spec
from palio_rules.game import Game
from palio_rules.records.boards import seat_name
from palio_rules.records.record import Analysis, JudgedPly, Record
from palio_server.cli.command import INTERRUPTED, CommandFailed
from palio_server.cli.event_loop import stop_signals
from palio_server.cli.options import json_option, with_source
from palio_server.cli.printing import columns, say, show_json_line
from palio_server.processes.hint_process import JudgeFailed, JudgeProcess, judging, positions

if TYPE_CHECKING:
    from palio_server.cli.source import Source

EXAMPLES = """
\b
Examples:
  palio analyse ID
  palio analyse ID --seconds 5 --url http://127.0.0.1:8000
  palio analyse ID --no-keep --json
  palio analyse ID --engine 'gtp:katago gtp -model NETWORK -config FILE'
"""

GOODBYE_S = 20.0  # seconds from SIGTERM to SIGKILL: it ends within a position, and a busy machine is slow


@click.command(epilog=EXAMPLES)
@click.argument("match")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=0.5,
    show_default=True,
    help="Time for each position.",
)
@click.option(
    "--engine",
    default="",
    metavar="SPEC",
    shell_complete=bot_spec,
    help="An engine of Go that judges positions, by kata-analyze or lz-analyze: gtp:COMMAND.",
)
@click.option("--no-keep", is_flag=True, help="Only print the analysis; the page does not show it.")
@json_option
@with_source
async def analyse(
    source: "Source", *, match: str, seconds: float, engine: str, no_keep: bool, as_json: bool
) -> int | None:
    """Analyse the finished MATCH: what can be proven at each ply, and which moves gave the result away.

    Prints a line a ply: ?? marks a move that gave a proven win or draw away, ? one that lost much. Keeps the analysis
    for the match's page; after Ctrl-C as far as it has come.
    """
    return await analyse_match(source, match, seconds, engine, keep=not no_keep, as_json=as_json)


async def analyse_match(
    source: "Source", match: str, seconds: float, engine: str = "", *, keep: bool, as_json: bool
) -> int | None:
    """Analyse, keep and print a finished match; return 130 after an interruption, with the part done so far.

    Raises CommandFailed if the process that judges fails; what it has judged by then is kept and printed.
    """
    record = await source.record(match)
    with stop_signals() as stop:
        plies, failure = await _judged(record, seconds, engine, stop)
        if failure and not plies:
            raise CommandFailed(failure)
        plies.sort(key=lambda ply: ply.ply)
        analysis = Analysis(match, seconds, tuple(plies), complete=len(plies) == positions(record))
        if keep and plies:  # even a Ctrl-C at the very end does not lose the finished part
            await source.keep_analysis(analysis)
    if as_json:
        show_json_line(analysis)
    else:
        for line in analysis_table(record, analysis):
            say(line)
    if analysis.complete:
        return None
    done = f"{len(plies)} of {positions(record)} positions"
    if failure:
        raise CommandFailed(f"{failure}; {done} were judged before")
    say(f"interrupted after {done}", err=True)
    return INTERRUPTED


async def _judged(record: Record, seconds: float, engine: str, stop: asyncio.Event) -> tuple[list[JudgedPly], str]:
    """Return the judged plies, as far as the process comes until `stop`, and its last line if it fails; else ""."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

    from palio_server.cli.ticker import bar

    plies: list[JudgedPly] = []
    async with judging(seconds, GOODBYE_S, engine) as judge:
        stopping = asyncio.ensure_future(_stop(judge, stop))
        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("positions"), TimeRemainingColumn())
        try:
            with bar(*columns) as progress:
                task = progress.add_task("", total=positions(record))
                async for ply in judge.plies(record):
                    plies.append(ply)
                    progress.advance(task)
        except JudgeFailed as error:
            return plies, str(error)
        finally:
            stopping.cancel()
    return plies, ""


async def _stop(judge: JudgeProcess, stop: asyncio.Event) -> None:
    await stop.wait()
    judge.stop()


def analysis_table(record: Record, analysis: Analysis) -> Iterator[str]:
    """Yield the lines to print."""
    rules, bots = record.setup.rules(), record.setup.bots
    race = rules.kind == "race"
    cells = [["ply", "bot", "move", "", *(["to go", "cost"] if race else ["then"]), "better"]]
    for ply in analysis.plies:
        bot = bots[ply.seat] if ply.ply else ""
        after = _of_race(ply) if race else [_against(rules, ply)]
        cells.append([str(ply.ply), bot, ply.move or "(start)", ply.mark or "", *after, ply.best])
    yield from columns(cells, left={1, 2, 3, 6} if race else {1, 2, 3, 4, 5}).splitlines()
    yield ""
    marks = Counter((ply.seat, ply.mark) for ply in analysis.plies if ply.mark)
    for seat, bot in enumerate(bots):
        yield f"{bot} ({seat_name(rules, seat)}): {marks[seat, '??']} ??, {marks[seat, '?']} ?"


def _against(rules: Game[Any, Any], ply: JudgedPly) -> str:
    """Return the position after a ply: the proven winner, or the evaluation of each seat."""
    winner = next((seat for seat, verdict in enumerate(ply.verdicts) if verdict == "win"), None)
    if winner is not None:
        if ply.distance == 0:
            return f"{rules.seats[winner]} has won"
        return f"{rules.seats[winner]} wins{'' if ply.distance is None else f' within {ply.distance}'}"
    if "draw" in ply.verdicts:
        return "draw"
    values = ply.values[:1] if rules.kind == "duel" else ply.values
    return " ".join("-" if value is None else f"{value + 0.0:+.2f}" for value in values)


def _of_race(ply: JudgedPly) -> list[str]:
    """Return the least remaining cost, and the cost of the race then."""
    verdict = ply.verdicts[0] if ply.verdicts else None
    value = ply.values[0] if ply.values else None
    left = "never" if verdict == "loss" else "-" if ply.distance is None else str(ply.distance)
    return [left, "-" if value is None else f"{value:g}"]
