"""Alpha-beta finds what minimax finds, with fewer nodes."""

from hypothesis import given, settings
from hypothesis import strategies as st
from positions import duel_positions, evaluator, start

from palio_clients.search.minimax import alpha_beta, minimax


@settings(max_examples=settings().max_examples // 2)
@given(duel_positions, st.integers(1, 3))
def test_alpha_beta_finds_the_move_and_score_of_minimax_with_no_more_nodes(found, depth):
    spec, state = found
    full, cut = minimax(state, depth, evaluator(spec)), alpha_beta(state, depth, evaluator(spec))
    assert (cut.move, cut.score, cut.pv) == (full.move, full.score, full.pv)
    assert cut.nodes <= full.nodes


@given(duel_positions, st.floats(-5, 5), st.floats(0.1, 5))
def test_a_window_gives_bounds_on_the_true_value(found, alpha, width):
    spec, state = found
    true, beta = alpha_beta(state, 2, evaluator(spec)).score, alpha + width
    score = alpha_beta(state, 2, evaluator(spec), alpha=alpha, beta=beta).score
    if score <= alpha:
        assert true <= score
    elif score >= beta:
        assert true >= score
    else:
        assert true == score


def test_the_tree_of_knuth_and_moore_has_its_best_case():
    """With the best move first b^ceil(d/2) + b^floor(d/2) - 1 leaves are left of b^d: here all moves are equal."""
    state = start("dominoes:rows=8,cols=8")
    asked = []
    alpha_beta(state, 2, lambda state, seat: asked.append(state) or 0.0)
    first = next(iter(state.legal_moves()))
    replies = len(list(state.play(first).legal_moves()))
    assert len(asked) == replies + len(list(state.legal_moves())) - 1
