"""Leaderboards and scores between two follow what was played."""

import msgspec
import pytest

from palio_db.values import Leaderboard
from palio_rules.records.record import Setup
from palio_server.api.leaderboard import HeadToHead


@pytest.mark.slow
async def test_ratings_in_the_store_follow_what_was_played(server):
    kept = []
    server.bus.subscribe("palio/leaderboard/+", lambda topic, envelope: kept.append(envelope.data))
    server.join("ann")
    server.join("bob")
    matches = [
        await server.arena.schedule(Setup("breakthrough", bots)) for bots in [("ann", "bob"), ("bob", "ann")] * 6
    ]
    for match in matches:
        await server.finished(match)

    async def ranked():
        """The newest board that was published, once it counts all matches and is the one in the store."""
        board = msgspec.json.decode(kept[-1], type=Leaderboard) if kept else None
        complete = board is not None and sum(leader.games for leader in board.leaders) == 24
        return board if complete and board == await server.store.leaderboard("breakthrough") else None

    board = await server.until(ranked)
    assert sum(leader.rating for leader in board.leaders) == pytest.approx(3000)
    assert all(leader.error < 500 for leader in board.leaders)


async def test_the_leaderboard_and_the_scores_follow_the_results(server, client, as_type):
    empty = as_type((await client.get("/api/leaderboard/breakthrough")).content, Leaderboard)
    assert empty.leaders == []
    server.join("ann")
    server.join("bob")
    answer = await client.post("/api/matches", json={"game": "breakthrough", "bots": ["ann", "bob"], "rounds": 4})
    for match in answer.json()["matches"]:
        await server.finished(match)
    board = as_type((await client.get("/api/leaderboard/breakthrough")).content, Leaderboard)
    assert sorted(leader.bot for leader in board.leaders) == ["ann", "bob"]
    assert [leader.games for leader in board.leaders] == [4, 4]
    scores = as_type((await client.get("/api/head-to-head/breakthrough")).content, HeadToHead)
    [pair] = scores.pairs
    assert (pair.first, pair.second, pair.wins + pair.draws + pair.losses) == ("ann", "bob", 4)
    mirrored = as_type((await client.get("/api/head-to-head/breakthrough?bot=bob")).content, HeadToHead)
    assert (mirrored.pairs[0].first, mirrored.pairs[0].losses) == ("bob", pair.wins)
    misspelt = await client.get("/api/leaderboard/breaktrough")
    assert misspelt.json()["error"]["reason"].endswith("did you mean 'breakthrough'?")
