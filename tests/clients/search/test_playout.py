"""A playout gives each seat its share of one point."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import TABLE, at, evaluator, start, table_positions

from palio_clients.search.mcts import Playout

to_the_end = Playout(2, lambda *_: 0.0)


@given(table_positions, st.integers(0, 6), st.integers(0, 99))
def test_a_playout_shares_out_one_point(found, plies, seed):
    _, state = found
    assert sum(Playout(3, evaluator(TABLE), plies or 2)(state, Random(seed))) == pytest.approx(1)


def test_a_playout_to_the_end_gives_the_scores_of_the_rules():
    state = start("dominoes:rows=2,cols=2")
    assert Counter(to_the_end(state, Random(seed)) for seed in range(9)) == {(1.0, 0.0): 9}


def test_a_decided_position_is_not_played_on():
    state = at("breakthrough", "..../..../..../..B. white")
    assert to_the_end(state, Random(1)) == (1.0, 0.0)
