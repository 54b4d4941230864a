"""`palio export`: matches, plies and ratings as tables for pandas, R and spreadsheets, as PGN or SGF."""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from palio_rules.completing import a_file, one_of, some_of
from palio_rules.errors import BadOption, nearest
from palio_server.cli.command import runs
from palio_server.cli.completed_words import database
from palio_server.cli.options import db_option, game_option, token_option
from palio_server.cli.printing import say

if TYPE_CHECKING:
    from palio_db.event_values import KeptQuery
    from palio_server.addons.transfer.export_job import ExportJob, Plan
    from palio_server.cli.kept_sources import KeptSource


def _forms() -> Iterable[str]:
    from palio_server.addons.transfer.outputs import FORMS

    return FORMS


def _tables() -> Iterable[str]:
    from palio_server.addons.transfer.tables import TABLES

    return TABLES


EXAMPLES = """
\b
Examples:
  palio export -o matches.jsonl
  palio export --format parquet -o data/
  palio export --format csv --what plies --game breakthrough | head
  palio export --format pgn --tournament 3 -o spring-cup.pgn
  palio export --format sgf -o games/            # Go: a file for each game
  palio export autumn.db spring.db --since 2026-01-01 -o all.jsonl.gz
"""


@click.command(epilog=EXAMPLES)
@click.argument("sources", nargs=-1, metavar="[SOURCE]...", shell_complete=database)
@click.option(
    "--format",
    "form",
    metavar="FORMAT",
    shell_complete=one_of(_forms),
    help="jsonl, parquet, csv, pgn or sgf (default: as --output ends, or jsonl).",
)
@click.option(
    "--what",
    multiple=True,
    metavar="TABLE",
    shell_complete=some_of(_tables),
    help="matches, seats, plies, rejections or ratings; several with commas (default: matches; in a folder all).",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE|FOLDER|-",
    shell_complete=a_file,
    help="Where to; .gz and .zst pack a file (default: stdout, which is -).",
)
@click.option("--force", is_flag=True, help="Write over files that are there.")
@game_option
@click.option("--bot", metavar="NAME", help="Only matches of this bot; of the ratings, only its own.")
@click.option("--tournament", type=click.IntRange(1), help="Only matches of this tournament.")
@click.option("--since", metavar="WHEN", help="Only what was scheduled since 24h, 7d, 2026-12-31.")
@click.option("--until", metavar="WHEN", help="Only what was scheduled until then; a day is included.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="The newest N matches only.")
@click.option("--match", "matches", multiple=True, metavar="ID", help="This match only; may be repeated.")
@click.option(
    "--points", type=click.IntRange(1, 10_000), default=60, show_default=True, metavar="N",
    help="ratings: at so many moments, equally many results apart.",
)  # fmt: skip
@click.option("--no-positions", is_flag=True, help="seats, plies: leave the texts of positions empty.")
@click.option("--no-records", is_flag=True, help="parquet, pgn, sgf: without the complete records that import needs.")
@click.option("--raw", is_flag=True, help="csv: texts unchanged, though a spreadsheet may take one for a formula.")
@db_option
@click.option("--url", metavar="URL", envvar="PALIO_URL", help="Ask a running server (default: PALIO_URL).")
@token_option
@runs
async def export(
    *,
    sources: tuple[str, ...],
    form: str | None,
    what: tuple[str, ...],
    output: str | None,
    force: bool,
    no_positions: bool,
    no_records: bool,
    raw: bool,
    points: int,
    db: str | None,
    url: str | None,
    token: str | None,
    **wanted: Any,
) -> int | None:
    """Write finished matches, oldest first, their plies and ratings.

    docs/reference/data.md says what each column means.

    SOURCE is a database or the address of a running server; without one, --db or --url says where to read. Matches
    that are not finished are no part of it.
    """
    from palio_server.addons.transfer.export_job import planned

    query = _query(datetime.now(UTC), **wanted)
    plan = planned(form, what, output, force=force, positions=not no_positions, records=not no_records, raw=raw)
    if plan.form == "sgf":
        if query.game not in (None, "go"):
            raise BadOption(f"--format sgf is for go, not for {query.game}; take pgn or jsonl")
        query = replace(query, game="go")
    if sources and (db is not None or click.get_current_context().get_parameter_source("url") == _TYPED):
        raise BadOption("give either SOURCE or --db or --url; several sources may be named one after the other")
    places = [_place(text) for text in sources] or [(db, url)]
    async with AsyncExitStack() as opened:
        from palio_server.cli.kept_sources import open_kept

        found = [await opened.enter_async_context(open_kept(*place, token)) for place in places]
        return await _write(found, query, plan, points)


_TYPED = click.core.ParameterSource.COMMANDLINE


def _place(text: str) -> tuple[str | None, str | None]:
    """Return a database, or the address of a server."""
    return (None, text) if text.startswith(("http://", "https://")) else (text, None)


def _query(now: datetime, *, since: str | None, until: str | None, limit: int | None, **equal: Any) -> "KeptQuery":
    from palio_db.event_values import KeptQuery
    from palio_server.cli import printing

    first = None if since is None else printing.since(since, now)
    last = None if until is None else printing.since(until, now)
    if last is not None and until is not None and printing.span(until) is None and len(until) <= len("2026-12-31"):
        last += timedelta(days=1)  # the day itself is included
    if first is not None and last is not None and first >= last:
        raise BadOption("--since comes after --until; nothing fits both")
    return KeptQuery(since=first, until=last, newest=limit, **equal)


async def _write(sources: Sequence["KeptSource"], query: "KeptQuery", plan: "Plan", points: int) -> int:
    """Write all of it; return 1 if something had to be left out."""
    from palio_server.addons.transfer.export_job import ExportJob
    from palio_server.cli.ticker import bar

    await _check_bot(sources, query)
    left_out = 0
    with ExitStack() as stack:
        job = ExportJob(plan, stack)
        job.open()
        if plan.of_matches:
            counts = [await source.count(query) for source in sources]
            with bar() as progress:
                total = None if None in counts else sum(count or 0 for count in counts)
                task = progress.add_task("exporting", total=total)
                async for sentence in _matches(sources, query, job):
                    progress.advance(task)
                    if sentence is not None:
                        left_out += 1
                        say(f"palio: {sentence}", err=True)
            archived = await _archived(sources, query)
            if not job.matches and not left_out:
                remedy = archived or "`palio match list` shows what there is"
                raise BadOption(f"no finished match in {_named(sources)} fits; {remedy}")
            if archived:
                say(f"palio: {archived}", err=True)
        for source in sources if "ratings" in plan.paths else ():
            await _ratings(source, query, job, points)
    for sentence in (sentence for source in sources for sentence in source.lacking(records=plan.has_records)):
        say(f"palio: {sentence}", err=True)
    if None not in plan.paths.values():
        say(job.summary(), err=True)
    return 1 if left_out else 0


async def _archived(sources: Sequence["KeptSource"], query: "KeptQuery") -> str:
    """Return a sentence on archived matches that fit; "" without any."""
    from palio_db.archives import left_out

    found = Counter[str]()
    for each in sources:
        found.update(await each.archives(query))
    return left_out(found)


async def _matches(sources: Sequence["KeptSource"], query: "KeptQuery", job: "ExportJob") -> AsyncIterator[str | None]:
    """Write each match; yield its fault, if it has one. One that is in several sources is written once."""
    from palio_db.errors import Unreadable

    seen: set[str] = set()
    for source in sources:
        async for kept in source.kept(query):
            if isinstance(kept, Unreadable):
                yield kept.what
                continue
            if len(sources) > 1:
                if kept.match in seen:
                    continue
                seen.add(kept.match)
            yield job.add(kept)


async def _ratings(source: "KeptSource", query: "KeptQuery", job: "ExportJob", points: int) -> None:
    games = [query.game] if query.game is not None else await source.games()
    for game in sorted(games):
        rows = await source.ratings(game, points)
        fitting = [
            row
            for row in rows
            if query.bot in (None, row[1])
            and (query.since is None or row[2] >= query.since)
            and (query.until is None or row[2] < query.until)
        ]
        job.write("ratings", fitting)


async def _check_bot(sources: Sequence["KeptSource"], query: "KeptQuery") -> None:
    """Raise BadOption for a bot without matches, with the nearest name."""
    if query.bot is None:
        return
    for source in sources:
        async for _ in source.kept(replace(query, newest=1)):
            return
    known = {bot for source in sources for bot in await source.bots(query.game)}
    if query.bot in known:
        return
    raise BadOption(f"no finished match of {query.bot[:40]!r} is in {_named(sources)}; {nearest(query.bot, known)}")


def _named(sources: Sequence["KeptSource"]) -> str:
    return ", ".join(source.where for source in sources)
