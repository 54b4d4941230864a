"""What is planned is planned once, with its matches; what has not begun can be taken off."""

import asyncio

import pytest

from palio_db.errors import AlreadyPlanned, NotFound, StoreError
from palio_db.event_values import EncounterRow, Entry, Plan, TournamentDraft
from palio_db.store import Store
from palio_db.values import JournalEntry
from palio_rules.records.record import Ply

ENTRIES = (Entry("anna", 1), Entry("ben", 2), Entry("cleo", 3))
PAIR = EncounterRow(1, Plan(1, 1, ("anna", "ben"), 2))
BYE = EncounterRow(2, Plan(1, 2, ("cleo",), 0, kind="pairing-bye"))


@pytest.fixture
async def number(store):
    return await store.create_event(TournamentDraft("cup", "nim", "swiss", {"rounds": 3}, {}, ENTRIES, stage="running"))


def games(make):
    return [(1, 0, make.setup("anna", "ben")), (1, 1, make.setup("ben", "anna"))]


async def test_encounters_and_their_matches_are_read_as_they_were_planned(store, make, number):
    first, second = await store.plan(number, [PAIR, BYE], games(make), "cup")
    assert await store.encounters(number) == [PAIR, BYE]
    found = await store.event_matches(number)
    assert [(each.match, each.encounter, each.game, each.bots, each.status, each.scores) for each in found] == [
        (first, 1, 0, ("anna", "ben"), "scheduled", None),
        (second, 1, 1, ("ben", "anna"), "scheduled", None),
    ]
    assert [(row.round, row.event, row.tournament) for row in await store.matches()] == [(1, "cup", number)] * 2


async def test_a_finished_match_has_its_scores_and_the_time_that_each_seat_took(store, make, number):
    await store.plan(number, [PAIR], games(make), "cup")
    claim = await store.claim("w", 30)
    record = make.record(claim)
    await store.finish(claim, record)
    done, _ = await store.event_matches(number)
    spent = [sum(ply.ms for ply in record.plies if ply.seat == seat) for seat in range(2)]
    assert (done.status, done.scores, list(done.ms), done.costs) == (
        "finished",
        tuple(record.result.scores),
        spent,
        None,
    )
    assert await store.event_matches(number, of=[done.match]) == [done]


async def test_a_number_is_planned_once_and_the_second_plan_leaves_no_trace(store, make, number):
    await store.plan(number, [PAIR], games(make), "cup")
    with pytest.raises(AlreadyPlanned, match=f"encounter 1 of tournament {number} is planned already"):
        await store.plan(number, [PAIR, BYE], [], "cup")
    with pytest.raises(AlreadyPlanned, match=f"game 2 of encounter 1 of tournament {number} is scheduled already"):
        await store.plan(number, [BYE], games(make)[1:], "cup")
    assert await store.encounters(number) == [PAIR]
    assert (await store.tournament(number)).scheduled == 2


async def test_of_many_who_plan_the_same_one_does(url, store, make, number):
    async with await Store.open(url) as other:
        stores = [store, other] * 3
        plans = [each.plan(number, [PAIR, BYE], games(make), "cup") for each in stores]
        done = await asyncio.gather(*plans, return_exceptions=True)
    assert sorted(type(each).__name__ for each in done) == [*["AlreadyPlanned"] * 5, "list"]
    assert len(await store.event_matches(number)) == 2


async def test_a_forfeit_takes_off_what_has_not_begun(store, make, number):
    running, waiting = await store.plan(number, [PAIR], games(make), "cup")
    await store.claim_these("w", 30, [running])
    assert await store.forfeit(number, 1, "ben") == [waiting]
    [row] = await store.encounters(number)
    assert row.forfeits == {"ben"}
    assert [each.match for each in await store.event_matches(number)] == [running]
    assert await store.forfeit(number, 1, "anna") == []
    assert (await store.encounters(number))[0].forfeits == {"anna", "ben"}
    with pytest.raises(NotFound, match="no encounter 7"):
        await store.forfeit(number, 7, "ben")


async def test_a_pause_takes_off_all_that_has_not_begun_and_it_can_be_scheduled_again(store, make, number):
    first, second = await store.plan(number, [PAIR], games(make), "cup")
    claim = await store.claim("w", 30)
    await store.journal([JournalEntry(claim.match, claim.epoch, 1, Ply(0, [1, 2], 30))])
    await store.release(claim)  # it has begun: its journal stays
    assert claim.match == first
    assert await store.unschedule(number) == [second]
    [again] = await store.plan(number, [], games(make)[1:], "cup")
    assert [each.match for each in await store.event_matches(number)] == [first, again]


async def test_a_heat_can_be_run_without_somebody(store, make, number):
    heat = EncounterRow(1, Plan(1, 1, ("anna", "ben", "cleo"), 1))
    [former] = await store.plan(number, [heat], [(1, 0, make.setup("anna", "ben", "cleo"))], "cup")
    smaller = EncounterRow(1, Plan(1, 1, ("anna", "cleo"), 1))
    assert await store.replan(number, smaller) == [former]
    assert await store.encounters(number) == [smaller]


async def test_what_cannot_be_planned_is_refused(store, make, number):
    with pytest.raises(NotFound, match="no tournament 99"):
        await store.plan(99, [PAIR], [], "cup")
    with pytest.raises(StoreError, match="a tournament of nim has a match of go"):
        await store.plan(number, [PAIR], [(1, 0, make.setup("anna", "ben", game="go"))], "cup")
    with pytest.raises(StoreError, match="needs different bots, got anna, anna"):
        await store.plan(number, [EncounterRow(1, Plan(1, 1, ("anna", "anna")))], [], "cup")
    with pytest.raises(NotFound, match="no encounter 1"):
        await store.plan(number, [], games(make), "cup")
    assert await store.encounters(number) == []
