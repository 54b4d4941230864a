"""CIS 521: a student's file plays Dominoes by its `DominoesGame`."""

import pytest
from student_files import DOMINOES, RANDOM_ONLY


async def test_a_dominoes_game_plays_by_its_best_move(write, table, capfd):
    write("adversarial_search.py", DOMINOES)
    game = table("dominoes", rows=3, cols=3)
    spec = "handout:dominoes:adversarial_search.py:limit=2"
    assert await game.play(spec, spec) in [(1.0, 0.0), (0.0, 1.0)]
    assert game.moves[0] == (1, 2)
    assert (game.infos[0].depth, game.infos[0].score, game.infos[0].nodes) == (2, 6.0, 2)
    assert not game.reports  # what it printed did not reach the protocol
    assert "searching to 2" in capfd.readouterr().err


@pytest.mark.first(1)
@pytest.mark.parametrize(("text", "settings"), [(RANDOM_ONLY, ""), (DOMINOES, ":play=random")])
async def test_a_dominoes_game_may_play_at_random(write, table, text, settings):
    write("hw4.py", text)
    game = table("dominoes", rows=4, cols=4)
    await game.play(f"handout:dominoes:hw4.py{settings}", f"handout:dominoes:hw4.py{settings}")
    assert len(game.moves) >= 4
