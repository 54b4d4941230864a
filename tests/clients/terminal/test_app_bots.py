"""The screen of `palio play` with a bot across the board."""

import threading
import time

from palio_clients.sdk.bot import Bot


class First(Bot):
    def choose(self, state, clock):
        return next(state.legal_moves())


class Slow(Bot):
    """Thinks until it is told that nobody waits."""

    thinking = threading.Event()

    def choose(self, state, clock):
        self.thinking.set()
        while not clock.expired():
            time.sleep(0.001)
        return next(state.legal_moves())


class Broken(Bot):
    def choose(self, state, clock):
        print("about to fail")  # noqa: T201
        raise ValueError("no idea")


async def test_a_bot_answers_until_the_game_is_over(opened):
    async with opened(bot=First) as screen:
        await screen.click((0, 3))
        await screen.until(lambda: len(screen.moves) == 2)
        assert screen.moves == ["d4v", "a4h"]
        assert screen.text("note") == "first plays a4h"
        while screen.app.match.to_move is not None:
            await screen.press("r")
            await screen.until(lambda: screen.app.match.to_move in (0, None))
        assert screen.text("status").startswith(("You win (vertical)", "first wins (horizontal)"))


async def test_a_bot_in_the_first_seat_begins(opened):
    async with opened(bot=First, seat=0) as screen:
        await screen.until(lambda: screen.moves)
        assert screen.moves == ["a4v"]
        assert "Horizontal to move (you)" in screen.text("status")


async def test_undo_against_a_bot_takes_both_moves_back(opened):
    async with opened(bot=First) as screen:
        await screen.click((0, 3))
        await screen.until(lambda: len(screen.moves) == 2)
        await screen.press("u")
        assert screen.moves == []
        await screen.click((1, 1))
        await screen.until(lambda: len(screen.moves) == 2)
        assert screen.moves == ["b3v", "a4h"]


async def test_while_a_bot_thinks_the_move_can_be_taken_back_but_none_be_made(opened):
    Slow.thinking.clear()
    async with opened(bot=Slow) as screen:
        await screen.click((0, 0))
        await screen.until(Slow.thinking.is_set)
        assert "slow is thinking" in screen.text("status")
        await screen.click((2, 2))
        assert screen.text("note") == "slow is thinking; u takes your move back"
        await screen.press("u")
        assert screen.moves == []
        assert "Vertical to move (you)" in screen.text("status")


async def test_a_bot_that_fails_leaves_its_move_to_the_person(opened):
    async with opened(bot=Broken) as screen:
        await screen.click((0, 0))
        await screen.until(lambda: "forfeits" in screen.text("note"))
        assert screen.text("status") == "■ You win (vertical): broken forfeits, ValueError: no idea"
        assert "ValueError: no idea; play its move by hand, or n for a new game" in screen.text("note")
        await screen.click((3, 2))
        assert screen.moves == ["a4v", "c1h"]
        assert "about to fail" in "".join(screen.app.printed)


async def test_q_quits_even_while_a_bot_thinks(opened):
    Slow.thinking.clear()
    async with opened(bot=Slow) as screen:
        await screen.click((0, 0))
        await screen.until(Slow.thinking.is_set)
        await screen.press("q")
    assert screen.app.return_code == 0
