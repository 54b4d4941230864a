"""`palio verify`: every record against the rules, every sum against the records."""

import click
from rich.console import Console
from rich.progress import Progress

from palio_db.errors import Unreadable
from palio_db.store import Store
from palio_rules.plain_text import plain
from palio_rules.record import Record, fault
from palio_server.console.field import is_race
from palio_server.console.stores import open_store
from palio_server.tournament.score_lines import versus


async def check_all(db: str | None, game: str | None) -> int:
    """Print what is wrong, and a summary; 1 if anything is."""
    async with open_store(db) as store:
        matches, wrong = await _check_records(store, game)
        sums = await store.audit()
    for sentence in sums:
        click.echo(sentence)
    click.echo(f"{matches} matches replayed, {wrong} do not reproduce, {len(sums)} sums are wrong")
    return 1 if wrong or sums else 0


def _wrong(record: Record | Unreadable) -> str | None:
    """What is wrong with a record; None if nothing is."""
    if isinstance(record, Unreadable):
        return record.what
    bots = versus(record.setup.bots, race=is_race(record.setup.game))
    return f"{record.match} ({record.setup.game}, {bots}): {found}" if (found := fault(record)) else None


async def _check_records(store: Store, game: str | None) -> tuple[int, int]:
    matches = wrong = 0
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("replaying", total=None)
        async for record in store.records(game):
            matches += 1
            if sentence := _wrong(record):
                wrong += 1
                click.echo(plain(sentence))
            progress.advance(task)
    return matches, wrong
