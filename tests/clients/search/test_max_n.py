"""Max^n: each seat for itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import at, duel_positions, evaluator, start, table_positions

from palio_clients.search.game_tree import WIN, Stopped, worth
from palio_clients.search.minimax import max_n, minimax, paranoid

evaluate = evaluator("chexers")


@given(duel_positions, st.integers(1, 2))
def test_max_n_of_two_seats_is_minimax(found, depth):
    spec, state = found
    assert max_n(state, depth, evaluator(spec), seats=2) == minimax(state, depth, evaluator(spec))


@given(table_positions)
def test_nobody_at_the_table_does_better_than_max_n_expects_by_another_move(found):
    _, state = found
    best = max_n(state, 2, evaluate, seats=3)
    for move in state.legal_moves():
        after = state.play(move)
        if after.outcome() is None:
            end = after.play(max_n(after, 1, evaluate, seats=3).move)
            outcome = end.outcome()
            value = evaluate(end, state.to_move) if outcome is None else worth(outcome, state.to_move, 2)
            assert value <= best.score


@given(table_positions, st.integers(1, 3))
def test_the_line_can_be_played_and_leads_to_the_score(found, depth):
    _, state = found
    for best in (max_n(state, min(depth, 2), evaluate, seats=3), paranoid(state, depth, evaluate)):
        end = state
        for move in best.pv:
            end.check(move)
            end = end.play(move)
        if (outcome := end.outcome()) is None:
            assert best.score == evaluate(end, state.to_move)
        else:
            assert best.score == worth(outcome, state.to_move, len(best.pv))


def test_a_win_in_one_is_found_at_the_table():
    state = at("chexers", "..../...../....../......r/b...../...../.... 3,3,3 red 40/256")
    for best in (max_n(state, 3, evaluate, seats=3), paranoid(state, 3, evaluate)):
        assert best.move == ("EXIT", (3, 0))
        assert best.score == WIN - 1


def test_a_seat_that_was_thrown_out_is_passed_over():
    state = start("chexers").without(1)
    for best in (max_n(state, 2, evaluate, seats=3), paranoid(state, 2, evaluate)):
        assert state.play(best.pv[0]).to_move == 2
        assert len(best.pv) == 2


def test_a_pass_is_a_move_like_any_other():
    state = at("chexers", "..../...../....../...g.../b...../...../.... 0,0,0 red 3/256")
    assert [best.move.kind for best in (max_n(state, 2, evaluate, seats=3), paranoid(state, 2, evaluate))] == [
        "PASS"
    ] * 2


@pytest.mark.parametrize("search", [lambda *args, **kw: max_n(*args, seats=3, **kw), paranoid])
def test_a_stopped_search_raises(search):
    with pytest.raises(Stopped):
        search(start("chexers"), 4, evaluate, stop=lambda: True)
