"""`palio audit`: who has done what to this database."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from palio_server.cli.command import runs
from palio_server.cli.options import db_option, json_option
from palio_server.cli.printing import say, show_json, show_table

if TYPE_CHECKING:
    from palio_db.values import AuditLine

EXAMPLES = """
\b
Examples:
  palio audit
  palio audit --since 24h --by mine
  palio audit --since 2026-12-01 --json --db postgresql://palio@db/palio
"""


@click.command(epilog=EXAMPLES)
@click.option("--since", metavar="WHEN", help="Only what was done since then: 24h, 7d, 2026-12-31 (UTC).")
@click.option("--by", metavar="WHO", help="Only by names that contain this: a bot, a user, a token's beginning.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=100, show_default=True, help="How many at most.")
@json_option
@db_option
@runs
async def audit(*, since: str | None, by: str | None, limit: int, as_json: bool, db: str | None) -> None:
    """Show who issued, revoked, scheduled, stopped, voided or changed what, the newest last.

    Refused requests of organisers are there, too. In the database these lines cannot be changed or deleted; they lose
    addresses after 90 days (PALIO_AUDIT_ADDRESSES_DAYS of the server), and the names of forgotten bots.
    """
    from palio_server.cli.printing import since as moment_of
    from palio_server.cli.source import open_store

    begin = None if since is None else moment_of(since, datetime.now(UTC))
    async with open_store(db) as store:
        found = await store.audit(since=begin, by=by, limit=limit)
    if as_json:
        show_json(found)
    elif not found:
        say("nothing of that kind was done")
    else:
        _show(found)


def _show(found: Sequence["AuditLine"]) -> None:
    lines = [
        [str(each.id), f"{each.at:%Y-%m-%d %H:%M:%S}", each.who, each.address, each.act, each.what, _outcome(each)]
        for each in found
    ]
    show_table([["#", "at (UTC)", "who", "from", "act", "what", ""], *lines], left={1, 2, 3, 4, 5, 6})


def _outcome(line: "AuditLine") -> str:
    if line.outcome == "refused":
        return f"refused: {line.detail}"
    return line.detail
