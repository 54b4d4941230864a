"""An event as the store has it, put together: its rules, its entrants, its encounters and what has come of them."""

from collections import Counter
from dataclasses import dataclass

from msgspec import UNSET

from palio_db.errors import NotFound
from palio_db.event_values import EventMatch, TournamentRow
from palio_db.store import Store
from palio_rules.records.record import Record
from palio_server.tournament.entrants import BROKEN
from palio_server.tournament.event import Event
from palio_server.tournament.format import Format, format_of


@dataclass(slots=True)
class StoredEvent:
    """An event, and how it is played. Whoever directs it keeps it up to date."""

    row: TournamentRow
    format: Format
    event: Event


async def stored_event(store: Store, number: int) -> StoredEvent:
    """Tournament `number` as it stands. Raises NotFound, StoreError, and BadOption if its format is not installed."""
    row = await store.tournament(number)
    if row is None:
        raise NotFound(f"there is no tournament {number}; palio tournament list shows them")
    event = Event(row.game, row.entries)
    event.broken = row.settings.get(BROKEN, {})
    for planned in await store.encounters(number):
        event.add(planned)
    for match in await store.event_matches(number):
        if match.encounter <= len(event.encounters):  # what another has planned between the two is read later
            event.note(match)
    return StoredEvent(row, format_of(row.format, row.rules), event)


def played(match: EventMatch, record: Record) -> EventMatch:
    """The match with the result that its record has, as the store would give it."""
    result, spent = record.result, Counter[int]()
    for ply in record.plies:
        spent[ply.seat] += ply.ms
    return EventMatch(
        match=match.match,
        encounter=match.encounter,
        game=match.game,
        bots=match.bots,
        status="finished",
        scores=tuple(result.scores),
        ms=tuple(spent[seat] for seat in range(len(match.bots))),
        costs=None if result.finishes is UNSET else tuple(finish.cost for finish in result.finishes),
        fought=bool(record.plies) or result.termination == "rule",
        termination=result.termination,
    )
