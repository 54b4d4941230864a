"""Games against opponents that were drawn for this term, by the rules: moves, jumps, conversions, exits and passes."""

import json
from pathlib import Path

import pytest
from grading_games import play, player_of

GAMES = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))["games"]


@pytest.mark.points(6, seconds=120)
@pytest.mark.parametrize("case", GAMES, ids=[f"{case['colour']}-{at}" for at, case in enumerate(GAMES)])
def test_game(student, case):
    colour = case["colour"]
    play(player_of(student, colour), colour, case["seed"], case["turns"], converts=case["converts"])
