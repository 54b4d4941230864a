"""A table answers what a search without it would find, for any game, depth and history."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import DUELS, duel_positions, evaluator, orders, start

from palio_clients.games import companion_of
from palio_clients.search.game_tree import WIN, Best, History, Table, deepening, worth
from palio_clients.search.minimax import alpha_beta, minimax

END = "end_of_the_track"


SHUFFLE = ((0, 16), (0, 37), (0, 1), (0, 50))


def table_for(spec, size=1 << 16):
    return Table(size, companion_of(spec.partition(":")[0]).lookback)


@given(duel_positions, orders, st.sampled_from([3, 1 << 16]), st.integers(1, 3))
def test_with_any_table_and_order_alpha_beta_has_minimaxs_score(found, order, size, depth):
    spec, state = found
    plain = alpha_beta(state, depth, evaluator(spec)).score
    assert alpha_beta(state, depth, evaluator(spec), order=order, table=table_for(spec, size)).score == plain


@pytest.mark.slow
@settings(max_examples=15)  # of twelve searches each
@given(duel_positions, st.integers(0, 1000))
def test_a_table_that_lasts_for_a_game_answers_as_if_it_were_new(found, seed):
    spec, state = found
    table, order, random = table_for(spec), History(), Random(seed)
    for _ in range(4):
        for depth in (1, 2, 3):
            best = alpha_beta(state, depth, evaluator(spec), order=order, table=table)
            assert best.score == alpha_beta(state, depth, evaluator(spec)).score
        state = state.play(random.choice(list(state.legal_moves())))
        if state.outcome() is not None:
            break


@given(duel_positions, st.integers(1, 3))
def test_the_line_from_a_table_can_be_played_and_leads_to_the_score(found, depth):
    spec, state = found
    table = table_for(spec)
    *_, best = deepening(lambda d, stop: alpha_beta(state, d, evaluator(spec), table=table), max_depth=depth)
    end = state
    for move in best.pv:
        end.check(move)
        end = end.play(move)
    if (outcome := end.outcome()) is None:
        assert len(best.pv) == best.depth
        assert best.score == evaluator(spec)(end, state.to_move)
    else:
        assert best.score == worth(outcome, state.to_move, len(best.pv))


def test_a_small_square_of_domineering_is_solved_with_a_fifth_of_the_nodes():
    state = start("dominoes:rows=4,cols=5")
    plain, helped = (alpha_beta(state, 64, lambda *_: 0.0, table=table) for table in (None, Table()))
    assert helped.score == plain.score
    assert helped.nodes * 5 < plain.nodes


def shuffled(plies):
    """End of the Track after so many plies of moving to and fro."""
    state = start(END)
    for ply in range(plies):
        state = state.play(state_move(state, SHUFFLE[ply % 4]))
    return state


def state_move(state, move):
    return next(legal for legal in state.legal_moves() if legal == move)


def test_equal_positions_with_another_history_are_worth_something_else():
    """The trap itself: a table that does not look back takes an old score for a position that now is a draw."""
    fresh, again = shuffled(3), shuffled(7)  # a ply before the first position comes back: once, and for good
    assert fresh == again

    def proud(state, seat):  # whoever has White's seat is content
        return 7.0 if seat == 0 else -7.0

    naive, looking = Table(), table_for(END)
    for table in (naive, looking):
        alpha_beta(fresh, 1, proud, table=table)
    truth = minimax(again, 1, proud).score
    assert truth == 0.0  # Black draws by repetition rather than lose by 7
    assert alpha_beta(again, 1, proud, table=looking).score == truth
    assert alpha_beta(again, 1, proud, table=naive).score != truth


@settings(max_examples=settings().max_examples // 4)
@given(st.integers(0, 8), st.integers(0, 8), st.integers(1, 4))
def test_shuffling_to_a_repetition_never_deceives_a_table_that_looks_back(first, second, depth):
    table = table_for(END)
    for plies in (first, second):
        state = shuffled(min(plies, 7))
        expected = alpha_beta(state, depth, evaluator(END)).score
        assert alpha_beta(state, depth, evaluator(END), table=table, order=History()).score == expected


@pytest.mark.parametrize("spec", DUELS)
def test_what_a_lookback_says_can_be_compared_and_hashed(spec):
    lookback = companion_of(spec.partition(":")[0]).lookback
    assert hash(lookback(start(spec), 3)) == hash(lookback(start(spec), 3))


def test_a_decided_score_is_kept_by_its_distance_from_the_position():
    table, state = Table(), start("breakthrough")
    table.keep(state, 2, -1.0, 2 * WIN, Best("move", WIN - 5, 3, 10, ("move",)))  # won three plies below
    assert table.answer(state, 3, 10, -1.0, 2 * WIN) == Best("move", WIN - 13, 3, 1, ("move",))


@pytest.mark.parametrize(("score", "window", "answered"), [
    (3.0, (0.0, 5.0), True),  # exact: for any window
    (6.0, (0.0, 5.0), True),  # at least 6, and 5 is enough
    (6.0, (0.0, 9.0), False),
    (-1.0, (0.0, 5.0), True),  # at most -1, and 0 is there already
    (-1.0, (-4.0, 5.0), False),
])  # fmt: skip
def test_a_bound_answers_only_where_it_is_enough(score, window, answered):
    table, state = Table(), start("breakthrough")
    table.keep(state, 0, 0.0, 5.0, Best("move", score, 3, 10, ("move",)))
    assert (table.answer(state, 3, 0, *window) is not None) is answered
    assert table.answer(state, 2, 0, *window) is None
    assert table.hint(state) == "move"


def test_a_full_table_forgets_the_oldest():
    table, states = Table(size=2), [start(f"dominoes:rows={rows},cols=3") for rows in (1, 2, 3)]
    for state in (*states[:2], states[0], states[2]):
        table.keep(state, 0, 0.0, 1.0, Best("move", 0.5, 1, 2, ("move",)))
    assert [table.hint(state) for state in states] == ["move", None, "move"]
