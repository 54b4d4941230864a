"""Negamax finds what minimax finds."""

from hypothesis import given
from hypothesis import strategies as st
from positions import duel_positions, evaluator

from palio_clients.search.minimax import minimax, negamax


@given(duel_positions, st.integers(1, 2))
def test_negamax_finds_the_move_score_line_and_nodes_of_minimax(found, depth):
    spec, state = found
    assert negamax(state, depth, evaluator(spec)) == minimax(state, depth, evaluator(spec))
