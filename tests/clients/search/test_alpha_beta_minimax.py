"""Both forms of alpha-beta visit the same nodes."""

from hypothesis import given
from hypothesis import strategies as st
from positions import duel_positions, evaluator

from palio_clients.search.minimax import alpha_beta, alpha_beta_minimax


@given(duel_positions, st.integers(1, 3), st.floats(-5, 5), st.floats(0.1, 5))
def test_both_forms_of_alpha_beta_are_the_same_node_for_node_in_any_window(found, depth, alpha, width):
    spec, state = found
    window = {"alpha": alpha, "beta": alpha + width}
    assert alpha_beta(state, depth, evaluator(spec)) == alpha_beta_minimax(state, depth, evaluator(spec))
    assert alpha_beta(state, depth, evaluator(spec), **window) == alpha_beta_minimax(
        state, depth, evaluator(spec), **window
    )
