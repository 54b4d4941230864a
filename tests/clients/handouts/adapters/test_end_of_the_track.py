"""AI388U: a student's file plays End of the Track by its policy."""

import pytest
from student_files import POLICIES

from palio_clients.sdk.failures import PlayerFailed


async def test_a_policy_plays_either_side(write, table):
    write("agents.py", POLICIES)
    game = table("end_of_the_track", max_plies=6)
    assert await game.play("handout:end_of_the_track:agents.py", "handout:end_of_the_track:agents.py:player=Lowest")
    assert game.moves[0] == (0, 10)
    assert game.infos[0].score == 0.5


async def test_a_policy_may_be_a_function(write, table):
    write("mine.py", "def policy(decode_state):\n    return (0, 14), None\n")
    game = table("end_of_the_track")
    player = await game.sit("handout:end_of_the_track:mine.py")
    assert await game.ask(player) == (0, 14)


GAME = """
    class AdversarialSearchPlayer:
        def __init__(self, gsp, player_idx): pass
        def policy(self, decode_state): return (0, 14), 0

    class BoardState: pass
"""
SEARCH = "class GameStateProblem:\n    def __init__(self, initial, goal, player_idx): pass\n"


@pytest.mark.parametrize("text", ["x = 1", "import game", "from game import AdversarialSearchPlayer", "def f(): pass"])
async def test_the_graded_player_of_a_game_py_beside_the_file_plays(write, table, text):
    write("mine.py", text)
    write("game.py", GAME)
    write("search.py", SEARCH)
    game = table("end_of_the_track")
    assert await game.ask(await game.sit("handout:end_of_the_track:mine.py")) == (0, 14)


async def test_the_files_own_player_comes_before_that_of_a_game_py_beside_it(write, table):
    write("mine.py", "class Mine:\n    def policy(self, decode_state): return (0, 10), 0\n")
    write("game.py", GAME)
    game = table("end_of_the_track")
    assert await game.ask(await game.sit("handout:end_of_the_track:mine.py")) == (0, 10)


async def test_a_game_py_beside_the_file_without_a_player_does_not_help(write, table):
    write("mine.py", "import game")
    write("game.py", "class BoardState: pass")
    with pytest.raises(PlayerFailed, match=r"^mine\.py has no policy\(decode_state\); keep the handout's own names$"):
        await table("end_of_the_track").sit("handout:end_of_the_track:mine.py")
