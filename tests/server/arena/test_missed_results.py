"""A bot that resumes its session gets the results of its matches meanwhile, from the store."""

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from palio_db.store import Store
from palio_rules.contract.codec import decode_from_server
from palio_rules.contract.messages import Finish, Hello, Over, Result
from palio_rules.records.record import Ply, Record, Setup
from palio_server.arena.missed_results import MissedResults
from palio_server.bus.local import LocalBus
from palio_server.lobby.lobby import Lobby


class Wire:
    def __init__(self):
        self.heard: asyncio.Queue[Over] = asyncio.Queue()

    def post(self, topic, envelope):
        over = decode_from_server(envelope.data)
        assert topic.endswith(f"/in/{over.match}")
        self.heard.put_nowait(over)

    def close(self, code, reason): ...


@asynccontextmanager
async def world(tmp_path):
    async with await Store.open(f"sqlite:///{tmp_path}/palio.db") as store:
        lobby = Lobby(LocalBus())
        telling = asyncio.create_task(MissedResults(store, lobby).run())
        yield store, lobby
        telling.cancel()
        await asyncio.gather(telling, return_exceptions=True)


async def ended(store, setup, result, ago_s=5.0):
    match = await store.schedule(setup)
    [claim] = await store.claim_these("w", 30, [match])
    moment = datetime.now(UTC) - timedelta(seconds=ago_s)
    await store.finish(claim, Record(match, setup, (Ply(0, None, 1, None, "time"),), result, moment, moment))
    return match


async def heard(wire, count):
    async with asyncio.timeout(20):
        return [await wire.heard.get() for _ in range(count)]


def come(lobby, name, resume="an older session", transport="websocket"):
    wire = Wire()
    games = ["breakthrough", "tsp"]
    return lobby.join(Hello(name, games, resume=resume) if resume else Hello(name, games), wire, transport), wire


async def test_all_that_has_just_ended_is_told_in_its_order_to_each_in_its_own_words(tmp_path):
    duel, lost = Setup("breakthrough", ("ann", "bob")), Result("time", "flag-fell", [1.0, 0.0], 1)
    tour = Setup("tsp", ("bob", "ann"))
    ranked = Result("rule", "ranked", [1.0, 0.0], finishes=[Finish("time", "x", 5.0), Finish("resigned", "y", None)])
    async with world(tmp_path) as (store, lobby):
        await ended(store, duel, lost, ago_s=3600)
        first = await ended(store, duel, lost)
        await ended(store, Setup("breakthrough", ("cid", "bob")), lost)
        race = await ended(store, tour, ranked, ago_s=4)
        called_off = await store.schedule(duel)
        await store.abort(called_off, "it rains")
        session, wire = come(lobby, "ann")
        overs = await heard(wire, 3)
        assert [over.match for over in overs] == [first, race, called_off]
        assert overs[0].outcome == lost
        assert overs[1].outcome == Result("resigned", "y", [0.0], detail="rank 2 of 2, no solution")
        assert (overs[2].outcome.reason, overs[2].outcome.detail) == ("aborted", "it rains")

        lobby.leave(session)
        _, wire = come(lobby, "ann", session.id, transport="mqtt")
        assert len(await heard(wire, 3)) == 3  # a broker may have lost all of it
        session, _ = come(lobby, "ann", session.id)
        session, wire = come(lobby, "ann", None)  # a program that remembers nothing
        _other, told = come(lobby, "bob")
        await heard(told, 3)
        assert wire.heard.empty()


async def test_what_reached_a_connection_for_certain_is_not_told_again(tmp_path):
    now = 1000.0
    async with await Store.open(f"sqlite:///{tmp_path}/palio.db") as store:
        lobby = Lobby(LocalBus(), now=lambda: now)
        told = []
        lobby.on_return = lambda session, away_s: told.append((session.name, away_s))
        session, _ = come(lobby, "ann", None)
        lobby.leave(session)
        now += 20
        session, _ = come(lobby, "ann", session.id)
        come(lobby, "ann", session.id)
        come(lobby, "bob", "of another server")
        assert told == [("ann", 65.0), ("ann", 45.0), ("bob", 600.0)]
        assert await store.ended_since("nobody", datetime.now(UTC), 5) == []


@pytest.mark.parametrize("stays", [True, False])
async def test_a_bot_that_has_left_again_is_told_nothing(tmp_path, stays):
    async with world(tmp_path) as (store, lobby):
        match = await ended(store, Setup("breakthrough", ("ann", "bob")), Result("rule", "x", [1.0, 0.0]))
        session, wire = come(lobby, "ann")
        if not stays:
            lobby.leave(session)
        _, other = come(lobby, "bob")
        assert [over.match for over in await heard(other, 1)] == [match]
        assert wire.heard.empty() is not stays
