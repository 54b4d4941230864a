"""The interface of a player, and the first turns of a game in each colour."""

import pytest
from grading_games import play, player_of

from palio_rules.boards.chexers import COLOURS

EACH_COLOUR = pytest.mark.parametrize("colour", COLOURS)


@pytest.mark.points(2, seconds=20)
@EACH_COLOUR
def test_player_has_its_methods(submission, colour):
    player = player_of(submission, colour)
    assert callable(player.action)
    assert callable(player.update)


@pytest.mark.points(6, seconds=60)
@EACH_COLOUR
def test_first_turns(submission, colour):
    play(player_of(submission, colour), colour, seed=1, turns=12, converts=False)
