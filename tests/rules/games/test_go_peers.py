"""Random games of Go, scored by OpenSpiel."""

import random
from functools import cache

import pytest

from palio_rules.boards.go import PASS
from palio_rules.games.go import Go, GoOptions

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
RULES = Go()


@cache
def their_game(size, komi):
    return pyspiel.load_game("go", {"board_size": size, "komi": komi, "max_game_length": 3 * size * size})


def their_move(state, move):
    if move == PASS:
        return state.board.size**2
    row, col = state.board.cell(state.board.bits[move])
    return (state.board.size - 1 - row) * state.board.size + col


def check_one_game(size, seed):
    """Play a random game; OpenSpiel calls it a draw exactly if the komi is the difference that we have counted."""
    choose, actions = random.Random(seed), []
    state = RULES.start(GoOptions(size=size, komi=0))
    while state.to_move is not None:
        moves = state.legal_moves()
        move = choose.choice(moves[:-1]) if len(moves) > 1 and choose.random() < 0.98 else PASS
        actions.append(their_move(state, move))
        state = state.play(move)
    for komi, returns in ((state.margin(), [0, 0]), (state.margin() + 1, [-1, 1]), (state.margin() - 1, [1, -1])):
        theirs = their_game(size, komi).new_initial_state()
        for action in actions:
            theirs.apply_action(action)  # refuses an illegal one
        assert theirs.is_terminal()
        assert theirs.returns() == returns


@pytest.mark.parametrize("size", [5, 9, 13])
def test_openspiel_plays_and_scores_random_games_alike(size):
    for seed in range(40 if size < 13 else 10):
        check_one_game(size, seed)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("chunk", range(20))
def test_openspiel_scores_twenty_thousand_games_alike(chunk):
    for number in range(1000):
        check_one_game((5, 6, 7, 9)[number % 4], 1000 * chunk + number)
