"""Tournaments: how far they are, and their cross-tables."""

from palio_rules.time_control import TimeControl
from palio_server.api.tournaments import TournamentDetail, TournamentItem
from palio_server.tournament.schedule import Schedule


async def test_a_tournament_has_its_progress_and_its_cross_table(server, client, as_type):
    bots = ["ann", "bob", "eve"]
    plan = Schedule("breakthrough", bots, 1, time=TimeControl(base_ms=10_000), options={"rows": 5, "cols": 3})
    number = await server.store.create_tournament("cup", "breakthrough", {"rounds": 1}, plan.setups())
    [item] = as_type((await client.get("/api/tournaments")).content, list[TournamentItem])
    assert (item.id, item.name, sorted(item.bots)) == (number, "cup", bots)
    assert (item.total, item.scheduled, item.finished) == (6, 6, 0)
    for bot in bots:
        server.join(bot)

    async def over():
        return (await server.store.tournament(number)).finished == 6

    await server.until(over)
    detail = as_type((await client.get(f"/api/tournaments/{number}")).content, TournamentDetail)
    assert [row.rank for row in detail.table] == sorted(row.rank for row in detail.table)
    for row in detail.table:
        assert set(row.against) == set(bots) - {row.bot}
        assert row.total.wins + row.total.draws + row.total.losses == 4
        assert row.points == row.total.wins + row.total.draws / 2
    assert sum(row.points for row in detail.table) == 6
    for path, status in (("/99", 404), ("/x", 422)):
        assert (await client.get(f"/api/tournaments{path}")).status_code == status


async def test_a_tournament_of_races_has_its_costs_and_grows_with_every_result(server, client, as_type):
    bots, options = ["ann", "bob", "eve"], {"max_actions": 5}
    for bot in bots[:2]:
        server.join(bot, games=["chexers_solo"])
    plan = Schedule("chexers_solo", bots, 2, options=options)
    number = await server.store.create_tournament("race", "chexers_solo", {}, plan.setups())

    async def table():
        return as_type((await client.get(f"/api/tournaments/{number}")).content, TournamentDetail).table

    assert [(row.games, row.costs) for row in await table()] == [(0, None)] * 3
    server.join("eve", games=["chexers_solo"])
    for races in (1, 2):

        async def over(races=races):
            return (await server.store.tournament(number)).finished >= races

        await server.until(over)
        assert {row.games for row in await table()} <= {races, 2}
    rows = await table()
    assert [(row.games, row.costs.races, row.rank) for row in rows] == [(2, 2, 1)] * 3
    assert sum(row.points for row in rows) == 2 * 3 / 2  # they all play the first legal move: equal costs, or none
    assert {score.draws for row in rows for score in row.against.values()} == {2}
    for match in await server.store.matches(tournament=number):
        costs = {finish.cost for finish in (await server.store.record(match.id)).result.finishes}
        assert len(costs) == 1
