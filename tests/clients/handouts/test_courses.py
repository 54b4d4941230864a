"""Our own modules are files like any other: each course has one that plays."""

import pytest


@pytest.mark.parametrize(
    ("course", "file"),
    [
        ("dominoes", "dominoes/adversarial_search.py:limit=1"),
        ("breakthrough", "tsp_and_breakthrough/ps2.py:limit=1"),
        ("tsp", "tsp_and_breakthrough/ps2.py:repeats=1"),
    ],
)
async def test_our_own_modules_are_files_like_any_other(table, handout_folder, course, file):
    game = table(course)
    player = await game.sit(f"handout:{course}:{handout_folder(file)}")
    await game.ask(player)
