"""The screen of `palio play`, with clicks and keys in a real event loop."""

import pytest

from palio_clients.terminal.board import BoardView
from palio_clients.terminal.picture import Size
from palio_clients.terminal.screens import Help
from palio_rules.games.dominoes import Move


async def test_clicks_place_dominoes_for_both_sides_in_turn(opened):
    async with opened() as screen:
        assert "Vertical to move" in screen.text("status")
        await screen.click((0, 0))
        assert "Horizontal to move" in screen.text("status")
        assert screen.text("note") == "vertical plays a4v"
        await screen.click((3, 2))
        assert screen.moves == ["a4v", "c1h"]
        assert "a4v" in screen.text("moves")


async def test_an_illegal_click_shows_the_rules_own_sentence_and_changes_nothing(opened):
    async with opened() as screen:
        await screen.click((3, 1))
        assert screen.text("note") == "a domino on b1 would lie across the lower edge"
        await screen.click((0, 0), (0, 0))
        assert screen.text("note") == "a4 is taken"
        assert screen.moves == ["a4v"]


async def test_a_click_beside_the_board_is_no_move(opened):
    async with opened() as screen:
        await screen.pilot.click(BoardView, offset=(0, 0))
        assert screen.moves == []


async def test_the_pointer_shows_the_domino_that_a_click_would_place(opened):
    async with opened() as screen:
        await screen.hover((1, 2))
        assert [(mark.row, mark.col, mark.rows, mark.cols) for mark in screen.look.ghosts] == [(1, 2, 2, 1)]
        await screen.hover((3, 2))
        assert screen.look.ghosts == ()
        assert screen.look.refused
        await screen.pilot.hover("#head")
        await screen.pilot.pause()
        assert screen.look.cursor is None


async def test_arrows_and_enter_play_without_a_mouse(opened):
    async with opened() as screen:
        await screen.press("up", "up", "left", "left", "left", "left", "enter")
        assert screen.moves == ["a3v"]
        await screen.press("down", "down", "down", "right", "space")
        assert screen.moves == ["a3v", "b1h"]


async def test_r_plays_a_random_move_until_the_game_is_over(opened):
    async with opened() as screen:
        while screen.app.match.to_move is not None:
            await screen.press("r")
        loser = screen.app.match.state.turn
        winner = ("Vertical", "Horizontal")[1 - loser]
        assert f"{winner} wins: no moves" in screen.text("status")
        played = screen.moves
        await screen.press("r")
        assert screen.text("note") == "the game is over; n begins a new one"
        await screen.press("3")
        assert screen.moves == played


async def test_undo_and_new_game(opened):
    async with opened() as screen:
        await screen.press("u")
        assert screen.text("note") == "there is no move of yours to take back"
        await screen.click((0, 0), (0, 1))
        await screen.press("u")
        assert screen.moves == ["a4v"]
        await screen.press("n")
        assert screen.moves == []
        assert screen.text("note") == "a new game"


async def test_help_is_one_page_that_any_key_closes(opened):
    async with opened() as screen:
        await screen.press("question_mark")
        assert isinstance(screen.app.screen, Help)
        await screen.press("q")
        assert not isinstance(screen.app.screen, Help)
        assert screen.app.is_running


async def test_the_board_grows_and_shrinks_with_the_terminal_and_by_keys(opened):
    async with opened("dominoes") as screen:
        assert screen.view.frame.size == Size(4, 2)
        await screen.pilot.resize_terminal(160, 50)
        await screen.pilot.pause()
        assert screen.view.frame.size == Size(10, 5)
        await screen.press("minus")
        assert screen.view.frame.size == Size(8, 4)
        await screen.click((7, 7), (6, 7))
        assert screen.moves == ["h2v"]


async def test_a_narrow_terminal_has_no_list_of_moves(opened):
    async with opened(size=(50, 20)) as screen:
        assert not screen.app.query_one("#side").display
        await screen.pilot.resize_terminal(80, 24)
        await screen.pilot.pause()
        assert screen.app.query_one("#side").display


@pytest.mark.slow
async def test_a_board_larger_than_the_terminal_scrolls_to_the_cursor(opened):
    async with opened("dominoes:rows=16,cols=16") as screen:
        await screen.press("down", *["down"] * 8, *["right"] * 8, "up", "enter")
        assert screen.moves == ["p2v"]
        assert screen.view.scroll_y > 0
        await screen.click((12, 12))
        assert screen.moves == ["p2v", "m4h"]


async def test_with_colour_the_board_is(opened):
    async with opened() as screen:
        assert len({style.bgcolor for style in screen.styles() if style}) > 2


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("spec", "cells", "notation"),
    [
        ("breakthrough", [(1, 2), (2, 3)], "c5-d4"),
        ("end_of_the_track", [(7, 3), (7, 1)], "@d1-b1"),
        ("end_of_the_track", [(7, 1), (5, 2)], "b1-c3"),
        ("rush_hour:board=..../..b./aab./....", [(1, 2), (0, 2)], "b-1"),
    ],
)
async def test_in_other_games_one_clicks_a_piece_and_then_its_target(opened, spec, cells, notation):
    async with opened(spec) as screen:
        await screen.click(cells[0])
        assert cells[0] in screen.look.held
        assert cells[1] in screen.look.targets
        await screen.click(cells[1])
        assert screen.moves == [notation]


async def test_escape_lets_go_of_a_piece(opened):
    async with opened("breakthrough") as screen:
        await screen.click((1, 2))
        await screen.press("escape")
        assert screen.look.held == frozenset()


async def test_a_puzzle_says_how_many_moves_it_took(opened):
    async with opened("rush_hour:board=..../..b./aab./....") as screen:
        assert "0 moves so far" in screen.text("status")
        await screen.press("1")
        await screen.until(lambda: screen.app.match.to_move is None)
        assert screen.text("status") == "Solved in 1 move"


async def test_the_last_move_is_marked(opened):
    async with opened() as screen:
        await screen.click((1, 1))
        assert screen.view._scene.last == ((1, 1), (2, 1))
        assert screen.app.match.moves == (Move(1, 1),)


async def test_p_passes_in_go_and_two_passes_end_the_game(opened):
    async with opened("go:size=5") as screen:
        assert screen.text("note") == "click a point, or ? for help"
        await screen.click((2, 2))
        await screen.press("p", "p")
        assert screen.moves == ["C3", "pass", "pass"]
        assert "Black wins" in screen.text("status")
        assert sum(mark.shape == "area" for mark in screen.view._scene.marks) == 24
        await screen.press("p")
        assert screen.text("note") == "the game is over; n begins a new one"


async def test_p_says_that_other_games_have_no_pass(opened):
    async with opened() as screen:
        await screen.press("question_mark")
        assert "pass" not in screen.app.screen_stack[-1]._text
        screen.app.screen_stack[-1].dismiss()
        screen.app.action_pass()
        assert screen.text("note") == "in Dominoes nobody passes by choice"
        assert screen.moves == []
