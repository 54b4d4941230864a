"""Games, with all that a form needs to set them up."""

from palio_rules.registry import games
from palio_server.api.games import GameItem, GameRules, sections

OURS = ("breakthrough", "chess", "chexers", "chexers_solo", "dominoes", "end_of_the_track", "rush_hour", "tsp")


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


async def test_games_come_with_a_piece_for_each_seat_in_the_order_of_seats(client, as_type):
    found = {game.name: game for game in as_type((await client.get("/api/games")).content, list[GameItem])}
    shapes = {name: [(mark.shape, mark.seat, mark.rows, mark.cols) for mark in found[name].pieces] for name in OURS}
    assert shapes == {
        "breakthrough": [("pawn", 0, 1, 1), ("pawn", 1, 1, 1)],
        "chess": [("king", 0, 1, 1), ("king", 1, 1, 1)],
        "chexers": [("disc", 0, 1, 1), ("disc", 1, 1, 1), ("disc", 2, 1, 1)],
        "dominoes": [("bar", 0, 2, 1), ("bar", 1, 1, 2)],
        "end_of_the_track": [("block", 0, 1, 1), ("block", 1, 1, 1)],
        **{race: [] for race in ("chexers_solo", "rush_hour", "tsp")},  # whose entrants all have the same pieces
    }


async def test_the_rules_of_every_game_come_in_sections_with_two_positions(client, as_type):
    for name in OURS:
        answer = await client.get(f"/api/games/{name}/rules")
        rules = as_type(answer.content, GameRules)
        assert [section.title for section in rules.sections] == ["", "How it ends", "Settings", "For programs"]
        assert rules.sections[0].text.startswith(f"`{name}`")
        assert rules.how
        assert rules.first is not None
        assert rules.later is not None
        assert (rules.first == rules.later) == (name == "tsp")  # whose first tours are no picture


async def test_the_rules_of_a_game_that_is_not_installed(client):
    answer = await client.get("/api/games/ludo/rules")
    assert answer.status_code == 404
    assert "unknown game" in answer.json()["error"]["reason"]


def test_a_text_without_headings_is_one_section():
    assert [(part.title, part.text) for part in sections("Take stones.\nThe last one wins.")] == [
        ("", "Take stones.\nThe last one wins.")
    ]
