"""Monte Carlo tree search finds what can be forced, and repeats itself under a seed."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import DUELS, TABLE, at, evaluator, somewhere, start, table_positions

from palio_clients.search.mcts import Playout, mcts
from palio_clients.search.proof_number import proof_number

to_the_end = Playout(2, lambda *_: 0.0)


def search(state, nodes, seed=1, playout=to_the_end):
    return mcts(state, playout, random=Random(seed), nodes=nodes)


@pytest.mark.parametrize("spec", ["breakthrough:rows=4,cols=3", "dominoes:rows=3,cols=4", "dominoes:rows=4,cols=4"])
def test_in_a_won_position_a_move_that_wins_is_found(spec):
    won = 0
    for seed in range(20):
        _, state = somewhere(spec, seed, 4)
        winning = [move for move in state.legal_moves() if not loses_after(state, move)]
        if winning:
            assert search(state, 1500, seed).move in winning
            won += len(winning) < len(list(state.legal_moves()))
    assert won >= 3  # and it could have gone wrong


def loses_after(state, move):
    """Whether `move` throws the win away, as a proof says."""
    after = state.play(move)
    if (outcome := after.outcome()) is not None:
        return outcome.scores[state.to_move] != 1
    return proof_number(after).wins is not False


@pytest.mark.first(1)
@pytest.mark.parametrize("seed", range(3))
def test_the_courses_forced_win_in_three_plies_is_found(seed):
    state = at("end_of_the_track", "44,37,46,34,40,34,1,2,52,4,5,52 white 0/300")
    best = search(state, 3000, seed, Playout(2, evaluator("end_of_the_track"), 2))
    assert best.move == (5, 40) or state.play(best.move).outcome() is None
    assert best.score > 0.6


def test_the_score_comes_near_to_the_truth():
    """Vertical, who moves first, wins on 4x4, and so it does on 3x3; there Horizontal is lost after the right move."""
    assert search(start("dominoes:rows=4,cols=4"), 8000).score > 0.8
    state = start("dominoes:rows=3,cols=3")
    assert search(state.play(search(state, 500).move), 500).score == 0


@given(st.sampled_from(DUELS), st.integers(0, 50), st.integers(1, 60))
def test_the_same_seed_and_nodes_find_the_same(spec, seed, nodes):
    _, state = somewhere(spec, seed, 6)
    playout = Playout(2, evaluator(spec), 4)
    assert search(state, nodes, seed, playout) == search(state, nodes, seed, playout)


@given(table_positions, st.integers(1, 40))
def test_the_line_can_be_played_and_the_score_is_a_share(found, nodes):
    _, state = found
    best = search(state, nodes, 1, Playout(3, evaluator(TABLE), 3))
    assert best.move == best.pv[0]
    assert len(best.pv) <= best.depth
    assert best.nodes == nodes
    assert 0 <= best.score <= 1
    for move in best.pv:
        state.check(move)
        state = state.play(move)


def test_a_win_in_one_is_found_at_a_table():
    state = at("chexers", "..../...../....../......r/b..g../...../.... 3,3,3 red 40/256")
    assert search(state, 200, 1, Playout(3, evaluator(TABLE), 3)).move == ("EXIT", (3, 0))


def test_stop_ends_it_but_not_before_the_first_playout():
    asked = []
    best = mcts(
        start("breakthrough"), to_the_end, random=Random(1), nodes=50, stop=lambda: len(asked) > 8 or asked.append(1)
    )
    assert best.nodes == 10
    assert mcts(start("breakthrough"), to_the_end, random=Random(1), nodes=50, stop=lambda: True).nodes == 1
