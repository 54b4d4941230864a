"""Why a tournament is not where it should be: a sentence, kept among its settings, so that it survives a restart."""

from palio_db.errors import NotFound
from palio_db.event_values import TournamentRow
from palio_db.store import Store

NOTE = "note"  # among the settings


def note_of(row: TournamentRow | None) -> str:
    """A start that has to wait, a pause that nobody asked for; "" if all is well."""
    return "" if row is None else str(row.settings.get(NOTE, ""))


async def keep_note(store: Store, number: int, note: str) -> None:
    """Keep another note, "" for none. Raises StoreError, NotFound among others."""
    row = await store.tournament(number)
    if row is None:
        raise NotFound(f"there is no tournament {number}; `palio tournament list` shows them")
    if note == note_of(row):
        return
    others = {key: value for key, value in row.settings.items() if key != NOTE}
    await store.set_settings(number, {**others, NOTE: note} if note else others)
