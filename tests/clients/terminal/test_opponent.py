"""A bot across the board: asked as a server would ask it, and let go when the game goes another way."""

import asyncio
import sys
import threading
import time

import pytest

from palio_clients.sdk.bot import Bot
from palio_clients.sdk.failures import Resign
from palio_clients.sdk.loader import entrant_of, load
from palio_clients.terminal.opponent import GaveUp, Opponent
from palio_rules.contract.messages import Result
from palio_rules.games.dominoes import HORIZONTAL, Move
from palio_rules.registry import game

HEARD = []  # what the bots of these tests were told, across instances
THINKING, NOTICED = threading.Event(), threading.Event()


class Listening(Bot):
    games = ("dominoes",)

    def prepare(self, game, options, seat):
        HEARD.append(("prepare", game.name, options.rows, seat))

    def choose(self, state, clock):
        HEARD.append(("choose", self.game.format_state(state)))
        return next(state.legal_moves())

    def opponent_moved(self, seat, move):
        HEARD.append(("opponent", seat, move))

    def game_over(self, result):
        HEARD.append(("over", result))


class Stubborn(Listening):
    def choose(self, state, clock):
        return Move(0, 0)

    def move_rejected(self, move, code, reason):
        HEARD.append(("rejected", code, reason))


class Failing(Listening):
    def choose(self, state, clock):
        return 1 // 0


class Proud(Listening):
    def choose(self, state, clock):
        raise Resign


class Endless(Listening):
    def choose(self, state, clock):
        THINKING.set()
        while not clock.expired():
            time.sleep(0.001)
        NOTICED.set()
        return next(state.legal_moves())


@pytest.fixture
def heard():
    HEARD.clear()
    return HEARD


@pytest.fixture
async def opponent():
    made = []

    def make(bot):
        entrant = bot if not isinstance(bot, type) else entrant_of(bot)
        options = game("dominoes").parse_options({"rows": 3, "cols": 3})
        made.append(Opponent(entrant, options, HORIZONTAL, ("you", entrant.name), HEARD.append))
        return made[-1]

    yield make
    for each in made:
        await each.close()


@pytest.fixture
def match(table):
    return table.match("dominoes:rows=3,cols=3").play(Move(0, 0))


async def test_a_bot_hears_of_the_game_and_answers_with_a_legal_move(opponent, match, heard):
    assert await opponent(Listening).answer(match) == Move(0, 1)
    assert heard == [
        ("prepare", "dominoes", 3, HORIZONTAL),
        ("opponent", 0, Move(0, 0)),
        ("choose", "^../v../... horizontal"),
    ]


async def test_one_player_plays_a_whole_game_and_hears_its_end(opponent, match, heard):
    bot = opponent(Listening)
    while match.to_move is not None:
        move = await bot.answer(match) if match.to_move == HORIZONTAL else next(match.state.legal_moves())
        match = match.play(move)
    await bot.report_end(match)
    assert [line[0] for line in heard].count("prepare") == 1
    assert heard[-1] == ("over", Result("rule", "no-moves", list(match.outcome.scores)))


async def test_a_new_game_may_begin_while_the_last_one_is_still_being_told(opponent, match, heard):
    bot = opponent(Listening)
    over = match
    while over.to_move is not None:
        over = over.play(await bot.answer(over) if over.to_move == HORIZONTAL else next(over.state.legal_moves()))
    other = match.undo({0}).play(Move(1, 2))
    await asyncio.gather(bot.report_end(over), bot.answer(other))
    await bot.answer(other)
    calls = [line[0] for line in heard]
    assert calls.count("prepare") == 2
    assert calls.count("over") == 1


async def test_after_a_move_was_taken_back_a_new_player_hears_the_game_as_it_is(opponent, match, heard):
    bot = opponent(Listening)
    await bot.answer(match)
    heard.clear()
    other = match.undo({0}).play(Move(1, 2))
    assert await bot.answer(other) == Move(0, 0)
    assert heard[:2] == [("prepare", "dominoes", 3, HORIZONTAL), ("opponent", 0, Move(1, 2))]


async def test_three_illegal_moves_are_enough(opponent, match, heard):
    with pytest.raises(GaveUp, match=r"stubborn forfeits: 3 illegal moves, the last because a3 is taken"):
        await opponent(Stubborn).answer(match)
    assert heard.count(("rejected", "occupied", "a3 is taken")) == 3


async def test_a_bot_that_fails_is_told_of_in_one_line(opponent, match):
    with pytest.raises(GaveUp) as gave_up:
        await opponent(Failing).answer(match)
    assert "ZeroDivisionError" in str(gave_up.value)
    assert "\n" not in str(gave_up.value)


async def test_a_bot_may_resign(opponent, match):
    with pytest.raises(GaveUp, match="proud forfeits: it resigns"):
        await opponent(Proud).answer(match)


async def test_a_thought_that_is_cancelled_hears_of_it(opponent, match):
    thought = asyncio.create_task(opponent(Endless).answer(match))
    assert await asyncio.to_thread(THINKING.wait, 30)
    thought.cancel()
    with pytest.raises(asyncio.CancelledError):
        await thought
    assert await asyncio.to_thread(NOTICED.wait, 30)


async def test_a_student_s_file_plays_in_a_process_of_its_own(opponent, match, tmp_path):
    file = tmp_path / "adversarial_search.py"
    file.write_text(
        "class DominoesGame:\n"
        "    def __init__(self, board):\n"
        "        self.board = board\n"
        "    def get_best_move(self, vertical, limit):\n"
        "        assert not vertical and self.board[0][0]\n"
        "        return (2, 1), 0, 1\n"
    )
    assert await opponent(load(f"handout:dominoes:{file}")).answer(match) == Move(2, 1)


async def test_a_program_that_cannot_play_gives_up(opponent, match):
    with pytest.raises(GaveUp, match=r"forfeits: .* exited with status 3 in mid-match"):
        await opponent(load(f"exec:{sys.executable} -c 'raise SystemExit(3)'")).answer(match)
