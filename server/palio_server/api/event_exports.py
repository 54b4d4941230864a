"""Events as files: JSON of everything, CSV of the standings, the cross-table in Markdown, TRF, records of all games."""

from collections.abc import AsyncIterator
from typing import Literal

import msgspec

from palio_db.store import Store
from palio_rules.errors import BadOption
from palio_rules.records.text import record_to_text
from palio_server.api.event_items import RoundItem, TournamentDetail
from palio_server.api.event_views import EventView, as_rounds
from palio_server.tournament.exports import crosstable_markdown, event_trf, standings_csv

Form = Literal["json", "csv", "md", "trf", "text"]

TYPES = {
    "json": "application/json",
    "csv": "text/csv",
    "md": "text/markdown",
    "trf": "text/plain",
    "text": "text/plain",
}
TEXTS = frozenset(TYPES.values()) - {TYPES["json"]}
PAGE = 500  # matches read at once


class EventExport(msgspec.Struct, frozen=True):
    """Everything that is known of an event, but the games."""

    tournament: TournamentDetail
    rounds: list[RoundItem]


def exported(view: EventView, form: Form) -> str:
    """The event as JSON, CSV, Markdown or TRF; for "text" see `record_texts`.

    Raises BadOption where its format is gone, and of TRF for tables of three.
    """
    if form == "json":
        everything = EventExport(view.detail(), as_rounds(view))
        return msgspec.json.format(msgspec.json.encode(everything)).decode() + "\n"
    if view.event is None or view.format is None:
        raise BadOption(view.note)
    if form == "trf":
        return event_trf(view.event, view.format, view.row.name)
    return standings_csv(view.event, view.format) if form == "csv" else crosstable_markdown(view.event, view.format)


async def record_texts(store: Store, number: int) -> AsyncIterator[str]:
    """The records of its finished matches, much like PGN, the oldest first."""
    ids: list[str] = []
    while page := await store.matches(
        status="finished", tournament=number, limit=PAGE, before=ids[-1] if ids else None
    ):
        ids += [row.id for row in page]
    for place, match in enumerate(reversed(ids)):
        record = await store.record(match)
        if record is not None:
            yield ("\n" if place else "") + record_to_text(record)
