"""`palio archive` and `palio retain`: old matches' moves leave the database for a Parquet file.

First the file is written, and is on the disk; then it is read back, and each match that is the same in the database
loses its moves there. So a crash at any moment loses nothing: the same command again finishes what is left.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from palio_rules.completing import a_file
from palio_rules.errors import BadOption
from palio_server.cli.command import CommandFailed, runs
from palio_server.cli.options import db_option, game_option
from palio_server.cli.printing import say

if TYPE_CHECKING:
    from palio_db.archives import ArchiveResult
    from palio_db.event_values import KeptMatch, KeptQuery
    from palio_db.store import Store

ARCHIVE_EXAMPLES = """
\b
Examples:
  palio archive --before 1y -o 2026.parquet
  palio archive --before 2026-01-01 --game chess -o chess.parquet
  palio archive --tournament 3 -o cup.parquet
  palio import cup.parquet                            brings the moves back
"""
RETAIN_EXAMPLES = """
\b
Examples:
  palio retain --keep 90d --archives /var/lib/palio/archives
  PALIO_KEEP=90d PALIO_ARCHIVES=/archives palio retain      for a timer
"""

BATCH = 200  # matches in one transaction
NAME = "until-{day}.parquet"  # of a file of `palio retain`


@click.command(epilog=ARCHIVE_EXAMPLES)
@click.option("--before", metavar="WHEN", help="Matches that were scheduled before 90d ago, 1y ago, or 2026-12-31.")
@click.option("--tournament", type=click.IntRange(1), help="Only matches of this tournament, which must be over.")
@game_option
@click.option("-o", "--output", metavar="FILE", required=True, shell_complete=a_file, help="A new file: 2026.parquet.")
@db_option
@runs
async def archive(*, before: str | None, tournament: int | None, game: str | None, output: str, db: str | None) -> None:
    """Move the moves of finished matches out of the database, into a Parquet file.

    Results, ratings, leaderboards, standings and links stay. Matches of tournaments that are not over stay, too. If the
    command was interrupted, the same command again goes on with its file. `palio import FILE` brings the moves back.
    """
    from palio_db.event_values import KeptQuery
    from palio_server.cli import printing
    from palio_server.cli.source import open_store

    if before is None and tournament is None:
        raise BadOption("which matches? Give --before 1y, or --tournament N")
    until = None if before is None else printing.since(before, datetime.now(UTC))
    query = KeptQuery(game=game, tournament=tournament, until=until, settled=True)
    path = Path(output)
    if path.suffix != ".parquet":
        raise BadOption(f"--output {output}: an archive is a Parquet file; name it like 2026.parquet")
    async with open_store(db) as store:
        former = _is_file(path)
        await _archive(store, query, path)
        if former and (left := await store.archivable(query)):
            say(f"{left} more fit, which {path} does not have; archive them into another file")


@click.command(epilog=RETAIN_EXAMPLES)
@click.option("--keep", metavar="AGE", help="Leave newer matches their moves: 90d, 1y (default: PALIO_KEEP).")
@click.option("--archives", metavar="FOLDER", shell_complete=a_file,
              help="Move others there, a file for each day (default: PALIO_ARCHIVES).")  # fmt: skip
@db_option
@runs
async def retain(*, keep: str | None, archives: str | None, db: str | None) -> None:
    """Archive all matches that are older than a rule says; for a timer, while the server runs.

    What an interrupted run has left is finished first.
    """
    from palio_db.event_values import KeptQuery
    from palio_server.cli import printing
    from palio_server.cli.source import open_store
    from palio_server.settings import load

    settings = load(db=db, keep=keep, archives=archives)
    age = printing.span(settings.keep)
    if age is None or age < timedelta(days=1):
        given = f"--keep {settings.keep[:40]!r} is no age" if settings.keep else "how long do matches keep their moves?"
        raise BadOption(f"{given}; give --keep 90d, or 1y, a day at least")
    if not settings.archives:
        raise BadOption("where to? Give --archives FOLDER, or set PALIO_ARCHIVES")
    until = (datetime.now(UTC) - age).replace(hour=0, minute=0, second=0, microsecond=0)
    path = Path(settings.archives) / NAME.format(day=f"{until:%Y-%m-%d}")
    newest = _newest(path.parent)
    async with open_store(db) as store:
        if newest is not None and newest != path:
            await _move(store, newest)
        await _archive(store, KeptQuery(until=until, settled=True), path)


def _newest(folder: Path) -> Path | None:
    """Return the newest file in a folder of archives, and remove what a killed run left. Raises BadOption."""
    if not folder.is_dir():
        raise BadOption(f"--archives {folder} is no folder; make it first")
    for rest in folder.glob(f".{NAME.format(day='*')}.*.part"):
        rest.unlink(missing_ok=True)
    return max(folder.glob(NAME.format(day="*")), default=None)


async def _archive(store: "Store", query: "KeptQuery", path: Path) -> None:
    """Write a file of the matches that fit, unless it is there, and move them. Raises BadOption, CommandFailed."""
    count = await store.archivable(query)
    if _is_file(path):
        say(f"{path} is there already; what it has, and the database still has, is moved")
    elif not count:
        say("no finished match with moves fits; nothing is archived")
        return
    else:
        await _write(store, query, path)
    _tell(path, await _move(store, path))


def _is_file(path: Path) -> bool:
    return path.exists()


async def _write(store: "Store", query: "KeptQuery", path: Path) -> None:
    """Write the file; it has its name when it is whole and on the disk."""
    from palio_db.errors import Unreadable
    from palio_server.addons.transfer.export_job import ExportJob, planned
    from palio_server.cli.ticker import bar

    plan = planned("parquet", ("matches",), str(path), force=False, positions=False, records=True, raw=False)
    with ExitStack() as stack, bar() as progress:
        job = ExportJob(plan, stack)
        job.open()
        task = progress.add_task("writing", total=None)
        async for kept in store.kept_matches(query):
            sentence = kept.what if isinstance(kept, Unreadable) else job.add(kept)
            if sentence is not None:
                say(f"palio: {sentence}; it stays in the database", err=True)
            progress.advance(task)
        if not job.matches:
            raise CommandFailed("no match that fits can be written; nothing is archived")


async def _move(store: "Store", path: Path) -> "ArchiveResult":
    """Take the moves of the file's matches out of the database, as far as they are the same there."""
    from palio_db.archives import ArchiveResult
    from palio_server.cli.source import command_line
    from palio_server.cli.ticker import bar

    total, by = ArchiveResult(), command_line()
    with bar() as progress:
        task = progress.add_task("moving", total=None)
        for batch in _batches(path):
            total += await store.archive(batch, path.name, by=by)
            progress.advance(task, len(batch))
    return total


def _batches(path: Path) -> "Iterator[list[KeptMatch]]":
    """Yield the matches of an archive, a transaction's worth at a time. Raises CommandFailed."""
    from palio_server.addons.transfer.reading import Fault, read_records

    batch: list[KeptMatch] = []
    for found in read_records(path):
        if isinstance(found, Fault):
            what = f"{path}, {found.place}: {found.sentence}; nothing of it is taken out of the database from here on"
            raise CommandFailed(what)
        batch.append(found.match)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _tell(path: Path, done: "ArchiveResult") -> None:
    more = [
        *([f"{done.before} were archived before"] if done.before else []),
        *([f"{done.gone} are not in the database"] if done.gone else []),
    ]
    say("; ".join([f"{done.moved} matches are archived in {path}", *more]))
    if done.changed:
        named = ", ".join(done.changed[:5])
        say(f"palio: {len(done.changed)} differ from the file and stay in the database: {named}", err=True)
