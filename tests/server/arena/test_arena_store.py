"""The arena on a real database: what is announced is what is stored."""

import asyncio

import pytest

from palio_db.store import Store
from palio_rules.contract.messages import Over, Turn
from palio_rules.records import fault

pytestmark = pytest.mark.usefixtures("small_games")


async def all_over(store, matches, seconds=30):
    async with asyncio.timeout(seconds):
        while {row.id for row in await store.matches(status="finished", limit=1000)} < set(matches):  # noqa: ASYNC110
            await asyncio.sleep(0.02)  # the store sends no notice


async def test_a_few_matches_from_the_list_to_the_leaderboard(new_world, setup):
    async with await Store.open("sqlite://") as store:
        world = new_world(store, concurrency=3)
        bots = [world.bot(name, think=0.0) for name in ("ann", "bob", "cid", "dan")]
        pairs = [(a, b) for a in ("ann", "bob", "cid", "dan") for b in ("ann", "bob", "cid", "dan") if a != b]
        async with world.open():
            matches = [await world.arena.schedule(setup(*pair, stones=9), "cup") for pair in pairs]
            await all_over(store, matches)
            async with asyncio.timeout(30):  # a result is announced once it is committed
                while sum(len(bot.of(Over)) for bot in bots) < 2 * len(matches):  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
        announced = sorted(record.match for record in world.results)
        assert announced == matches
        assert sum(len(bot.of(Over)) for bot in bots) == 2 * len(matches)
        for match in matches:
            record = await store.record(match)
            assert record in world.results
            assert fault(record) is None
            assert record.event == "cup"
        leaders = (await store.leaderboard("heap2")).leaders
        assert {leader.bot: leader.games for leader in leaders} == dict.fromkeys(("ann", "bob", "cid", "dan"), 6)
        assert await store.recount() == []


async def test_a_match_survives_its_server(new_world, setup, tmp_path):
    url = f"sqlite:///{tmp_path}/palio.db"
    async with await Store.open(url) as store:
        world = new_world(store)

        def three_times(turn):
            for bot in bots:
                bot.think = 0.0 if turn.ply < 6 else 10_000
            return turn.moves[0]

        bots = [world.bot(name, choose=three_times) for name in ("ann", "bob")]
        async with world.open():
            match = await world.arena.schedule(setup("ann", "bob", stones=20))
            async with asyncio.timeout(30):
                while sum(len(bot.of(Turn)) for bot in bots) < 7:  # noqa: ASYNC110  # fakes have no events
                    await asyncio.sleep(0.01)
        assert not world.results
    async with await Store.open(url) as store:
        world = new_world(store)
        async with world.open():
            await asyncio.sleep(0.05)
            bots = [world.bot(name, think=0.0) for name in ("ann", "bob")]
            await all_over(store, [match])
            record = await store.record(match)
    assert fault(record) is None
    assert len(record.plies) == 20
    assert {turn.ply for bot in bots for turn in bot.of(Turn)} == set(range(6, 20))  # the others are of before
