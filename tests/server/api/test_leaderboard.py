"""Leaderboards and scores between two follow what was played."""

import msgspec
import pytest

from palio_db.values import Leader, Leaderboard
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


async def test_a_part_of_the_leaderboard_says_how_long_the_whole_is_and_who_is_level_with_its_end(
    server, client, monkeypatch
):
    ratings = [1700.0, 1600.0, 1500.0004, 1500.0, 1500.0, 1400.0]
    leaders = [
        Leader(rank, f"bot{rank}", rating, 50.0, False, 9, 0, 0, 0, 0.0, 0, 0, 1.0, "")
        for rank, rating in enumerate(ratings, 1)
    ]

    async def leaderboard(game):
        return Leaderboard(game, leaders)

    monkeypatch.setattr(server.store, "leaderboard", leaderboard)

    async def asked(query):
        answer = await client.get(f"/api/leaderboard/breakthrough{query}")
        found = answer.json()
        names = "".join(leader["bot"].removeprefix("bot") for leader in found["leaders"])
        return names, found.get("total"), found.get("level"), answer.links.get("next", {}).get("url", "")

    assert await asked("") == ("123456", None, None, ""), "the whole one is as it always was"
    assert await asked("?limit=3") == ("123", 6, 2, "/api/leaderboard/breakthrough?limit=3&offset=3")
    assert await asked("?limit=3&offset=3") == ("456", 6, 0, "")
    assert (await asked("?limit=2"))[:3] == ("12", 6, 0)
    assert await asked("?limit=2&offset=9") == ("", 6, 0, "")
    assert await asked("?bots=bot5,bot2,nobody") == ("25", None, None, "")
