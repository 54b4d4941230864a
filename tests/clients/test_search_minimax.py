"""Minimax, negamax and both forms of alpha-beta: one value, and what each costs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import at, duel_positions, evaluator, start

from palio_clients.search.alpha_beta import alpha_beta
from palio_clients.search.alpha_beta_minimax import alpha_beta_minimax
from palio_clients.search.game_tree import WIN, Stopped, worth
from palio_clients.search.minimax import minimax
from palio_clients.search.negamax import negamax
from palio_rules.game import Outcome

SEARCHES = (minimax, negamax, alpha_beta, alpha_beta_minimax)


def by_the_book(state, depth, evaluate, root, ply=0):
    """Russell and Norvig's definition of the minimax value, word for word."""
    outcome = state.outcome()
    if outcome is not None:
        return (outcome.scores[root] - outcome.scores[1 - root]) * (WIN - ply)
    if depth == 0:
        return evaluate(state, root)
    values = [by_the_book(state.play(move), depth - 1, evaluate, root, ply + 1) for move in state.legal_moves()]
    return max(values) if state.to_move == root else min(values)


def nodes_of(state, depth):
    """All positions within `depth` plies, each as often as ways lead to it."""
    return 1 + sum(nodes_of(state.play(move), depth - 1) for move in state.legal_moves() if depth)


@given(duel_positions, st.integers(1, 2))
def test_minimax_is_its_definition_and_visits_every_node(found, depth):
    spec, state = found
    best = minimax(state, depth, evaluator(spec))
    assert best.score == by_the_book(state, depth, evaluator(spec), state.to_move)
    assert best.nodes == nodes_of(state, depth)
    assert best.depth == depth


@given(duel_positions, st.integers(1, 2))
def test_negamax_finds_the_move_score_line_and_nodes_of_minimax(found, depth):
    spec, state = found
    assert negamax(state, depth, evaluator(spec)) == minimax(state, depth, evaluator(spec))


@settings(max_examples=50)
@given(duel_positions, st.integers(1, 3))
def test_alpha_beta_finds_the_move_and_score_of_minimax_with_no_more_nodes(found, depth):
    spec, state = found
    full, cut = minimax(state, depth, evaluator(spec)), alpha_beta(state, depth, evaluator(spec))
    assert (cut.move, cut.score, cut.pv) == (full.move, full.score, full.pv)
    assert cut.nodes <= full.nodes


@given(duel_positions, st.integers(1, 3), st.floats(-5, 5), st.floats(0.1, 5))
def test_both_forms_of_alpha_beta_are_the_same_node_for_node_in_any_window(found, depth, alpha, width):
    spec, state = found
    window = {"alpha": alpha, "beta": alpha + width}
    assert alpha_beta(state, depth, evaluator(spec)) == alpha_beta_minimax(state, depth, evaluator(spec))
    assert alpha_beta(state, depth, evaluator(spec), **window) == alpha_beta_minimax(
        state, depth, evaluator(spec), **window
    )


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


@given(duel_positions, st.sampled_from(SEARCHES), st.integers(1, 3))
def test_the_principal_variation_can_be_played_and_leads_to_the_score(found, search, depth):
    spec, state = found
    best, end = search(state, min(depth, 2) if search in (minimax, negamax) else depth, evaluator(spec)), state
    for move in best.pv:
        end.check(move)
        end = end.play(move)
    assert best.move == best.pv[0]
    if (outcome := end.outcome()) is None:
        assert len(best.pv) == best.depth
        assert best.score == evaluator(spec)(end, state.to_move)
    else:
        assert best.score == worth(outcome, state.to_move, len(best.pv))


def test_the_tree_of_knuth_and_moore_has_its_best_case():
    """With the best move first b^ceil(d/2) + b^floor(d/2) - 1 leaves are left of b^d: here all moves are equal."""
    state = start("dominoes:rows=8,cols=8")
    asked = []
    alpha_beta(state, 2, lambda state, seat: asked.append(state) or 0.0)
    first = next(iter(state.legal_moves()))
    replies = len(list(state.play(first).legal_moves()))
    assert len(asked) == replies + len(list(state.legal_moves())) - 1


@pytest.mark.parametrize("search", SEARCHES)
def test_of_two_wins_the_quicker_one_is_chosen(search):
    state = at("breakthrough", "...../...../B.B../...../....B/W..W. black")
    best = search(state, 3, evaluator("breakthrough"))
    assert best.score == WIN - 1
    assert best.move == ((4, 4), (5, 3))


@pytest.mark.parametrize("search", SEARCHES)
def test_of_equal_moves_the_first_is_best(search):
    state = start("dominoes:rows=4,cols=4")
    assert search(state, 2, lambda *_: 0.0).move == next(iter(state.legal_moves()))


@pytest.mark.parametrize(("pieces", "plies"), [
    ("49,37,46,41,55,41,50,51,52,53,54,52", 1),
    ("44,37,46,34,40,34,1,2,52,4,5,52", 3),
])  # fmt: skip
def test_the_courses_forced_wins_of_end_of_the_track_are_found(pieces, plies):
    best = alpha_beta(at("end_of_the_track", f"{pieces} white 0/300"), 3, evaluator("end_of_the_track"))
    assert best.score == WIN - plies
    assert len(best.pv) == plies


@pytest.mark.parametrize(("side", "winner"), [(2, 0), (3, 0), (4, 0)])
def test_domineering_on_small_squares_is_won_by_the_first_player_as_proven(side, winner):
    state = start(f"dominoes:rows={side},cols={side}")
    assert (alpha_beta(state, 64, lambda *_: 0.0).score > 0) is (winner == 0)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_stopped_search_raises_and_gives_nothing(search):
    with pytest.raises(Stopped):
        search(start("breakthrough"), 6, lambda *_: 0.0, stop=lambda: True)


@given(duel_positions, st.sampled_from(SEARCHES))
def test_stop_is_asked_once_at_every_node(found, search):
    spec, state = found
    asked = []
    best = search(state, 2, evaluator(spec), stop=lambda: bool(asked.append(None)))
    assert len(asked) == best.nodes


@pytest.mark.parametrize(("scores", "values"), [
    ((1.0, 0.0), (1, -1)),
    ((0.5, 0.5), (0, 0)),
    ((0.0, 1.0, 0.0), (-0.5, 1, -0.5)),
    ((1 / 3, 1 / 3, 1 / 3), (0, 0, 0)),
    ((0.5, 0.0, 0.5), (0.25, -0.5, 0.25)),
])  # fmt: skip
def test_the_worth_of_an_end_adds_up_to_nothing_over_all_seats(scores, values):
    found = [worth(Outcome("any", scores), seat, 10) for seat in range(len(scores))]
    assert found == pytest.approx([value * (WIN - 10) for value in values])
    assert sum(found) == pytest.approx(0)
