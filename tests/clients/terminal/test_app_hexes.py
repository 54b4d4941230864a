"""The screen of `palio play` with a board of hexagons: three at the table, and a puzzle."""

from palio_clients.sdk.bot import Bot

TURNING = "..../...../....../..rg.../....../...../b... 0,0,0 red 0/256"
LEAVING = "..../...../....../......r/....../...../.... red 0/256"
LOST = "..../...../....../.g...b./....../...../.... 3,0,0 red 0/2"  # red has no piece left


class First(Bot):
    def choose(self, state, clock):
        return next(state.legal_moves())


async def test_two_bots_answer_and_the_note_tells_of_both(opened):
    async with opened("chexers", First, seat=(1, 2)) as screen:
        await screen.click((3, 0))
        assert screen.look.targets == {(2, 1), (3, 1)}
        await screen.click((3, 1))
        await screen.until(lambda: len(screen.moves) == 3)
        assert screen.moves[0] == "(-3,0)-(-2,0)"
        assert screen.text("note") == f"first-green plays {screen.moves[1]}; first-blue plays {screen.moves[2]}"
        assert screen.text("status").startswith("● Red to move (you)  ·  off the board: red 0, green 0, blue 0 (of 4)")
        await screen.press("u")
        assert screen.moves == []


async def test_a_jump_is_made_with_keys_and_tells_what_it_turns(opened):
    async with opened("chexers", position=TURNING) as screen:
        await screen.press("left", "left", "enter", "right", "right")
        assert {(mark.row, mark.col) for mark in screen.look.ghosts} == {(3, 3), (3, 4)}
        await screen.press("enter")
        assert (
            screen.text("note")
            == "red plays (-1,0)^(1,0), (0, 0) turns from green to red; green cannot move and passes"
        )
        assert screen.moves == ["(-1,0)^(1,0)", "pass"]


async def test_a_forced_pass_is_made_by_itself_said_and_not_taken_back(opened):
    async with opened("chexers", First, seat=(1, 2), position=LOST) as screen:
        assert screen.text("note").startswith("you cannot move and pass")
        await screen.until(lambda: screen.app.match.to_move is None)
        assert [screen.moves[0], screen.moves[3]] == ["pass", "pass"]
        assert screen.text("status").startswith("Draw: max turns")
        await screen.press("u")
        assert screen.text("note") == "there is no move of yours to take back"


async def test_a_piece_leaves_the_board_when_it_is_clicked_twice(opened):
    async with opened("chexers_solo", position=LEAVING) as screen:
        await screen.click((3, 6))
        assert screen.look.leaves
        assert screen.text("note").startswith("touch it again and it leaves the board")
        assert "1 still on the board" in screen.text("status")
        await screen.press("escape")
        assert not screen.look.held
        await screen.click((3, 6), (3, 6))
        assert screen.moves == ["(3,0)-exit"]
        assert screen.text("status").startswith("Solved in 1 move")


async def test_the_board_is_zoomed_and_clicked_at_any_size(opened):
    async with opened("chexers", size=(60, 20)) as screen:
        for _ in range(6):
            await screen.press("plus")
        await screen.press("minus", "minus", "minus")
        await screen.click((3, 0), (3, 1))
        assert screen.moves == ["(-3,0)-(-2,0)"]
