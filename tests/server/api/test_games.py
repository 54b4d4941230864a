"""Games, with all that a form needs to set them up."""

from palio_rules.registry import games
from palio_server.api.games import GameItem

OURS = ("breakthrough", "chexers", "chexers_solo", "dominoes", "end_of_the_track", "rush_hour", "tsp")


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
    assert breakthrough.line.startswith("Pawns step ahead")
    assert all(30 < len(found[name].line) <= 100 for name in kinds if name in OURS)
