"""Playing for mistakes in Dominoes: never while there is a win, and then with as few winning replies as can be."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import somewhere

from palio_clients.games import companion_of
from palio_clients.games.dominoes.swindle import SwindleEngine
from palio_clients.games.engine import Limits
from palio_clients.search.game_tree import WIN, never
from palio_rules.registry import game_from_spec

pytestmark = pytest.mark.slow  # compiles; in `make test` the kernels of Rush Hour stand for all
SPEC = "dominoes:rows=5,cols=5"
positions = st.builds(lambda seed, plies: somewhere(SPEC, seed, plies)[1], st.integers(0, 1000), st.integers(2, 8))


@cache
def wins(state):
    """By looking at every game that is left."""
    return any(not wins(state.play(move)) for move in state.legal_moves())


def share(state):
    """Of the replies in a position, those that win."""
    after = [state.play(move) for move in state.legal_moves()]
    return sum(not wins(each) for each in after) / len(after) if after else 1.0


@pytest.fixture(scope="module")
def engine():
    made = companion_of("dominoes").engine(*game_from_spec(SPEC))
    made.warm_up()
    return made


def test_dominoes_is_played_for_mistakes(engine):
    assert isinstance(engine, SwindleEngine)


@settings(deadline=None, max_examples=2 * settings().max_examples // 3)
@given(positions)
def test_a_win_is_kept_and_a_loss_leaves_the_smallest_share_of_winning_replies(engine, state):
    best = engine.best(state, Limits(), never)
    assert (best.score > WIN / 2) is wins(state)
    if wins(state):
        assert not wins(state.play(best.move))
    else:
        assert share(state.play(best.move)) == min(share(state.play(move)) for move in state.legal_moves())


@settings(deadline=None, max_examples=settings().max_examples // 3)
@given(positions, st.integers(2200, 9000))
def test_hope_keeps_to_the_limit_of_nodes(engine, state, limit):
    assert engine.best(state, Limits(nodes=limit), never).nodes <= limit


@settings(deadline=None, max_examples=settings().max_examples // 5)
@given(positions)
def test_without_any_time_there_is_a_legal_move_all_the_same(engine, state):
    state.check(engine.best(state, Limits(), lambda: True).move)
