"""The pages on games say what the code does: names, seats, options, codes, reasons, and positions that can be read."""

import json
import re
from pathlib import Path

import pytest

from palio_rules.registry import game

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "games.md").read_text()
FILES = {
    "breakthrough": ["games/breakthrough", "boards/grid"],
    "chess": ["games/chess", "games/chess_position", "games/chess_refusals", "games/chess_text"],
    "chexers": ["games/chexers", "boards/chexers"],
    "chexers_solo": ["games/chexers_solo", "boards/chexers"],
    "dominoes": ["games/dominoes", "boards/grid"],
    "end_of_the_track": ["games/end_of_track", "boards/end_of_track"],
    "rush_hour": ["games/rush_hour", "boards/rush_hour"],
    "tsp": ["games/tsp", "boards/cities"],
}
ALL = PAGE + "".join(game(name).about() for name in FILES)
every_game = pytest.mark.parametrize("name", FILES)
counted = pytest.mark.parametrize("name", [name for name in FILES if game(name).kind != "race"])


def section(name):
    return game(name).about()


def source(name):
    folder = ROOT / "rules" / "palio_rules"
    return "".join((folder / f"{file}.py").read_text() for file in FILES[name])


@every_game
def test_name_seats_and_options_are_described(name):
    rules, text = game(name), section(name)
    assert f"`{name}` · seats {', '.join(f'`{seat}`' for seat in rules.seats)}" in text
    assert re.findall(r"^\| `(\w+)`", text, re.MULTILINE) == list(rules.options_type.__struct_fields__)


@every_game
def test_every_code_and_reason_is_described(name):
    codes = set(re.findall(r'(?:IllegalMove|MalformedMove)\(\s*"([a-z-]+)"', source(name)))
    reasons = set(re.findall(r'Outcome\(\s*"([a-z-]+)"', source(name)))
    assert codes
    assert reasons
    missing = [word for word in codes | reasons if f"`{word}`" not in ALL]
    assert missing == []


@every_game
def test_the_position_shown_is_one(name):
    text = re.search(r"- \*\*Position\*\*[^`]*`([^`]+)`", section(name).replace("the rows from the top", ""))
    rules = game(name)
    assert rules.format_state(rules.parse_state(text[1])) == text[1]


@every_game
def test_the_moves_shown_can_be_read(name):
    rules = game(name)
    for shown in re.findall(r"`(\[[^`]*\d[^`]*\])`", section(name)):
        rules.move_from_wire(json.loads(shown))


@counted
def test_the_counts_shown_are_those_of_the_rules(name):
    rules = game(name)
    counts = re.search(r"- \*\*Perft\*\* (?:\dx\d: )?(\d+), (\d+)", section(name))
    state = rules.start(rules.options_type())
    moves = list(state.legal_moves())
    assert [int(counts[1]), int(counts[2])] == [
        len(moves),
        sum(len(list(state.play(move).legal_moves())) for move in moves),
    ]


@every_game
def test_the_page_on_games_leads_to_each_game_s_own_and_says_its_line(name):
    assert f"about/{name}.md) | `{name}` | {game(name).line} |" in PAGE


def test_a_game_without_a_page_has_its_docstring():
    class Bare(type(game("dominoes"))):
        """Nim, but shorter."""

        name = "bare"

    Bare.__module__ = "json"
    assert Bare().about().startswith("JSON (JavaScript Object Notation)")
