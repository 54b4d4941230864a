"""The strong search of End of the Track: the score of plain alpha-beta where it is not clever, all wins where it is."""

import pytest
from end_of_track_positions import positions, repeated, somewhere
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.games.end_of_the_track.kernels import EndOfTheTrackEngine
from palio_clients.search.game_tree import WIN, Stopped
from palio_clients.search.minimax import alpha_beta
from palio_rules.games.end_of_track import START, Move, Position, passes

pytestmark = pytest.mark.slow  # compiles; in `make test` the kernels of Rush Hour stand for all

NEAR = (49, 37, 46, 41, 55, 41, 50, 51, 52, 53, 54, 52)  # White wins in one, as the course's notes say
THREE = (44, 37, 46, 34, 40, 34, 1, 2, 52, 4, 5, 52)  # and here in three plies


def judged(state, seat):
    """The strong evaluation, worked out from the rules; for the side to move, its turn included."""

    def advance(seat):
        pieces = state.pieces[6 * seat : 6 * seat + 6]
        rows = [square // 7 if seat == 0 else 7 - square // 7 for square in (pieces[5], *passes(state.pieces, seat))]
        return max(rows) + 0.25 * sum(square // 7 if seat == 0 else 7 - square // 7 for square in pieces[:5])

    return advance(seat) - advance(1 - seat) + (0.8 if state.turn == seat else -0.8)


@settings(deadline=None, max_examples=25)
@given(positions, st.integers(1, 3))
def test_without_cleverness_the_score_is_plain_alpha_betas(state, depth):
    engine = EndOfTheTrackEngine(clever=False, bits=6)
    assert engine.search(state, depth).score == pytest.approx(alpha_beta(state, depth, judged).score)


@pytest.mark.parametrize("state", [somewhere(4, 9), somewhere(7, 16), repeated(5, 2, 1, 3), somewhere(8, 6, 9)])
def test_the_table_and_the_order_that_earlier_depths_leave_do_not_change_the_score(state):
    for best in EndOfTheTrackEngine(clever=False, bits=8).deepen(state, max_depth=4):
        assert best.score == pytest.approx(alpha_beta(state, best.depth, judged).score)


@settings(deadline=None)
@given(positions, st.booleans(), st.integers(1, 4))
def test_its_line_can_be_played_and_begins_with_its_move(state, clever, depth):
    best = EndOfTheTrackEngine(clever=clever, bits=6).best(state, max_depth=depth)
    assert best.move == best.pv[0]
    for move in best.pv:
        state.check(move)
        state = state.play(move)


@settings(deadline=None, max_examples=40)
@given(positions)
def test_what_plain_search_proves_in_three_plies_the_clever_one_knows(state):
    exact = alpha_beta(state, 3, lambda _state, _seat: 0.0).score
    best = EndOfTheTrackEngine(bits=8).best(state, max_depth=4)
    if exact > WIN / 2:
        assert best.score == exact
    if exact < -WIN / 2:
        assert best.score < -WIN / 2


@pytest.mark.parametrize(("pieces", "plies"), [(NEAR, 1), (THREE, 3)])
def test_the_known_forced_wins_are_found(pieces, plies):
    assert EndOfTheTrackEngine(bits=8).best(Position.of(pieces)).score == WIN - plies


def test_a_win_that_it_has_found_is_played_to_its_end():
    engine, state = EndOfTheTrackEngine(bits=8), Position.of(THREE)
    while state.outcome() is None:
        state = state.play(engine.best(state, max_depth=5).move if state.turn == 0 else list(state.legal_moves())[-1])
    assert state.outcome().scores == (1.0, 0.0)


def test_a_side_that_is_lost_otherwise_takes_the_draw_by_repetition():
    for seed in range(60):
        state = repeated(seed, 4, 1, 3)
        lost = EndOfTheTrackEngine(bits=8).search(Position.of(state.pieces, state.turn), 4).score
        if state.outcome() is None and lost < 0:
            break
    best = EndOfTheTrackEngine(bits=8).best(state, max_depth=3)
    assert best.score >= lost


def test_on_the_last_ply_nothing_but_a_win_is_better_than_a_draw():
    last = somewhere(8, 6, 7)
    assert last.ply == 6
    assert EndOfTheTrackEngine(bits=6).best(last, max_depth=3).score == 0
    winning = Position.of(NEAR, 0, 6, 7)
    assert EndOfTheTrackEngine(bits=6).best(winning).score == WIN - 1


def test_the_same_search_finds_the_same_in_the_same_number_of_nodes():
    found = [EndOfTheTrackEngine(bits=10).best(Position.of(START), max_depth=5) for _ in range(2)]
    assert found[0] == found[1]


def test_a_limit_of_nodes_is_kept_to_the_last_one():
    best = EndOfTheTrackEngine(bits=10).best(Position.of(START), max_nodes=3000)
    assert best.depth >= 2
    assert best.nodes <= 3000


def test_a_stopped_search_raises_and_leaves_the_engine_as_good_as_new():
    engine = EndOfTheTrackEngine(clever=False, bits=10)
    looks = []

    def stop():
        looks.append(None)
        return len(looks) > 10

    with pytest.raises(Stopped):
        engine.search(Position.of(START), 40, stop=stop)
    assert engine.best(Position.of(START), max_depth=3).score == pytest.approx(
        alpha_beta(Position.of(START), 3, judged).score
    )


def test_there_is_an_answer_even_if_there_is_no_time_at_all():
    best = EndOfTheTrackEngine(bits=6).best(Position.of(START), lambda: True)
    assert best.depth == 1
    assert isinstance(best.move, Move)
