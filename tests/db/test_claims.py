"""Claims: one worker for each match, and no write from one that has lost it."""

import asyncio
from itertools import pairwise

import pytest
from made_event import made_event
from sqlalchemy import text

from palio_db.errors import LeaseLost
from palio_db.store import Store
from palio_db.values import JournalEntry
from palio_rules.records.record import Ply, RejectedMove

PLIES = tuple(Ply(number % 2, [number], number * 10) for number in range(5))
REFUSAL = RejectedMove(2, 0, "hostile '; DROP TABLE matches; --\0", "no-such-heap", "heap 9 does not exist")


async def claimed(store, worker="first", lease_s=30.0):
    claim = await store.claim(worker, lease_s)
    assert claim is not None
    return claim


async def journal(store, claim, plies, start=1):
    await store.journal(
        [JournalEntry(claim.match, claim.epoch, number, ply) for number, ply in enumerate(plies, start)]
    )


async def test_nothing_scheduled_is_nothing_claimed(store):
    assert await store.claim("worker", 30) is None


async def test_a_claim_has_what_was_agreed(store, make):
    setup = make.setup("anna", "ben")
    match = await store.schedule(setup, event="spring")
    claim = await claimed(store)
    assert (claim.match, claim.setup, claim.event, claim.epoch) == (match, setup, "spring", 1)
    assert claim.started_at is not None
    assert (await store.match(match)).status == "running"


async def test_the_oldest_match_goes_first(store, make):
    matches = [await store.schedule(make.setup()) for _ in range(5)]
    assert [(await claimed(store)).match for _ in matches] == matches


async def test_a_match_waits_until_all_of_its_bots_are_free(store, make):
    first = await store.schedule(make.setup("anna", "ben"))
    second = await store.schedule(make.setup("cleo", "ben"))
    assert await store.claim("w", 30, free={"nim": ["anna", "cleo"]}) is None
    assert (await store.claim("w", 30, free={"nim": {"ben", "cleo"}})).match == second
    assert (await store.claim("w", 30, free={"nim": ["anna", "ben", "cleo"]})).match == first


async def test_a_bot_is_free_for_the_games_that_it_plays_only(store, make):
    await store.schedule(make.setup("anna", "ben", game="nim"))
    other = await store.schedule(make.setup("anna", "ben", game="go"))
    assert await store.claim("w", 30, free={"nim": ["anna"], "go": ["ben"], "chess": ["anna", "ben"]}) is None
    assert await store.claim("w", 30, free={}) is None
    assert await store.claim("w", 30, free={"nim": [], "go": []}) is None
    assert (await store.claim("w", 30, free={"nim": ["anna"], "go": ["anna", "ben"]})).match == other


async def test_hundreds_of_free_bots_are_one_question(store, make):
    match = await store.schedule(make.setup("bot7", "bot899"))
    assert (await store.claim("w", 30, free={"nim": [f"bot{n}" for n in range(900)]})).match == match


async def test_a_worker_may_stay_with_one_tournament(store, make):
    await store.schedule(make.setup())
    number = await made_event(store, "spring", "nim", {}, [(1, make.setup())])
    claim = await store.claim("w", 30, tournament=number)
    assert claim.tournament == number
    assert await store.claim("w", 30, tournament=number) is None


async def test_many_claimers_get_every_match_once(url, make):
    async with await Store.open(url) as first, await Store.open(url) as second:
        setups = [(0, make.setup(f"a{number}", f"b{number}")) for number in range(60)]
        await made_event(first, "rush", "nim", {}, setups)

        async def worker(number):
            store = (first, second)[number % 2]
            mine = []
            while claim := await store.claim(f"w{number}", 30):
                mine.append(claim.match)
            return mine

        claims = [match for mine in await asyncio.gather(*map(worker, range(8))) for match in mine]
    assert len(claims) == len(set(claims)) == 60


@pytest.mark.slow
async def test_several_matches_are_claimed_at_once_but_for_those_that_others_have(store, make):
    ids = [await store.schedule(make.setup(f"bot{number}", "ben")) for number in range(600)]
    taken = await claimed(store, "other")
    aborted = ids[5]
    await store.abort(aborted, "off", epoch=0)
    claims = await store.claim_these("worker", 30, [*reversed(ids), "unknown"])
    assert [claim.match for claim in claims] == [match for match in ids if match not in (taken.match, aborted)]
    assert {claim.epoch for claim in claims} == {1}
    assert (await store.match(ids[7])).worker == "worker"
    assert await store.claim_these("worker", 30, ids) == await store.claim_these("worker", 30, []) == []


async def test_of_two_who_claim_the_same_matches_each_gets_others(url, store, make):
    ids = await store.schedule_many([make.setup(f"bot{number}", "ben") for number in range(100)])
    async with await Store.open(url) as second:
        found = await asyncio.gather(
            *(each.claim_these("worker", 30, ids[at : at + 20]) for at in range(0, 100, 10) for each in (store, second))
        )
    assert sorted(claim.match for claims in found for claim in claims) == ids


async def test_a_released_match_goes_back_into_the_list(store, make):
    match = await store.schedule(make.setup())
    claim = await claimed(store)
    assert await store.release(claim)
    row = await store.match(match)
    assert (row.status, row.worker, row.started_at) == ("scheduled", None, None)
    assert not await store.release(claim)
    assert (await claimed(store)).epoch == 2


async def test_a_match_released_in_the_middle_goes_on_where_it_was(store, make):
    await store.schedule(make.setup())
    first = await claimed(store)
    await journal(store, first, PLIES)
    await store.release(first)
    second = await claimed(store)
    assert (second.journal, second.started_at) == (PLIES, first.started_at)


async def test_a_restarted_worker_takes_up_its_matches_with_their_journal(store, make):
    await store.schedule(make.setup())
    await store.schedule(make.setup("cleo", "dan"))
    mine, other = await claimed(store), await claimed(store, "other")
    await journal(store, mine, PLIES)
    await store.journal([JournalEntry(mine.match, mine.epoch, 1, REFUSAL)])
    again = await store.reclaim("first", 30)
    assert [(claim.match, claim.epoch) for claim in again] == [(mine.match, 2)]
    assert (again[0].journal, again[0].refusals) == (PLIES, (REFUSAL,))
    assert await store.renew([mine, other], 30) == {other.match}


async def test_a_match_whose_lease_is_over_falls_to_anyone(store, make):
    match = await store.schedule(make.setup())
    await claimed(store, "crashed", lease_s=-1)
    assert [claim.match for claim in await store.reclaim("other", 30, own=False)] == [match]
    assert await store.reclaim("third", 30, own=False) == []


async def test_a_running_match_is_not_taken_from_another_worker_before_its_lease_is_over(store, make):
    await store.schedule(make.setup())
    claim = await claimed(store)
    assert await store.reclaim("other", 30) == []
    assert await store.reclaim("first", 30, own=False) == []
    assert await store.renew([claim], -1) == {claim.match}
    assert len(await store.reclaim("other", 30)) == 1


async def test_orphans_are_seen_before_their_lease_is_over_and_taken_after_it(store, make):
    match = await store.schedule(make.setup("ann", "ben"))
    await store.schedule(make.setup("cleo", "dan"))
    claim, other = await claimed(store, lease_s=10), await claimed(store, "other", lease_s=60)
    [orphan] = await store.orphans(20)
    assert (orphan.match, orphan.game, orphan.bots, orphan.tournament) == (match, "nim", ("ann", "ben"), None)
    assert 0 < orphan.left_s <= 10
    assert await store.orphans(5) == []
    assert await store.take_over("second", 30, [match, other.match, "unknown"]) == []
    await store.renew([claim], -2)
    await journal(store, claim, PLIES)
    assert await store.take_over("second", 30, []) == []
    assert await store.reschedule([match], 3) == []  # it is over for two seconds
    [taken] = await store.take_over("second", 30, [match, other.match])
    assert (taken.match, taken.epoch, taken.journal) == (match, 2, PLIES)
    assert await store.take_over("third", 30, [match]) == []
    assert await store.renew([claim, other], 30) == {other.match}


async def test_an_orphan_that_nobody_can_play_is_scheduled_again_with_its_journal(store, make):
    match = await store.schedule(make.setup())
    claim = await claimed(store)
    await journal(store, claim, PLIES)
    assert await store.reschedule([match], 0) == []
    await store.renew([claim], -2)
    assert await store.reschedule([match, "unknown"], 1) == [match]
    assert [waiting.match for waiting in await store.waiting(10)] == [match]
    assert await store.renew([claim], 30) == set()  # its former worker has lost it
    again = await claimed(store, "second")
    assert (again.epoch, again.journal) == (2, PLIES)


async def test_a_worker_that_starts_takes_its_own_matches_only(store, make):
    await store.schedule(make.setup())
    await store.schedule(make.setup("cleo", "dan"))
    mine, _ = await claimed(store), await claimed(store, "crashed", lease_s=-1)
    assert [claim.match for claim in await store.reclaim("first", 30, lapsed=False)] == [mine.match]


async def test_racing_workers_take_each_orphan_once(url, make):
    async with await Store.open(url) as one, await Store.open(url) as two:
        matches = [await one.schedule(make.setup(f"a{number}", f"b{number}")) for number in range(40)]
        while await one.claim("crashed", -1):
            pass
        takes = [store.take_over(name, 30, matches) for store, name in ((one, "one"), (two, "two")) for _ in range(3)]
        taken = [claim.match for claims in await asyncio.gather(*takes) for claim in claims]
        rest = [claim.match for claim in await one.take_over("one", 30, matches)]  # that were locked each time
        assert sorted(taken + rest) == sorted(matches)


@pytest.mark.first(1)
async def test_a_thousand_leases_are_renewed_and_reclaimed_together(store, make):
    setups = [(0, make.setup(f"a{number}", f"b{number}")) for number in range(1000)]
    await made_event(store, "rush", "nim", {}, setups)
    async with store._database.write() as connection:  # a thousand claims one by one would take their time
        await connection.execute(
            text("UPDATE matches SET status = 'running', worker = 'first', epoch = 1, lease_until = 0")
        )
    claims = await store.reclaim("second", 30)
    assert len(claims) == 1000
    assert [claim.match for claim in claims] == sorted(claim.match for claim in claims)
    assert len(await store.renew(claims, 30)) == 1000


async def test_no_write_of_a_stale_epoch_is_taken(store, make):
    match = await store.schedule(make.setup())
    stale = await claimed(store, lease_s=-1)
    [fresh] = await store.reclaim("second", 30)
    await journal(store, stale, PLIES)
    assert not await store.release(stale)
    assert await store.renew([stale], 30) == set()
    with pytest.raises(LeaseLost, match="running under epoch 2; the result of epoch 1 is refused"):
        await store.finish(stale, make.record(stale))
    assert not await store.abort(match, "late", epoch=stale.epoch)
    assert (await store.reclaim("second", 30))[0].journal == ()
    assert (await store.leaderboard("nim")).leaders == []
    assert fresh.epoch == 2


async def test_one_group_of_the_journal_holds_many_matches_and_drops_the_lost_ones(store, make):
    for bots in (("a", "b"), ("c", "d")):
        await store.schedule(make.setup(*bots))
    kept, lost = await claimed(store, "kept"), await claimed(store, "lost")
    [again] = await store.reclaim("lost", 30)
    entries = [
        JournalEntry(lost.match, lost.epoch, 1, PLIES[3]),
        JournalEntry(kept.match, kept.epoch, 1, PLIES[0]),
        JournalEntry(again.match, again.epoch, 1, PLIES[1]),
        JournalEntry("no-such-match", 1, 1, PLIES[2]),
    ]
    await store.journal(entries)
    assert [(await store.reclaim(name, 30))[0].journal for name in ("kept", "lost")] == [(PLIES[0],), (PLIES[1],)]


async def test_journaling_twice_is_as_good_as_once(store, make):
    await store.schedule(make.setup())
    claim = await claimed(store)
    for _ in range(2):
        await journal(store, claim, PLIES)
    await journal(store, claim, PLIES[2:], start=3)
    await store.journal([])
    assert (await store.reclaim("first", 30))[0].journal == PLIES


async def test_journals_and_reclaims_at_the_same_time_never_mix_epochs(store, make):
    """Each worker journals as long as it can; what a reclaimer gets is final: nothing joins it later."""
    await store.schedule(make.setup())
    claim = await claimed(store)
    seen = []

    async def write(claim, start):
        for number in range(start, start + 20):
            await store.journal([JournalEntry(claim.match, claim.epoch, number, Ply(0, [claim.epoch], number))])

    for _ in range(5):
        writing = asyncio.create_task(write(claim, len(claim.journal) + 1))
        await asyncio.sleep(0.005)
        claims = await store.reclaim("first", 30)
        while not claims:  # PostgreSQL skips a match whose journal is just being written
            claims = await store.reclaim("first", 30)
        [claim] = claims
        seen.append(claim.journal)
        await writing
    for earlier, later in pairwise(seen):
        assert later[: len(earlier)] == earlier
    assert [ply.ms for ply in seen[-1]] == list(range(1, len(seen[-1]) + 1))
