"""A third party's companion serves bots, solvers and boards as ours do, without a word about it in our code."""

import subprocess
import sys
from functools import reduce
from operator import xor

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual.widgets import Static

from palio_clients.agents.greedy import GreedyBot
from palio_clients.agents.searcher import AlphaBetaBot
from palio_clients.cli.play import play
from palio_clients.games import companion_of
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.join import entrant_of
from palio_clients.solving.budget import Budget
from palio_clients.terminal.app import PlayApp
from palio_clients.terminal.board import BoardView
from palio_clients.terminal.opponent import LocalMatch

once_installed = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
heaps = st.lists(st.integers(0, 5), min_size=1, max_size=4).filter(any)


def position(rules, sizes):
    return rules.parse_state(f"{''.join(map(str, sizes))} 0 oo -1")


def is_won(state):
    """By Bouton's theorem (1901), for the side to move."""
    return reduce(xor, state.heaps) != 0


@pytest.mark.parametrize("bot", [GreedyBot, lambda: AlphaBetaBot(depth=1)])
@once_installed
@given(sizes=heaps)
def test_bots_use_its_evaluation(nim, bot, sizes):
    """One ply deep they would see nothing without it; with it they leave the opponent a lost position."""
    state, player = position(nim, sizes), bot()
    player.game, player.options, player.seat = nim, nim.options_type(), 0
    if is_won(state):
        assert not is_won(state.play(player.choose(state, Clock())))


@once_installed
@given(sizes=heaps)
def test_its_solver_agrees_with_the_theorem_and_shows_how(nim, sizes):
    state = position(nim, sizes)
    found = companion_of("nim").solver(nim).solve(state, Budget())
    assert found.verdict == ("win" if is_won(state) else "loss")
    for move in found.line:
        state.check(move)
        state = state.play(move)
    assert state.outcome().scores[0] == (found.verdict == "win")


@pytest.mark.first(1)
@pytest.mark.parametrize(("text", "message"), [("357 0 oo -1", "first wins"), ("246 1 oo -1", "first wins")])
def test_palio_solve_asks_it(third_party, text, message):
    """2, 4, 6 is lost for the side to move, which is the second."""
    command = [sys.executable, "-m", "palio_clients", "solve", "nim", text]
    done = subprocess.run(command, env=third_party, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"{message}\nline of ")
    assert done.stdout.endswith("; every position of the heaps\n")


@pytest.mark.slow
async def test_palio_play_has_its_board_by_touch_with_help_and_advice(nim):
    options = nim.options_type(heaps=3)
    app = PlayApp(LocalMatch.begin(nim, options), options)
    async with app.run_test(size=(80, 24)) as pilot:
        view = app.query_one(BoardView)

        async def click(cell):
            await pilot.pause()
            await pilot.click(BoardView, offset=view.position_of(cell))
            await pilot.pause()

        await click((0, 3))
        assert "heap 0 has no stone there" in str(app.query_one("#note", Static).render())
        await click((2, 1))
        await click((1, 0))
        assert [text for _, text in app.match.notations()] == ["2x2", "1x2"]
        assert "2 left" in str(app.query_one("#status", Static).render())
        await pilot.press("question_mark")
        assert "Click a stone" in str(app.screen.query_one(Static).render())
        await pilot.press("x")
        await click((2, 0))
        await click((0, 0))
        assert app.match.outcome.scores == (0.0, 1.0)


def test_palio_play_knows_of_its_board(nim):
    done = CliRunner().invoke(play, ["nim"])
    assert "palio play draws on a terminal, and this is none" in done.stderr


async def test_its_bot_plays_its_board(nim):
    """The bot, which uses its evaluation, cannot be beaten from 1, 2, 3 by who begins."""
    options = nim.options_type(heaps=3)
    app = PlayApp(LocalMatch.begin(nim, options), options, {1: entrant_of(GreedyBot)})
    async with app.run_test(size=(80, 24)) as pilot:
        while app.match.to_move is not None:
            if app.match.to_move == 0:
                await pilot.press("1")
            await app.workers.wait_for_complete()
            await pilot.pause()
        assert app.match.outcome.scores == (0.0, 1.0)
