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


async def test_each_board_of_a_game_has_its_own_leaderboard_and_the_others_are_listed(server, client):
    server.join("ann")
    server.join("bob")
    small = {"game": "breakthrough", "bots": ["ann", "bob"], "rounds": 2}
    wide = small | {"options": {"cols": 5}, "rounds": 1}
    unrated = wide | {"rated": False}
    started = [(await client.post("/api/matches", json=body)).json()["matches"] for body in (small, wide, unrated)]
    for match in (match for matches in started for match in matches):
        await server.finished(match)
    board = "breakthrough:cols=5"
    found = (await client.get(f"/api/leaderboard/{board}")).json()
    assert [leader["games"] for leader in found["leaders"]] == [1, 1]
    assert found["boards"] == [
        {"game": "breakthrough", "title": "Breakthrough"},
        {"game": board, "title": "Breakthrough, cols 5"},
    ]
    plain = (await client.get("/api/leaderboard/breakthrough")).json()
    assert [leader["games"] for leader in plain["leaders"]] == [2, 2]
    listed = (await client.get("/api/matches", params={"game": board})).json()
    assert [each["id"] for each in listed] == started[1]
    assert len((await client.get("/api/matches", params={"game": "breakthrough"})).json()) == 4
    bot = (await client.get("/api/bots/ann")).json()
    assert [(each["game"], each["title"], each["games"]) for each in bot["ratings"]] == [
        ("breakthrough", "Breakthrough", 2),
        (board, "Breakthrough, cols 5", 1),
    ]
    for path in (f"bots/ann/report?game={board}", f"bots/ann/history?game={board}", f"head-to-head/{board}"):
        assert (await client.get(f"/api/{path}")).json()["game"] == board
    refused = await client.get("/api/leaderboard/breakthrough:first=white")
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "unknown-leaderboard")
    assert "by rows, cols, not by 'first'" in refused.json()["error"]["reason"]


async def test_time_odds_are_unrated_unless_it_is_said(server, client):
    server.join("ann")
    server.join("bob")
    odds = {"game": "breakthrough", "bots": ["ann", "bob"], "tc": "9+1", "times": {"bob": "5+1"}}
    rated = []
    for body in (odds, odds | {"rated": True}):
        match = (await client.post("/api/matches", json=body)).json()["match"]
        rated.append((await client.get(f"/api/matches/{match}")).json()["rated"])
    assert rated == [False, True]
