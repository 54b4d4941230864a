"""Breakthrough's strong search: plain alpha-beta's score where it is not clever, and no proven win lost where it is."""

import pytest
from breakthrough_positions import first, positions, wins
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.games.breakthrough.kernels import BreakthroughEngine
from palio_clients.games.breakthrough.kernels.evaluation import race
from palio_clients.games.breakthrough.kernels.workspace import words_of
from palio_clients.search.game_tree import WIN, Stopped
from palio_clients.search.minimax import alpha_beta
from palio_rules.games.breakthrough import BLACK, WHITE

pytestmark = pytest.mark.slow  # compiles; in `make test` the kernels of Rush Hour stand for all

SMALL = ((4, 3), (4, 4), (5, 3))  # where every game that is left can be looked at


def judged(state, seat):
    """The strong evaluation pawn by pawn, from the rules' squares; for the side to move, its turn included."""
    value = 10 if state.turn == seat else -10
    rows, cols = state.board.rows, state.board.cols
    for side, pawns in ((BLACK, state.black), (WHITE, state.white)):
        own = {divmod(at, cols) for at in range(rows * cols) if pawns >> at & 1}
        worth = 0
        for row, col in own:
            come = row if side == BLACK else rows - 1 - row
            worth += 100 + (round(90 * (come / (rows - 1)) ** 2) if come else 20)
            worth += 6 * ((row, col + 1) in own)
        value += worth if side == seat else -worth
    return value / 100


@settings(deadline=None, max_examples=40)
@given(positions(), st.integers(1, 3))
def test_without_cleverness_the_score_is_plain_alpha_betas(state, depth):
    engine = BreakthroughEngine(state.board, clever=False, bits=6)
    assert engine.search(state, depth).score == pytest.approx(alpha_beta(state, depth, judged).score)


@settings(deadline=None, max_examples=30)
@given(positions((4, 3), (5, 4)), st.integers(4, 6))
def test_the_table_and_the_order_that_earlier_depths_leave_do_not_change_the_score(state, depth):
    engine = BreakthroughEngine(state.board, clever=False, bits=6)
    for best in engine.deepen(state, max_depth=depth):
        assert best.score == pytest.approx(alpha_beta(state, best.depth, judged).score)


@settings(deadline=None)
@given(positions(), st.booleans(), st.integers(1, 6))
def test_its_line_can_be_played_and_begins_with_its_move(state, clever, depth):
    best = BreakthroughEngine(state.board, clever=clever, bits=6).best(state, max_depth=depth)
    assert best.move == best.pv[0]
    for move in best.pv:
        state.check(move)
        state = state.play(move)


@settings(deadline=None)
@given(positions(*SMALL))
def test_it_finds_every_forced_win_and_never_gives_one_away(state):
    engine = BreakthroughEngine(state.board, bits=10)
    best = engine.best(state)
    assert (best.score > WIN / 2) is wins(state)
    assert (best.score < -WIN / 2) is not wins(state)
    assert not wins(state) or not wins(state.play(best.move))


@settings(deadline=None, max_examples=20)
@given(positions(*SMALL))
def test_a_win_that_it_has_found_is_played_to_its_end(state):
    engine = BreakthroughEngine(state.board, bits=10)
    winner = state.turn if wins(state) else 1 - state.turn
    while state.outcome() is None:
        move = engine.best(state).move if state.turn == winner else next(state.legal_moves())
        state = state.play(move)
    assert state.outcome().scores[winner] == 1


@settings(deadline=None, max_examples=300)
@given(positions(*SMALL))
def test_a_race_that_is_called_is_won_by_the_side_and_within_the_plies_that_are_given(state):
    engine = BreakthroughEngine(state.board)
    own, enemy = words_of(state)
    plies = race(engine.workspace[0], own, enemy, state.turn)
    if plies:
        assert wins(state) is (plies > 0)
        exact = BreakthroughEngine(state.board, clever=False, bits=10).search(state, abs(plies))
        assert abs(exact.score) >= WIN - abs(plies)
        assert (exact.score > 0) is (plies > 0)


def test_a_runner_is_seen_far_beyond_the_depth_of_the_search():
    rules_state = first(8, 8)
    state = type(rules_state)(rules_state.board, 1 << 8 * 2, (1 << 8 * 6 + 7) | (1 << 8 * 6 + 6), 0)
    best = BreakthroughEngine(state.board, bits=6).search(state, 1)
    assert best.score == WIN - 9


def test_the_same_search_finds_the_same_in_the_same_number_of_nodes():
    found = [BreakthroughEngine(first(6, 6).board, bits=10).best(first(6, 6), max_depth=7) for _ in range(2)]
    assert found[0] == found[1]


def test_a_limit_of_nodes_is_kept_to_the_last_one():
    for limit in (1000, 5000):
        best = BreakthroughEngine(first(6, 6).board, bits=10).best(first(6, 6), max_nodes=limit)
        assert best.depth >= 2
        assert best.nodes <= limit


def test_there_is_an_answer_even_if_there_is_no_time_at_all():
    best = BreakthroughEngine(first(8, 8).board, bits=6).best(first(8, 8), lambda: True)
    assert best.depth == 1
    first(8, 8).check(best.move)


def test_a_stopped_search_of_one_depth_raises():
    with pytest.raises(Stopped):
        BreakthroughEngine(first(8, 8).board, bits=6).search(first(8, 8), 40, stop=lambda: True)


def test_deepening_ends_soon_after_its_stop_says_so():
    looks = []

    def stop():
        looks.append(None)
        return len(looks) > 50

    depths = [best.depth for best in BreakthroughEngine(first(8, 8).board).deepen(first(8, 8), stop)]
    assert depths == list(range(1, len(depths) + 1))
    assert len(depths) < 30


def test_a_board_crowded_beyond_any_game_is_searched_all_the_same():
    board = first(8, 8).board
    crowd = type(first(8, 8))(board, sum(0x55 << 8 * row for row in range(7)), 0xAA << 56 | 0xAA << 48, 1)
    assert len(list(crowd.legal_moves())) > 0
    crowd.check(BreakthroughEngine(board, bits=6).best(crowd, max_depth=3).move)
