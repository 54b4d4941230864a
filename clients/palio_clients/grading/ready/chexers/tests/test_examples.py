"""The interface of a player, and the first turns of a game in each colour."""

import pytest
from grading_games import play, player_of

from palio_rules.boards.chexers import COLOURS

EACH_COLOUR = pytest.mark.parametrize("colour", COLOURS)


@pytest.mark.points(0, seconds=20)  # the skeleton has them
@EACH_COLOUR
def test_player_has_its_methods(student, colour):
    player = player_of(student, colour)
    assert callable(player.action)
    assert callable(player.update)


@pytest.mark.points(8, seconds=60)
@EACH_COLOUR
def test_first_turns(student, colour):
    play(player_of(student, colour), colour, seed=1, turns=12, converts=False)
