"""`palio analyse`: a client's process judges the plies, this side keeps and prints what it says.

Searching is the clients' business, and no import leads there: the record goes out and the plies come back as JSON.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import click
import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from palio_rules.analysis import Analysis, JudgedPly
from palio_rules.record import Record
from palio_server.console import tether
from palio_server.console.judged import judged_table
from palio_server.console.sources import Source
from palio_server.console.stop_signals import stop_signals

INTERRUPTED = 130
GOODBYE_S = 20.0  # from SIGTERM to SIGKILL: it ends within a position, and a busy machine is slow
LINE_BYTES = 1 << 20  # of JSON, at most


class AnalysisFailed(Exception):
    """The client's process could not do it; the message is its last sentence."""


async def analyse_match(source: Source, match: str, seconds: float, *, keep: bool, as_json: bool) -> int | None:
    """Analyse, keep and print a finished match; 130 if it was interrupted, with what is done until then."""
    record = await source.record(match)
    with stop_signals() as stop:
        plies = await _judged(record, seconds, stop)
        plies.sort(key=lambda ply: ply.ply)
        analysis = Analysis(match, seconds, tuple(plies), complete=len(plies) == _positions(record))
        if keep and plies:  # not even a Ctrl-C at the very end loses what is done
            await source.keep_analysis(analysis)
    if as_json:
        click.echo(msgspec.json.encode(analysis))
    else:
        for line in judged_table(record, analysis):
            click.echo(line)
    if analysis.complete:
        return None
    click.echo(f"interrupted after {len(plies)} of {_positions(record)} positions", err=True)
    return INTERRUPTED


def _positions(record: Record) -> int:
    return 1 + len(record.setup.opening) + len(record.plies)


async def _judged(record: Record, seconds: float, stop: asyncio.Event) -> list[JudgedPly]:
    """What the process says of each ply, as far as it comes until `stop`. Raises AnalysisFailed."""
    plies: list[JudgedPly] = []
    async with _process(seconds) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        words = asyncio.ensure_future(process.stderr.read())
        stopping = asyncio.ensure_future(_stop(process, stop))
        try:
            with suppress(ConnectionError):  # it did not want all of it; its last words say why
                process.stdin.write(msgspec.json.encode(record))
                await process.stdin.drain()
                process.stdin.close()
            with _progress() as progress:
                task = progress.add_task("", total=_positions(record))
                async for line in process.stdout:
                    if line.endswith(b"\n"):  # else it was killed in the middle of it
                        plies.append(msgspec.json.decode(line, type=JudgedPly))
                        progress.advance(task)
            code = await process.wait()
        finally:
            stopping.cancel()
        said = (await words).decode(errors="replace").strip()
    if code != 0 and not stop.is_set():
        raise AnalysisFailed(said.splitlines()[-1].removeprefix("Error: ") if said else f"it ended with code {code}")
    return plies


@asynccontextmanager
async def _process(seconds: float) -> AsyncIterator[asyncio.subprocess.Process]:
    """A client that judges what comes on its stdin; it ends with the block, and with this process, whatever happens."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        tether.__file__,
        str(os.getpid()),
        str(GOODBYE_S),
        *(sys.executable, "-m", "palio_clients", "analyse", "-", "--seconds", str(seconds)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=LINE_BYTES,
        start_new_session=True,  # the terminal's Ctrl-C is for us; we tell it
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.terminate()
            await process.wait()


async def _stop(process: asyncio.subprocess.Process, stop: asyncio.Event) -> None:
    await stop.wait()
    with suppress(ProcessLookupError):
        process.terminate()


def _progress() -> Progress:
    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("positions"), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)
