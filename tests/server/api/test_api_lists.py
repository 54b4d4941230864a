"""Games, bots, leaderboards, tournaments and health, as pages and programs ask for them."""

import pytest

from palio_db.errors import Unavailable
from palio_rules.live import Leaderboard
from palio_rules.registry import games
from palio_rules.time_control import TimeControl
from palio_server.api.bots import BotItem
from palio_server.api.games import GameItem
from palio_server.api.leaderboard import HeadToHead
from palio_server.api.tournaments import TournamentDetail, TournamentItem
from palio_server.tournament.schedule import Schedule


async def test_games_come_with_all_that_a_form_needs(client, as_type):
    found = {game.name: game for game in as_type((await client.get("/api/games")).content, list[GameItem])}
    assert set(found) == set(games())
    breakthrough = found["breakthrough"]
    assert (breakthrough.title, breakthrough.seats) == ("Breakthrough", ["black", "white"])
    rows = next(option for option in breakthrough.options if option.name == "rows")
    assert (rows.type, rows.default, rows.minimum, rows.maximum) == ("int", 6, 4, 8)
    first = next(option for option in breakthrough.options if option.name == "first")
    assert first.choices == ["black", "white"]
    assert all(option.description for option in breakthrough.options)
    kinds = {game.name: (game.kind, game.anytime) for game in found.values()}
    assert kinds["breakthrough"] == ("duel", False)
    assert kinds["chexers"] == ("table", False)
    assert (kinds["rush_hour"], kinds["tsp"]) == (("race", False), ("race", True))


async def test_bots_are_those_who_are_here(house, client, as_type):
    async def listed(query=""):
        return as_type((await client.get(f"/api/bots{query}")).content, list[BotItem])

    house.join("ann", slots=3)
    house.join("ann", slots=1)
    house.join("dot", games=["dominoes"])
    await house.store.add_bot("zoe")
    await house.store.add_bot("ann")
    ann, dot = await listed()
    assert (ann.name, ann.slots, ann.instances, ann.playing) == ("ann", 4, 2, 0)
    assert (dot.name, dot.slots, dot.games) == ("dot", 8, ["dominoes"])
    assert await listed("?connected=true") == await listed()
    assert [bot.name for bot in await listed("?game=dominoes")] == ["dot"]
    assert [(bot.name, bot.connected) for bot in await listed("?connected=false")] == [("zoe", False)]
    answer = await client.get("/api/bots?game=domino")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown-game")


async def test_a_tournament_has_its_progress_and_its_cross_table(house, client, as_type):
    bots = ["ann", "bob", "eve"]
    plan = Schedule("breakthrough", bots, 1, time=TimeControl(base_ms=10_000), options={"rows": 5, "cols": 3})
    number = await house.store.create_tournament("cup", "breakthrough", {"rounds": 1}, plan.setups())
    [item] = as_type((await client.get("/api/tournaments")).content, list[TournamentItem])
    assert (item.id, item.name, sorted(item.bots)) == (number, "cup", bots)
    assert (item.total, item.scheduled, item.finished) == (6, 6, 0)
    for bot in bots:
        house.join(bot)

    async def over():
        return (await house.store.tournament(number)).finished == 6

    await house.until(over)
    detail = as_type((await client.get(f"/api/tournaments/{number}")).content, TournamentDetail)
    assert [row.rank for row in detail.table] == sorted(row.rank for row in detail.table)
    for row in detail.table:
        assert set(row.against) == set(bots) - {row.bot}
        assert row.total.wins + row.total.draws + row.total.losses == 4
        assert row.points == row.total.wins + row.total.draws / 2
    assert sum(row.points for row in detail.table) == 6
    for path, status in (("/99", 404), ("/x", 422)):
        assert (await client.get(f"/api/tournaments{path}")).status_code == status


async def test_a_tournament_of_races_has_its_costs_and_grows_with_every_result(house, client, as_type):
    bots, options = ["ann", "bob", "eve"], {"max_actions": 5}
    for bot in bots[:2]:
        house.join(bot, games=["chexers_solo"])
    plan = Schedule("chexers_solo", bots, 2, options=options)
    number = await house.store.create_tournament("race", "chexers_solo", {}, plan.setups())

    async def table():
        return as_type((await client.get(f"/api/tournaments/{number}")).content, TournamentDetail).table

    assert [(row.games, row.costs) for row in await table()] == [(0, None)] * 3
    house.join("eve", games=["chexers_solo"])
    for races in (1, 2):

        async def over(races=races):
            return (await house.store.tournament(number)).finished >= races

        await house.until(over)
        assert {row.games for row in await table()} <= {races, 2}
    rows = await table()
    assert [(row.games, row.costs.races, row.rank) for row in rows] == [(2, 2, 1)] * 3
    assert sum(row.points for row in rows) == 2 * 3 / 2  # they all play the first legal move: equal costs, or none
    assert {score.draws for row in rows for score in row.against.values()} == {2}
    for match in await house.store.matches(tournament=number):
        costs = {finish.cost for finish in (await house.store.record(match.id)).result.finishes}
        assert len(costs) == 1


@pytest.mark.parametrize("number", [2**31, 2**63, -(2**63) - 1, 10**30])
async def test_a_number_that_no_database_knows_is_refused(client, number):
    for path in (f"/api/tournaments/{number}", f"/api/matches?tournament={number}"):
        answer = await client.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad-value")


async def test_the_leaderboard_and_the_scores_follow_the_results(house, client, as_type):
    empty = as_type((await client.get("/api/leaderboard/breakthrough")).content, Leaderboard)
    assert empty.leaders == []
    house.join("ann")
    house.join("bob")
    answer = await client.post("/api/matches", json={"game": "breakthrough", "bots": ["ann", "bob"], "rounds": 4})
    for match in answer.json()["matches"]:
        await house.finished(match)
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


async def test_health_says_what_is_wrong(house, client, monkeypatch):
    house.join("ann")
    answer = await client.get("/api/health")
    assert answer.status_code == 200
    assert answer.json()["version"]
    assert answer.json().items() >= {"status": "ok", "database": "reachable", "matches": 0, "bots": 1}.items()

    async def gone(**_):
        raise Unavailable("the database at nowhere does not answer")

    monkeypatch.setattr(house.store, "matches", gone)
    answer = await client.get("/api/health")
    assert (answer.status_code, answer.json()["status"], answer.json()["database"]) == (503, "degraded", "unreachable")


@pytest.mark.parametrize("path", ["matches", "matches/x", "tournaments", "leaderboard/breakthrough"])
async def test_a_database_that_does_not_answer_is_said_to_be_so(house, client, monkeypatch, path):
    async def gone(*_, **__):
        raise Unavailable("postgresql://palio:***@db does not answer")

    for name in ("matches", "match", "tournaments", "leaderboard"):
        monkeypatch.setattr(house.store, name, gone)
    answer = await client.get(f"/api/{path}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "store-unavailable")
    assert "postgresql" not in answer.text, "how the server is built is nobody's business"


@pytest.mark.parametrize(
    "path",
    [
        "matches?bot=%00",
        "matches?before=%00",
        "matches/%00",
        "matches/%00/record",
        "head-to-head/breakthrough?bot=a%00",
    ],
)
async def test_a_character_that_no_database_knows_is_refused(client, path):
    answer = await client.get(f"/api/{path}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad-value")
