"""The check of matches lost because a bot was absent, or not ready."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from palio_rules.records.record import Record

if TYPE_CHECKING:
    from palio_simulation.ledger import Ledger


def wrong_absence(ledger: "Ledger", record: Record, decided_at: float, server: str) -> Iterator[str]:
    """Yield contradictions about a seat that has lost in that way, at that time on that server."""
    result = record.result
    if result.seat is None:
        return
    bot = record.setup.bots[result.seat]
    key = (server, record.match, bot)
    link, lost = ledger.introduced.get(key), f"{bot} has lost match {record.match} by {result.reason}"
    if link is None or any(start <= decided_at for start, _ in link.incarnation.paused):
        return  # what came while the server stood still is another matter
    since = ledger.introduced_at[key]
    if result.reason == "grace-over":
        begun = max(since, link.opened_at)
        if link.closed_at is None and decided_at - begun > record.setup.grace_ms / 1000 + 1.0:
            yield f"{lost}, and was there for {decided_at - begun:.1f} s"
    elif result.reason == "never-ready":
        ready_at = ledger.ready_at.get(key)
        if ready_at is not None and ready_at < since + record.setup.ready_ms / 1000:
            yield f"{lost}, and had said that it is ready after {(ready_at - since) * 1000:.0f} ms"
        if decided_at < since + record.setup.ready_ms / 1000 - 0.0005:
            yield f"{lost} after {(decided_at - since) * 1000:.0f} ms"
