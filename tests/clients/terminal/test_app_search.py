"""The screen of `palio play` while a digit's search is under way."""

import pytest


async def test_a_digit_plays_the_best_move_with_its_value_and_leaves(opened):
    async with opened("dominoes:rows=3,cols=3") as screen:
        await screen.press("2")
        await screen.until(lambda: screen.moves)
        assert screen.moves == ["b3v"]
        assert "limit 2: value 3, 10 leaves" in screen.text("note")


@pytest.mark.slow
async def test_a_search_does_not_freeze_the_screen_and_can_be_stopped(opened):
    async with opened("dominoes:rows=16,cols=16") as screen:
        await screen.press("9")
        assert "searching 9 plies" in screen.text("status")
        assert "esc stops" in screen.text("status")
        await screen.click((0, 0))
        assert screen.moves == []
        assert screen.text("note") == "searching 9 plies; esc stops the search"
        await screen.press("escape")
        assert screen.text("note") == "stopped"
        await screen.click((0, 0))
        assert screen.moves == ["a16v"]
        await screen.press("1")  # the thread that searched is free again
        await screen.until(lambda: len(screen.moves) == 2)


@pytest.mark.slow
async def test_a_new_game_stops_the_search_of_the_old_one(opened):
    async with opened("dominoes:rows=16,cols=16") as screen:
        await screen.press("9", "n", "r")
        assert len(screen.moves) == 1
