"""Tournaments: an event with its entries, its stage, and how far it is."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from made_event import made_event
from sqlalchemy import text

from palio_db.errors import NotFound, StoreError
from palio_db.event_values import Entry, TournamentDraft

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ENTRIES = (Entry("zoe", 1, 1850.5, spec="./zoe.py"), Entry("anna", 2, joined=3, byes=frozenset((4, 2))))
DRAFT = TournamentDraft(
    "spring", "nim", "swiss", {"rounds": 5}, {"time": "10+0.1"}, ENTRIES, "palio", admits="token", starts_at=NOON
)


async def test_an_event_is_read_as_it_was_made(store):
    number = await store.create_event(DRAFT)
    row = await store.tournament(number)
    assert (row.name, row.game, row.format, row.rules, row.settings) == (
        "spring", "nim", "swiss", {"rounds": 5}, {"time": "10+0.1"}
    )  # fmt: skip
    assert (row.stage, row.admits, row.worker, row.starts_at, row.finished_at) == ("open", "token", "palio", NOON, None)
    assert (row.entries, row.bots, row.announced) == (ENTRIES, ("zoe", "anna"), None)
    assert (row.scheduled, row.running, row.finished, row.aborted, row.total) == (0, 0, 0, 0, 0)


async def test_a_stage_follows_only_those_that_it_may_follow(store):
    number = await store.create_event(DRAFT)
    assert not await store.set_stage(number, "paused", only_from={"running"})
    assert await store.set_stage(number, "running", only_from={"open", "paused"})
    assert not await store.set_stage(number, "running", only_from={"open", "paused"})
    assert await store.set_stage(number, "finished", only_from={"running"})
    row = await store.tournament(number)
    assert row.stage == "finished"
    assert row.finished_at is not None
    assert await store.set_stage(number, "running", only_from={"finished"})  # it has been extended
    assert (await store.tournament(number)).finished_at is None
    assert not await store.set_stage(99, "running", only_from={"open"})


async def test_an_entry_is_added_or_changed(store):
    number = await store.create_event(DRAFT)
    late = Entry("ben", 3, joined=2)
    await store.enter(number, late)
    await store.enter(number, replace(ENTRIES[0], left=3))
    assert (await store.tournament(number)).entries == (replace(ENTRIES[0], left=3), ENTRIES[1], late)
    with pytest.raises(NotFound, match="no tournament 99"):
        await store.enter(99, late)


async def test_an_entry_is_taken_off_and_the_later_ones_move_up(store):
    entries = tuple(Entry(f"bot{number}", number, 1000.0 + number, spec=f"{number}.py") for number in range(1, 7))
    number, other = [await store.create_event(replace(DRAFT, entries=entries)) for _ in range(2)]
    for gone in ("bot3", "bot1", "bot6"):
        await store.remove_entry(number, gone)
    stayed = (entries[1], entries[3], entries[4])
    assert (await store.tournament(number)).entries == tuple(
        replace(entry, number=place) for place, entry in enumerate(stayed, 1)
    )
    assert (await store.tournament(other)).entries == entries
    await store.enter(number, Entry("bot1", 4))
    assert (await store.tournament(number)).bots == ("bot2", "bot4", "bot5", "bot1")


async def test_an_entry_that_is_not_there_cannot_be_taken_off(store):
    number = await store.create_event(DRAFT)
    with pytest.raises(NotFound, match=f"'ben' is not entered in tournament {number}"):
        await store.remove_entry(number, "ben")
    with pytest.raises(NotFound, match="no tournament 99"):
        await store.remove_entry(99, "zoe")
    assert (await store.tournament(number)).entries == ENTRIES


async def test_rules_settings_and_what_was_announced_can_change(store):
    number = await store.create_event(DRAFT)
    await store.set_rules(number, {"rounds": 7})
    await store.set_settings(number, {"time": "5+0"})
    await store.mark_announced(number, "1-4,7")
    row = await store.tournament(number)
    assert (row.rules, row.settings, row.announced) == ({"rounds": 7}, {"time": "5+0"}, "1-4,7")
    with pytest.raises(NotFound, match="no tournament 99"):
        await store.set_rules(99, {})


async def test_a_tournament_tells_how_far_it_is(store, make):
    number = await made_event(store, "spring", "nim", {}, [(0, make.setup())] * 4)
    claims = [await store.claim("worker", 30) for _ in range(3)]
    await store.finish(claims[0], make.record(claims[0]))
    await store.abort(claims[1].match, "weather")
    row = await store.tournament(number)
    assert (row.scheduled, row.running, row.finished, row.aborted) == (1, 1, 1, 1)


async def test_tournaments_are_listed_newest_first_and_by_stage_and_worker(store):
    numbers = [await store.create_event(replace(DRAFT, name=f"cup {n}", worker=f"w{n % 2}")) for n in range(4)]
    await store.set_stage(numbers[1], "running", only_from={"open"})
    assert [row.id for row in await store.tournaments(limit=3)] == [numbers[3], numbers[2], numbers[1]]
    assert [row.id for row in await store.tournaments(stage="running")] == [numbers[1]]
    assert [row.id for row in await store.tournaments(worker="w0")] == [numbers[2], numbers[0]]


async def test_a_large_tournament_is_made_at_once(store, make):
    setups = [(n // 50, make.setup(f"bot{n % 40}", f"bot{40 + n % 30}")) for n in range(3000)]
    row = await store.tournament(await made_event(store, "league", "nim", {}, setups))
    assert (row.scheduled, len(row.bots)) == (3000, 70)


async def test_a_match_may_join_a_tournament_later_if_there_is_one(store, make):
    number = await store.create_event(DRAFT)
    match = await store.schedule(make.setup(), tournament=number, round_=7)
    assert (await store.match(match)).round == 7
    assert (await store.tournament(number)).scheduled == 1
    with pytest.raises(NotFound, match="no tournament 99"):
        await store.schedule(make.setup(), tournament=99)


async def test_what_cannot_be_kept_is_refused(store):
    with pytest.raises(StoreError, match="cannot be written as JSON"):
        await store.create_event(replace(DRAFT, settings={"what": object()}))
    with pytest.raises(StoreError, match="is empty"):
        await store.create_event(replace(DRAFT, name=""))
    with pytest.raises(StoreError, match="entrants of an event all differ; these are zoe, zoe"):
        await store.create_event(replace(DRAFT, entries=(ENTRIES[0], Entry("zoe", 2))))
    assert await store.tournaments() == []


async def test_numbers_follow_each_other_after_a_crash_of_the_database_and_when_made_at_once(store):
    draft = TournamentDraft("Cup", "nim", "swiss", {"rounds": 1}, {}, ())
    assert await store.create_event(draft) == 1
    if store._database.address.kind == "postgresql":  # a crash loses the numbers that its sequence has logged ahead
        async with store._database.write() as connection:
            await connection.execute(text("SELECT setval('tournaments_id_seq', 33)"))
    made = await asyncio.gather(*(store.create_event(draft) for _ in range(5)))
    assert sorted(made) == [2, 3, 4, 5, 6]
