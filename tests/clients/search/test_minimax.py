"""Minimax is its definition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import at, duel_positions, evaluator, start

from palio_clients.search.game_tree import WIN
from palio_clients.search.minimax import alpha_beta, minimax


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
