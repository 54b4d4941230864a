"""AI388U: a student's file plays End of the Track by its policy."""

from student_files import POLICIES


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
