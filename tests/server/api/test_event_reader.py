"""Views of events are read once however many ask, and again when something has changed."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan, TournamentRow
from palio_server.api import event_reader
from palio_server.api.event_reader import EventReader, pace

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
ROW = TournamentRow(
    1, "cup", "breakthrough", "podium", {}, {}, "running", "listed", "palio", (Entry("ann", 1), Entry("bob", 2)),
    NOW, None, None, None, 0, 0, 0, 0,
)  # fmt: skip

pytestmark = [pytest.mark.usefixtures("podium"), pytest.mark.virtual_clock]


class CountingStore:
    def __init__(self):
        self.row, self.reads, self.rows = ROW, 0, []

    async def tournament(self, number):
        return self.row if number == 1 else None

    async def encounters(self, number):
        self.reads += 1
        await asyncio.sleep(0.01)
        return self.rows

    async def event_matches(self, number):
        return []

    async def matches(self, **wanted):
        return []


async def test_many_who_ask_at_once_have_it_read_once():
    store = CountingStore()
    reader = EventReader(store)
    views = await asyncio.gather(*(reader.view(1) for _ in range(50)))
    assert (store.reads, len(set(map(id, views)))) == (1, 1)
    assert await reader.view(2) is None


async def test_what_is_planned_while_it_is_read_is_left_to_the_next_look():
    store = CountingStore()
    planned = EncounterRow(1, Plan(1, 1, ("ann", "bob"), 0))

    async def event_matches(number):
        store.rows = [planned]
        return [EventMatch("m1", 1, 0, ("ann", "bob"), "scheduled")]

    store.event_matches = event_matches
    assert (await EventReader(store).view(1)).last_round == 0


async def test_a_result_is_a_reason_to_read_again_and_so_is_time_while_it_is_played():
    store = CountingStore()
    reader = EventReader(store)
    await reader.view(1)
    store.row = replace(ROW, finished=1)
    await reader.view(1)
    assert store.reads == 2
    store.rows = [EncounterRow(1, Plan(1, 1, ("ann",), 0, kind="pairing-bye"))]
    await asyncio.sleep(event_reader.FRESH_S + 0.1)
    assert (await reader.view(1)).last_round == 1
    store.row = replace(store.row, stage="finished")
    await reader.view(1)
    await asyncio.sleep(1000)
    await reader.view(1)
    assert store.reads == 4, "nothing in a finished event changes"


async def test_no_more_views_are_kept_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(event_reader, "KEPT", 2)
    reader = EventReader(CountingStore())
    for number in (1, 2, 3, 4):
        await reader.view(number)
    assert len(reader._kept) <= 2


async def test_items_of_a_list_are_read_again_only_if_their_row_has_changed():
    store = CountingStore()
    reader = EventReader(store)
    for row in (ROW, ROW, replace(ROW, finished=1)):
        await reader.item(row)
    assert store.reads == 2


def finished(*seconds_ago):
    moments = [NOW - timedelta(seconds=ago) for ago in seconds_ago]
    return [SimpleNamespace(finished_at=moment, started_at=moment - timedelta(seconds=10)) for moment in moments]


def test_the_pace_is_that_of_the_last_minutes():
    found = pace(finished(10, 20, 30, 9999), NOW, total=20, over=10)
    assert found.games_per_s == pytest.approx(3 / 40)
    assert found.seconds_left == pytest.approx(10 / (3 / 40))
    assert pace(finished(10), NOW, total=None, over=1).seconds_left is None
    assert pace(finished(9999), NOW, total=20, over=10).games_per_s is None
