"""The faults of a stored event: those in its matches are read from their records."""

from collections.abc import Callable, Iterator

from palio_db.errors import Archived
from palio_db.event_values import EventMatch
from palio_db.store import Store
from palio_rules.records.record import Record
from palio_server.tournament.event import Encounter, Event
from palio_server.tournament.event_faults import EventFault, unplayed_faults
from palio_server.tournament.fault_report import faults_in, last_words

DUEL = 2  # seats
MOST = 2_000  # records that are read, at some 2 ms each: more would hold up a report


def ignore(_record: Record) -> None:
    """Ignore a record."""


def unread(event: Event, most: int = MOST) -> str:
    """Return a sentence about matches whose records `event_faults` does not read; "" if it reads all that matter."""
    count = sum(1 for _ in _suspects(event))
    if count <= most:
        return ""
    if event.race or event.seats != DUEL:
        return f"faults are listed from the first {most} games; palio match list shows the others"
    return f"of the faults in {count} games the first {most} are explained, the others have their reason only"


async def event_faults(
    store: Store, event: Event, *, seen: Callable[[Record], None] = ignore, most: int = MOST, texts: bool = False
) -> list[EventFault]:
    """Return the faults of an event: first those without a match, then those of matches, in the order of games.

    At most `most` records are read; a duel beyond them, or an archived one, has its reason without a sentence.
    `seen` is called with each record that has a fault. With `texts`, for authors and staff, faults of a course's bots
    are told in their programs' own words, which its records do not have. Raises StoreError.
    """
    found, duels = unplayed_faults(event), event.seats == DUEL and not event.race
    for read, (encounter, match) in enumerate(_suspects(event)):
        record = await _record(store, match.match) if read < most else None
        told = [] if record is None else [(each.bot, each.reason, each.sentence) for each in faults_in(record)]
        if told and record is not None and texts:
            told = await _in_own_words(store, record, told)
        if record is not None and told:
            seen(record)
        if record is None and duels and match.scores is not None and match.termination is not None:
            told = [(match.bots[match.scores.index(min(match.scores))], match.termination, "")]
        for bot, reason, sentence in told:
            others = tuple(other for other in match.bots if other != bot)
            number = event.game_number(match)
            found.append(EventFault(bot, reason, sentence, 1, match.match, number, encounter.plan.round, others))
    return found


Told = list[tuple[str, str, str]]  # bot, reason, sentence


async def _in_own_words(store: Store, record: Record, told: Told) -> Told:
    made = dict(zip(record.setup.bots, record.setup.submissions or (), strict=False))
    said = await store.fault_texts(record.match) if made else {}
    return [(bot, why, last_words(said[made[bot]]) if made.get(bot) in said else text) for bot, why, text in told]


async def _record(store: Store, match: str) -> Record | None:
    try:
        return await store.record(match)
    except Archived:
        return None


def _suspects(event: Event) -> Iterator[tuple[Encounter, EventMatch]]:
    """Yield the finished matches whose records may show a fault: of tables and races only the record tells."""
    for encounter in event.encounters:
        for match in encounter.finished:
            plain = match.termination in (None, "rule", "adjudicated", "resigned")
            if not plain or event.race or event.seats != DUEL:
                yield encounter, match
