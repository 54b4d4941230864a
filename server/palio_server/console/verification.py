"""`palio verify`: every record against the rules, every sum against the records."""

import click
from rich.console import Console
from rich.progress import Progress

from palio_db.store import Store
from palio_rules.record import fault
from palio_server.console.stores import open_store


async def check_all(db: str | None, game: str | None) -> int:
    """Print what is wrong, and a summary; 1 if anything is."""
    async with open_store(db) as store:
        matches, wrong = await _check_records(store, game)
        sums = await store.audit()
    for sentence in sums:
        click.echo(sentence)
    click.echo(f"{matches} matches replayed, {wrong} do not reproduce, {len(sums)} sums are wrong")
    return 1 if wrong or sums else 0


async def _check_records(store: Store, game: str | None) -> tuple[int, int]:
    matches = wrong = 0
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("replaying", total=None)
        async for record in store.records(game):
            matches += 1
            if sentence := fault(record):
                wrong += 1
                click.echo(f"{record.match} ({record.setup.game}, {' vs '.join(record.setup.bots)}): {sentence}")
            progress.advance(task)
    return matches, wrong
