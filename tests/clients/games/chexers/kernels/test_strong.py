"""Chexers' strong search: paranoid's score, a line that can be played, and better than what it is built on."""

import pytest
from chexers_positions import positions, somewhere
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.games.chexers.kernels import ChexersEngine, paranoid
from palio_clients.search.game_tree import WIN, Stopped
from palio_rules.games.chexers import Position

pytestmark = pytest.mark.slow  # compiles; in `make test` the kernels of Rush Hour stand for all

OPEN = st.builds(somewhere, st.integers(0, 10_000), st.integers(0, 60))


@settings(deadline=None)
@given(OPEN, st.integers(1, 5))
def test_the_score_is_paranoids_wherever_nobody_else_wins(state, depth):
    score = paranoid(state, depth).score
    found = ChexersEngine(exact=True, bits=6).search(state, depth).score
    if score > -WIN / 4:
        assert found == pytest.approx(score, abs=0.01)
    else:
        assert found < -WIN / 4


@settings(deadline=None, max_examples=30)
@given(OPEN, st.integers(3, 5))
def test_the_table_and_the_order_that_earlier_depths_leave_do_not_change_the_score(state, depth):
    for best in ChexersEngine(exact=True, bits=8).deepen(state, max_depth=depth):
        score = paranoid(state, best.depth).score
        assert best.score == pytest.approx(score, abs=0.01) or min(best.score, score) < -WIN / 4


@settings(deadline=None)
@given(positions, st.integers(1, 6))
def test_its_line_can_be_played_and_begins_with_its_move(state, depth):
    best = ChexersEngine(bits=6).best(state, max_depth=depth)
    assert best.move == best.pv[0]
    for move in best.pv:
        state.check(move)
        state = state.play(move)


def test_a_win_is_found_at_its_shortest():
    state = Position.of("." * 15 + "...r..r" + "." * 5 + "r" + "." * 5 + "bg..", (2, 0, 0))
    best = ChexersEngine(bits=8).best(state)
    assert best.score == paranoid(state, best.depth).score
    assert best.score > WIN / 2


def test_it_wins_more_than_its_share_against_two_that_look_three_plies_ahead():
    shares = []
    for game in range(12):
        seat, state, engine = game % 3, somewhere(game, 3), ChexersEngine(bits=12)
        while state.outcome() is None:
            best = engine.best(state, max_nodes=20_000) if state.turn == seat else paranoid(state, 3)
            state = state.play(best.move)
        shares.append(state.outcome().scores[seat])
    assert sum(shares) > 12 / 3


def test_the_same_search_finds_the_same_in_the_same_number_of_nodes():
    found = [ChexersEngine(bits=10).best(Position.of(), max_depth=7) for _ in range(2)]
    assert found[0] == found[1]


def test_a_limit_of_nodes_is_kept_to_the_last_one():
    best = ChexersEngine(bits=10).best(Position.of(), max_nodes=5000)
    assert best.depth >= 2
    assert best.nodes <= 5000


def test_there_is_an_answer_even_if_there_is_no_time_at_all():
    best = ChexersEngine(bits=6).best(Position.of(), lambda: True)
    assert best.depth == 1
    Position.of().check(best.move)


def test_a_stopped_search_of_one_depth_raises():
    with pytest.raises(Stopped):
        ChexersEngine(bits=6).search(Position.of(), 60, stop=lambda: True)
