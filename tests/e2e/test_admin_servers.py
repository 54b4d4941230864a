"""Operators of two real servers on one PostgreSQL and one broker: what they see, pause, and drain under load."""

import asyncio

import httpx
import pytest
from serving import until
from sharing import SmallBot, playing, sharing

from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl

pytestmark = [pytest.mark.mosquitto, pytest.mark.postgres]

TIME = TimeControl.parse("60+1")
MATCHES = 20
HELD_AT = 4  # a game on the small board has at least six plies


def setups(count=MATCHES):
    pairs = [("b0", "b1"), ("b2", "b3"), ("b4", "b5"), ("b6", "b7")]  # as many as both servers play at once
    options = {"rows": 5, "cols": 3}
    return [Setup("breakthrough", pairs[n % 4], time=TIME, options=options, seed=n) for n in range(count)]


async def all_finished(store, matches):
    async with asyncio.timeout(120):
        while True:
            rows = [await store.match(each) for each in matches]
            if all(row.status in ("finished", "aborted") for row in rows):
                return rows
            await asyncio.sleep(0.1)


def bots_at(*servers, think_s=0.05):
    return [SmallBot(f"b{n}", servers[n % len(servers)].url, think_s=think_s) for n in range(8)]


async def seen(servers, bots):
    names = {bot.name for bot in bots}
    for server in servers.values():
        await until(lambda server=server: names <= {bot.name for bot in server.lobby.connected()}, "the bots")


def held(bots, server):
    """Return True if the server plays matches, and the bots hold all of them at the ply `HELD_AT`."""
    at = {turn["match"] for bot in bots for turn in bot.of("turn") if turn["ply"] == HELD_AT}
    return server.arena.playing() and at.issuperset(server.arena.playing())


def of(view, worker):
    return next(each for each in view["servers"] if each["worker"] == worker)


@pytest.mark.parametrize("how", ["end", "hand_over"])
@pytest.mark.slow
async def test_a_server_is_drained_under_load_and_no_match_is_lost(shared_database, mosquitto, how):
    async with sharing(shared_database, mosquitto.url, "all1", "all2", concurrency=2) as servers:
        one, two = servers["all1"], servers["all2"]
        bots = bots_at(one, two)
        async with playing(*bots), httpx.AsyncClient(base_url=f"{one.url}/api") as admin:
            await seen(servers, bots)
            for bot in bots:  # no match is over before the drain begins, and each is in the middle of it
                bot.holds_at = HELD_AT
                bot.may_move.clear()
            matches = await one.arena.schedule_many(setups())
            await until(lambda: held(bots, one) and held(bots, two), "matches in progress on both servers")
            begun = list(two.arena.playing())
            told = await admin.post("/admin/servers/all2/drain", json={"matches": how})
            for bot in bots:
                bot.may_move.set()
            assert told.json() == {"worker": "all2", "draining": True}
            rows = [await one.store.match(each) for each in matches]
            later = {row.id for row in rows if row.status == "scheduled"}

            async with asyncio.timeout(60):
                while of((await admin.get("/admin")).json(), "all2")["state"] != "drained":  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
            assert not two.arena.playing()
            rows = await all_finished(one.store, matches)
            assert [row.status for row in rows] == ["finished"] * MATCHES
            assert {row.termination for row in rows} == {"rule"}, "no bot lost by time or by a lost connection"
            others = {row.worker for row in rows if row.id in begun}
            assert ("all1" in others) == (how == "hand_over")
            assert {row.worker for row in rows if row.id in later} == {"all1"}
            await admin.post("/admin/servers/all2/resume")
            assert of((await admin.get("/admin")).json(), "all2")["state"] == "plays"
            after = await one.arena.schedule_many(setups(4))
            assert "all2" in {row.worker for row in await all_finished(one.store, after)}


async def test_each_server_shows_all_and_a_pause_at_one_holds_the_other_back(shared_database, mosquitto):
    async with sharing(shared_database, mosquitto.url, "gateway1", "referee1") as servers:
        gateway, referee = servers["gateway1"], servers["referee1"]
        bots = bots_at(gateway)
        async with playing(*bots), httpx.AsyncClient(base_url=f"{gateway.url}/api") as client:
            await seen(servers, bots)
            await client.post("/admin/pause")
            await until(lambda: referee.arena._paused, "the referee's pause")
            matches = await gateway.arena.schedule_many(setups(2))
            view = (await client.get("/admin")).json()
            assert [(each["worker"], each["role"]) for each in view["servers"]] == [
                ("gateway1", "gateway"),
                ("referee1", "referee"),
            ]
            assert view["paused"]
            assert view["scheduled"] == 2
            assert of(view, "gateway1")["bots"] == 8
            refused = await client.post("/admin/servers/gateway1/drain", json={})
            assert refused.status_code == 422
            await client.post("/admin/resume")
            rows = await all_finished(gateway.store, matches)
            assert {row.status for row in rows} == {"finished"}
            view = (await client.get("/admin")).json()
            assert of(view, "referee1")["finished"] == 2
