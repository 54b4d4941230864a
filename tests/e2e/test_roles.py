"""Gateways and referees around one database and one broker: bots and viewers do not notice that they are many."""

import asyncio
import json

import httpx
import pytest
from person import first_move, post, seated
from serving import until
from sharing import SmallBot, node_of, playing, sharing
from websockets.asyncio.client import connect

from palio_db.event_values import Entry, TournamentDraft
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl
from palio_server.addons.shared.mqtt import MqttBus

pytestmark = [pytest.mark.mosquitto, pytest.mark.postgres]
TIME = TimeControl.parse("20+0.2")


async def seen(servers, *names):
    for server in servers.values():
        await until(lambda server=server: set(names) <= {bot.name for bot in server.lobby.connected()}, f"{names}")


async def ended(store, matches):
    rows = []

    async def all_over():
        nonlocal rows
        rows = [await store.match(match) for match in matches]
        return all(row.status in ("finished", "aborted") for row in rows)

    async with asyncio.timeout(60):
        while not await all_over():  # noqa: ASYNC110  # the store has no event for it
            await asyncio.sleep(0.1)
    return rows


@pytest.mark.slow
async def test_bots_at_two_gateways_play_a_swiss_tournament_that_a_gateway_was_asked_for(shared_database, mosquitto):
    async with sharing(shared_database, mosquitto.url, "gateway1", "gateway2", "referee1", "referee2") as servers:
        one, two = servers["gateway1"], servers["gateway2"]
        bots = [SmallBot(f"b{number}", (one, two)[number % 2].url) for number in range(6)]
        async with playing(*bots):
            await seen(servers, *(bot.name for bot in bots))
            entries = tuple(Entry(bot.name, number) for number, bot in enumerate(bots))
            number = await one.tournaments.create(
                TournamentDraft("cup", "breakthrough", "swiss", {"rounds": 3}, {"time": "10+0.1"}, entries)
            )
            await two.tournaments.start(number)
            async with asyncio.timeout(60):
                while (row := await one.store.tournament(number)).stage != "finished":  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
            matches = await one.store.event_matches(number)
            assert len(matches) == row.finished == 3 * 3 * 2
            played_by = {(await one.store.match(match.match)).worker for match in matches}
            assert played_by == {"referee1", "referee2"}
            assert row.worker in played_by
            for server in servers.values():
                await until(lambda server=server: len(node_of(server).loans) == 0, "the last slot's return")
            board = await one.store.leaderboard("breakthrough")
            assert sum(leader.games for leader in board.leaders) == 2 * len(matches)


@pytest.mark.slow
async def test_a_viewer_at_one_gateway_follows_what_another_server_plays(shared_database, mosquitto):
    async with sharing(shared_database, mosquitto.url, "gateway1", "gateway2", "referee1") as servers:
        one, two = servers["gateway1"], servers["gateway2"]
        bots = [SmallBot("ann", one.url, think_s=0.05), SmallBot("bob", two.url, think_s=0.05)]
        async with playing(*bots), asyncio.timeout(60):
            await seen(servers, "ann", "bob")
            async with connect(two.url.replace("http", "ws") + "/ws/live") as lobby:
                assert json.loads(await lobby.recv())["matches"] == []
                match = await one.arena.schedule(Setup("breakthrough", ("ann", "bob"), time=TIME))
                while not (listed := json.loads(await lobby.recv()))["matches"]:
                    pass
                assert listed["matches"][0]["match"] == match
                async with connect(f"{two.url.replace('http', 'ws')}/ws/live/{match}") as viewer:
                    snapshot = json.loads(await viewer.recv())
                    seq, lines = snapshot["seq"], len(snapshot["lines"])
                    late = None
                    while True:
                        message = json.loads(await viewer.recv())
                        if "seq" in message:
                            assert message["seq"] == seq + 1
                            seq = message["seq"]
                        lines += message["type"] == "played"
                        if message["type"] == "played" and lines > 6 and late is None:
                            late = await connect(f"{two.url.replace('http', 'ws')}/ws/live/{match}")
                            assert len(json.loads(await late.recv())["lines"]) >= 6
                        if message["type"] == "finished":
                            break
                    assert late is not None
                    await late.close()
                    record = await one.store.record(match)
                    assert lines == len(record.plies)
                    assert message["view"]["ply"] == len(record.plies)
                while not any(each["result"] for each in json.loads(await lobby.recv())["matches"]):
                    pass


@pytest.mark.slow
async def test_what_is_asked_at_any_server_is_done_where_the_match_is_played(shared_database, mosquitto):
    async with sharing(shared_database, mosquitto.url, "gateway1", "all1", "all2") as servers:
        bots = [
            SmallBot("ann", servers["gateway1"].url, think_s=0.3),
            SmallBot("bob", servers["all1"].url, think_s=0.3),
        ]
        async with playing(*bots):
            await seen(servers, "ann", "bob")
            match = await servers["all1"].arena.schedule(Setup("breakthrough", ("ann", "bob"), time=TIME))
            await until(lambda: len(bots[0].of("turn")) >= 2, "a few moves")
            worker = (await servers["all1"].store.match(match)).worker
            other = next(server for name, server in servers.items() if name != worker)
            async with asyncio.timeout(10):
                async with httpx.AsyncClient(base_url=other.url) as client:
                    replay = (await client.get(f"/api/matches/{match}/replay")).json()
                    assert replay["summary"]["match"] == match
                    assert replay["summary"]["result"] is None
                    answer = await client.post(f"/api/matches/{match}/stop", json={"reason": "enough"})
                    assert answer.json() == {"match": match, "outcome": "adjudicated"} or answer.status_code == 200
            [row] = await ended(other.store, [match])
            assert (row.status, row.termination) == ("finished", "adjudicated")
            await until(lambda: bots[0].of("over") and bots[1].of("over"), "the bots' being told")


@pytest.mark.slow
async def test_a_bot_that_comes_back_by_another_gateway_has_its_match_back(shared_database, mosquitto):
    async with sharing(shared_database, mosquitto.url, "gateway1", "gateway2", "referee1") as servers:
        one, two = servers["gateway1"], servers["gateway2"]
        ann, bob = SmallBot("ann", one.url, two.url, think_s=0.1), SmallBot("bob", two.url, think_s=0.1)
        async with playing(ann, bob):
            await seen(servers, "ann", "bob")
            match = await one.arena.schedule(Setup("breakthrough", ("ann", "bob"), time=TIME))
            await until(lambda: len(ann.of("turn")) >= 2, "a few moves")
            session = ann.session
            for connection in one.lobby.connections("ann"):
                connection.link.close(1012, "go elsewhere")
            await until(lambda: len(ann.of("welcome")) == 2, "the return")
            assert ann.session == session
            assert not two.lobby.connections("ann")[0].process
            [row] = await ended(one.store, [match])
            assert row.status == "finished"
            assert (await one.store.record(match)).result.termination == "rule"
            await until(lambda: ann.of("over"), "the end")


@pytest.mark.slow
async def test_a_token_that_is_revoked_closes_its_bot_at_every_gateway(shared_database, mosquitto):
    async with sharing(shared_database, mosquitto.url, "gateway1", "gateway2", "referee1", auth="required") as servers:
        one, two = servers["gateway1"], servers["gateway2"]
        tokens = {}
        for name in ("ann", "bob"):
            await one.store.add_bot(name)
            tokens[name] = await one.store.issue_token(["play"], bot=name)
        ann = SmallBot("ann", one.url, token=tokens["ann"], think_s=0.3)
        bob = SmallBot("bob", two.url, token=tokens["bob"], think_s=0.3)
        async with playing(ann, bob):
            await seen(servers, "ann", "bob")
            match = await one.arena.schedule(Setup("breakthrough", ("ann", "bob"), time=TIME))
            await until(lambda: len(ann.of("turn")) >= 2, "a few moves")
            await one.store.revoke_bot("bob")
            await until(lambda: bob.of("refused"), "the refusal", 2)
            [_row] = await ended(one.store, [match])
            record = await one.store.record(match)
            assert (record.result.termination, record.result.scores) == ("revoked", [1.0, 0.0])


@pytest.mark.slow
async def test_a_broker_that_is_killed_costs_time_and_nothing_else(shared_database, mosquitto):
    async with sharing(shared_database, mosquitto.url, "gateway1", "gateway2", "referee1") as servers:
        one, two = servers["gateway1"], servers["gateway2"]
        bots = [SmallBot("ann", one.url, think_s=0.1), SmallBot("bob", two.url, think_s=0.1)]
        async with playing(*bots):
            await seen(servers, "ann", "bob")
            match = await one.arena.schedule(Setup("breakthrough", ("ann", "bob"), time=TIME))
            await until(lambda: len(bots[0].of("turn")) >= 3, "a few moves")
            mosquitto.kill()
            await asyncio.sleep(1.0)
            mosquitto.start()
            [row] = await ended(one.store, [match])
            record = await one.store.record(match)
            assert (row.status, record.result.reason) == ("finished", "reached-far-row")
            assert len(bots[0].of("welcome")) == len(bots[1].of("welcome")) == 1


def is_over(match, message):
    """Return True if the lobby's message says so: it is renewed, or what was told last was not lost after all."""
    if message["type"] == "lobby":
        return message["matches"] == []
    return any(each["match"] == match and each["result"] for each in message["matches"])


@pytest.mark.slow
async def test_viewers_elsewhere_see_the_end_that_a_match_had_while_the_broker_was_away(shared_database, mosquitto):
    async with sharing(shared_database, mosquitto.url, "one", "gateway1") as servers, asyncio.timeout(60):
        one, two = servers["one"], servers["gateway1"]
        bots = [SmallBot("ann", one.url), SmallBot("bob", one.url)]
        async with playing(*bots), connect(f"{two.url.replace('http', 'ws')}/ws/live") as lobby:
            await seen(servers, "ann", "bob")
            for bot in bots:
                bot.may_move.clear()
            match = await one.arena.schedule(Setup("breakthrough", ("ann", "bob"), time=TIME))
            while not json.loads(await lobby.recv())["matches"]:
                pass
            async with connect(f"{two.url.replace('http', 'ws')}/ws/live/{match}") as viewer:
                assert json.loads(await viewer.recv())["summary"]["result"] is None
                mosquitto.kill()
                await until(lambda: not (one.bus.connected or two.bus.connected), "the broker's end")
                for bot in bots:
                    bot.may_move.set()
                await ended(one.store, [match])
                assert isinstance(one.bus, MqttBus)
                one.bus.outbox._waiting.clear()  # the other server may be back later than what waits is sent
                mosquitto.start()
                while (message := json.loads(await viewer.recv()))["type"] != "match":
                    pass
                assert len(message["lines"]) == len((await one.store.record(match)).plies)
                assert message["summary"]["result"]["reason"] == "reached-far-row"
                while not is_over(match, json.loads(await lobby.recv())):
                    pass


@pytest.mark.slow
@pytest.mark.parametrize("elsewhere", [False, True])
async def test_people_play_house_bots_where_they_have_opened_their_table(shared_database, mosquitto, elsewhere):
    async with sharing(shared_database, mosquitto.url, "all1", "all2", "referee1", house_bots=1) as servers:
        here, there = servers["all1"], servers["all2"]
        opening = post(here.url, game="breakthrough", opponents=[{"house": "greedy"}], seat=1, name="ada")
        async with seated(here.url, opening, at=there.url if elsewhere else here.url) as person:
            assert (await person.play(first_move))["termination"] == "rule"
        [match] = {game["match"] for game in person.games}
        assert (await here.store.match(match)).worker == "all1"
