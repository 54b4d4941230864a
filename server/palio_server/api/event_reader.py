"""Views of events, kept: many viewers ask after each result, and each event is read and evaluated only once.

An event is read again when a count in its row has changed. A bye or a forfeit need not change a count, so the view of
an event that is being played is also read again after a while.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from palio_db.event_values import TournamentRow
from palio_db.store import Store
from palio_db.values import MatchRow
from palio_server.api.event_items import TournamentItem
from palio_server.api.event_views import NO_PACE, EventPace, EventView

KEPT = 16  # views; each has all matches of its event
LISTED = 1000  # items of lists
FRESH_S = 2.0  # how long the view of an event that is being played may be shown without another look
LARGE = 500  # matches: evaluating so many would hold the event loop
RECENT = timedelta(minutes=3)  # the span over which the pace is measured
SAMPLE = 200  # matches that are read for it


@dataclass(slots=True)
class _KeptView:
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    view: EventView | None = None
    pace: EventPace = NO_PACE
    read_at: float = 0.0


class EventReader:
    """The views of one store's events."""

    def __init__(self, store: Store, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._store, self._now = store, now
        self._kept: OrderedDict[int, _KeptView] = OrderedDict()
        self._items: OrderedDict[int, tuple[TournamentRow, TournamentItem]] = OrderedDict()

    async def view(self, number: int) -> EventView | None:
        """Return the present view of the event; None if there is none of this number. Raises StoreError."""
        found = await self._look(number)
        return None if found is None else found.view

    async def view_and_pace(self, number: int) -> tuple[EventView, EventPace] | None:
        """Return the view, and how fast the event is played. Raises StoreError."""
        found = await self._look(number)
        return None if found is None or found.view is None else (found.view, found.pace)

    async def item(self, row: TournamentRow) -> TournamentItem:
        """Return the event of this row for a list. Raises StoreError."""
        former = self._items.get(row.id)
        if former is None or former[0] != row:
            item = (await self._read(row)).item()
            former = self._items[row.id] = (row, item)
            while len(self._items) > LISTED:
                self._items.popitem(last=False)
        return former[1]

    async def _look(self, number: int) -> _KeptView | None:
        kept = self._kept.setdefault(number, _KeptView())
        self._kept.move_to_end(number)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        async with kept.turn:  # later callers wait while it is read
            row = await self._store.tournament(number)
            if row is None:
                self._kept.pop(number, None)
                return None
            clock = asyncio.get_running_loop().time()
            stale = row.stage == "running" and clock - kept.read_at > FRESH_S
            if kept.view is None or kept.view.row != row or stale:
                kept.view = await self._read(row)
                kept.pace = await self._pace(kept.view)
                kept.read_at = clock
            return kept

    async def _read(self, row: TournamentRow) -> EventView:
        encounters = await self._store.encounters(row.id)
        # Encounters planned between the two reads come with the next read.
        matches = [each for each in await self._store.event_matches(row.id) if each.encounter <= len(encounters)]
        view = EventView(row, encounters, matches)
        if row.total > LARGE:
            await asyncio.to_thread(_compute, view)
        return view

    async def _pace(self, view: EventView) -> EventPace:
        """Return the pace by the games that were finished in the last minutes; unknown unless it is being played."""
        row = view.row
        if row.stage != "running" or not row.finished:
            return NO_PACE
        rows = await self._store.matches(status="finished", tournament=row.id, limit=SAMPLE)
        return pace(rows, self._now(), view.total, row.finished + row.aborted)


def _compute(view: EventView) -> None:
    """Compute the slow parts of a view; they are kept in it."""
    _ = view.lines, view.total


def pace(rows: Sequence[MatchRow], now: datetime, total: int | None, over: int) -> EventPace:
    """Return the pace by some finished matches; `over` of `total` matches are over.

    The time counts from the beginning of the first match that was finished recently, but at most over the span looked
    at.
    """
    since = now - RECENT
    recent = [row for row in rows if row.finished_at is not None and row.finished_at >= since]
    if not recent:
        return NO_PACE
    began = min(row.started_at or row.finished_at or now for row in recent)
    seconds = (now - max(began, since)).total_seconds()
    rate = len(recent) / seconds if seconds > 0 else None
    return EventPace(rate, (total - over) / rate if rate and total is not None else None)
