"""`palio verify`: every record checked against the rules, every sum against the records."""

from typing import TYPE_CHECKING

import click

from palio_rules.records import Record, fault
from palio_rules.registry import is_race
from palio_server.cli.command import runs
from palio_server.cli.options import db_option, game_option
from palio_server.cli.printing import say
from palio_server.tournament.score_lines import versus

if TYPE_CHECKING:
    from palio_db.errors import Unreadable
    from palio_db.store import Store

EXAMPLES = """
\b
Examples:
  palio verify
  palio verify --game breakthrough --db postgresql://palio@db/palio
"""


@click.command(epilog=EXAMPLES)
@game_option
@db_option
@runs
async def verify(*, game: str | None, db: str | None) -> int | None:
    """Play every recorded match through the rules again, and add up every score again.

    Prints each match that does not reproduce and each sum that is wrong; ends with 1 if there is any.
    """
    return await check_all(db, game)


async def check_all(db: str | None, game: str | None = None) -> int:
    """Print the faults, and a summary; return 1 if there are any."""
    from palio_db.event_values import KeptQuery
    from palio_server.cli.source import open_store

    async with open_store(db) as store:
        await store.check_file()
        matches, wrong = await _check_records(store, game)
        sums = await store.recount()
        archived = sum((await store.archives(KeptQuery(game=game))).values())
    for sentence in sums:
        say(sentence)
    without = f" ({archived} are archived, without their moves)" if archived else ""
    say(f"{matches} matches replayed{without}, {wrong} do not reproduce, {len(sums)} sums are wrong")
    return 1 if wrong or sums else 0


async def _check_records(store: "Store", game: str | None) -> tuple[int, int]:
    """Print the faults of the records; return how many records there are, and how many are wrong."""
    from palio_server.cli.options import sources
    from palio_server.cli.ticker import bar

    matches = wrong = 0
    unknown = await sources(store)
    with bar() as progress:
        task = progress.add_task("replaying", total=None)
        async for record in store.records(game):
            matches += 1
            if isinstance(record, Record) and (source := unknown.get(record.setup.game)):
                sentence: str | None = _unplayed(record, source)
            else:
                sentence = _fault(record)
            if sentence:
                wrong += 1
                say(sentence)
            progress.advance(task)
    return matches, wrong


def _unplayed(record: "Record", source: str) -> str:
    game = record.setup.game
    return f"{record.match}: unknown game {game!r}; it was played from {source}: palio verify --game {source}"


def _fault(record: "Record | Unreadable") -> str | None:
    if not isinstance(record, Record):
        return record.what
    bots = versus(record.setup.bots, race=is_race(record.setup.game))
    return f"{record.match} ({record.setup.game}, {bots}): {found}" if (found := fault(record)) else None
