"""Races on the whole server: programs at the same puzzle at once, alone with it, ranked together."""

import asyncio

import pytest
from msgspec.structs import replace
from serving import bots, connected, join, played, server_in, until

from palio_rules.records import Setup, fault, record_from_text, record_to_text
from palio_rules.time_control import TimeControl

WANDERS = """
import random
import time

from palio_clients import Bot


class Wanders(Bot):
    # submits a random tour fifty times a second, until time is up

    games = ("tsp",)

    def choose(self, state, clock):
        time.sleep(0.02)
        tour = list(range(state.instance.size))
        random.shuffle(tour)
        return tuple(tour)
"""

PARK = Setup("rush_hour", ("one", "two", "three"), options={"board": "b.../b.../aa.c/.d.."}, max_plies=200)


@pytest.mark.slow
async def test_three_bots_race_out_of_a_car_park_and_are_ranked(palio, tmp_path):
    async with (
        server_in(tmp_path) as server,
        bots(palio, server.url, "one=random:seed=1", "two=random:seed=1", "three=random:seed=2"),
    ):
        await connected(server, "one", "two", "three")
        record = await played(server, replace(PARK, time=TimeControl(base_ms=60_000)), 100)
        costs = [finish.cost for finish in record.result.finishes]
        assert (record.result.termination, record.result.reason) == ("rule", "ranked")
        assert None not in costs
        assert costs[0] == costs[1]  # the same seed gives the same, with any other entrants
        assert record.result.scores[0] == record.result.scores[1]
        assert fault(record) is None
        assert record_from_text(record_to_text(record)) == record
        board = await server.store.leaderboard("rush_hour")
        assert {leader.games for leader in board.leaders} == {1}
        assert sum(leader.points for leader in board.leaders) == pytest.approx(1.5)
        assert [pair.draws for pair in await server.store.head_to_head("rush_hour", "one")].count(1) >= 1
        assert await server.store.recount() == []


@pytest.fixture
def wanders(tmp_path):
    (tmp_path / "wanders.py").write_text(WANDERS)
    return str(tmp_path / "wanders.py")


@pytest.mark.slow
async def test_an_anytime_race_ends_for_all_when_time_is_up(palio, tmp_path, wanders):
    setup = Setup("tsp", ("one", "two"), options={"size": 12}, time=TimeControl(base_ms=700), max_plies=5000)
    async with server_in(tmp_path) as server, bots(palio, server.url, f"one={wanders}", f"two={wanders}"):
        await connected(server, "one", "two")
        record = await played(server, setup, 60)
        assert [(finish.termination, finish.reason) for finish in record.result.finishes] == [("time", "best-tour")] * 2
        assert fault(record) is None
        assert [ply.out for ply in record.plies].count("time") == 2
        assert await server.store.recount() == []


@pytest.mark.slow
async def test_a_server_that_is_killed_goes_on_with_a_race_where_it_was(palio, tmp_path, wanders):
    setup = Setup("tsp", ("one", "two"), options={"size": 9}, time=TimeControl(base_ms=4000), max_plies=100_000)
    async with server_in(tmp_path, worker="w") as server:
        join(palio, server.url, f"one={wanders}", f"two={wanders}")  # bots that outlive the server
        await connected(server, "one", "two")
        match = await server.arena.schedule(setup)
        await until(lambda: (found := server.feed.find(match)) is not None and found.ply > 10, "play")
    async with server_in(tmp_path, worker="w") as server, bots(palio, server.url, f"one={wanders}", f"two={wanders}"):
        results = asyncio.Queue()
        server.arena.on_result.append(results.put_nowait)
        async with asyncio.timeout(60):
            record = await results.get()
        assert record.match == match
        assert fault(record) is None
        assert sum(ply.ms for ply in record.plies if ply.seat == 0) <= 4000 + 500
        assert await server.store.recount() == []
