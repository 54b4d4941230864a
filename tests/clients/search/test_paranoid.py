"""Paranoid: one seat against all the others."""

from hypothesis import given, settings
from hypothesis import strategies as st
from positions import duel_positions, evaluator, start, table_positions

from palio_clients.search.game_tree import History
from palio_clients.search.minimax import max_n, minimax, paranoid

evaluate = evaluator("chexers")


@given(duel_positions, st.integers(1, 3))
def test_paranoid_of_two_seats_is_minimax_with_no_more_nodes(found, depth):
    spec, state = found
    full, cut = minimax(state, depth, evaluator(spec)), paranoid(state, depth, evaluator(spec))
    assert (cut.move, cut.score, cut.pv) == (full.move, full.score, full.pv)
    assert cut.nodes <= full.nodes


@settings(max_examples=settings().max_examples // 2)
@given(table_positions, st.integers(1, 3))
def test_paranoid_of_three_seats_is_minimax_against_all_others(found, depth):
    _, state = found
    full = minimax(state, depth, evaluate)
    assert paranoid(state, depth, evaluate)[:3] == full[:3]
    assert paranoid(state, depth, evaluate, order=History()).score == full.score


def test_paranoid_fears_what_max_n_thinks_unlikely():
    """Both of the others could stop Red or help themselves: max^n trusts in their greed, paranoid does not."""
    state = start("chexers")
    for _ in range(3):
        assert paranoid(state, 3, evaluate).score <= max_n(state, 3, evaluate, seats=3).score
        state = state.play(next(iter(state.legal_moves())))
