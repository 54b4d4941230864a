"""What all searches of a game tree have in common: lines, ties, stops and the worth of an end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import at, duel_positions, evaluator, start

from palio_clients.search.game_tree import WIN, Stopped, worth
from palio_clients.search.minimax import alpha_beta, alpha_beta_minimax, minimax, negamax
from palio_rules.game import Outcome

SEARCHES = (minimax, negamax, alpha_beta, alpha_beta_minimax)


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
