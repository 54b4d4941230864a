"""The strong search of chess: plain alpha-beta's score where it is not clever; its mates are forced where it is."""

from random import Random

import pytest
from chess_positions import RULES, START, after, positions, walked
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.games.chess.evaluation import evaluate
from palio_clients.games.chess.kernels import ChessEngine
from palio_clients.search.game_tree import WIN, Stopped
from palio_clients.search.minimax import alpha_beta

pytestmark = pytest.mark.slow  # compiles; in `make test` the kernels of Rush Hour stand for all

MATES = {  # position: plies
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1": 1,
    "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1": 3,  # Morphy
    "7k/8/5K2/8/8/8/8/6R1 w - - 0 1": 3,
    "7R/8/8/8/8/1K6/8/k7 w - - 99 90": 1,  # the hundredth ply mates
}


@settings(deadline=None, max_examples=40)
@given(positions, st.integers(1, 3))
def test_without_cleverness_the_score_is_plain_alpha_betas(state, depth):
    engine = ChessEngine(clever=False, bits=6)
    assert engine.search(state, depth).score == alpha_beta(state, depth, evaluate).score


@settings(deadline=None, max_examples=10)
@given(positions)
def test_the_table_and_the_order_that_earlier_depths_leave_do_not_change_the_score(state):
    for best in ChessEngine(clever=False, bits=8).deepen(state, max_depth=3):
        assert best.score == alpha_beta(state, best.depth, evaluate).score


@settings(deadline=None, max_examples=60)
@given(positions, st.booleans(), st.integers(1, 5))
def test_its_line_can_be_played_and_begins_with_its_move(state, clever, depth):
    best = ChessEngine(clever=clever, bits=6).best(state, max_depth=depth)
    assert best.move == best.pv[0]
    for move in best.pv:
        state.check(move)
        state = state.play(move)


@settings(deadline=None, max_examples=40)
@given(positions)
def test_a_mate_that_plain_search_proves_in_three_plies_the_clever_one_finds(state):
    exact = alpha_beta(state, 3, lambda _state, _seat: 0.0).score
    best = ChessEngine(bits=12).best(state, max_depth=10)  # it may have left the mating move out at first
    if abs(exact) > WIN / 2:
        assert best.score * exact > 0
        assert abs(best.score) > WIN / 2


@pytest.mark.parametrize("fen", MATES)
def test_known_mates_are_found_and_the_shortest(fen):
    assert ChessEngine(bits=10).best(RULES.parse_state(fen), max_depth=6).score == WIN - MATES[fen]


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000), st.integers(20, 200))
def test_a_mate_that_it_announces_is_forced_against_any_play(seed, plies):
    """Within the plies that it has named, against random replies, after every position that it says is won."""
    state, engine, choose = walked(-1, seed, plies), ChessEngine(bits=12), Random(seed)
    best = engine.best(state, max_depth=5)
    if best.score < WIN / 2:
        return
    winner, left = state.turn, WIN - best.score
    while state.outcome() is None:
        assert left > 0
        if state.turn == winner:
            best = engine.best(state, max_depth=6)
            assert WIN - best.score <= left
        state = state.play(best.move if state.turn == winner else choose.choice(list(state.legal_moves())))
        left -= 1
    assert state.outcome().scores[winner] == 1


@pytest.mark.parametrize("fen", ["8/8/8/3k4/8/8/8/KR6 w - - 0 1", "8/8/8/3k4/8/8/8/KQ6 b - - 0 1"])
def test_a_rook_or_a_queen_more_mates_a_bare_king(fen):
    state, engine = RULES.parse_state(fen), ChessEngine(bits=14)
    while state.outcome() is None:
        state = state.play(engine.best(state, max_nodes=60_000).move)
    assert state.outcome().reason == "checkmate"


def test_a_side_that_is_lost_otherwise_takes_the_draw_by_perpetual_check():
    """Two rooks behind, White checks on e8 and h5, again and again."""
    state, engine = RULES.parse_state("6k1/6p1/8/7Q/8/7P/qr4PK/2r5 w - - 0 1"), ChessEngine(bits=12)
    while state.outcome() is None:
        best = engine.best(state, max_depth=8)
        assert best.score == 0
        state = state.play(best.move)
    assert state.outcome().reason == "threefold-repetition"


def test_a_repetition_that_the_other_side_can_force_is_worth_nothing():
    """The game has had the position twice; going there again draws, which the winning side avoids."""
    state = RULES.parse_state("8/8/8/4k3/8/8/4P3/4K2R w - - 0 1")
    state = after(state, "h1g1", "e5d5", "g1h1", "d5e5", "h1g1", "e5d5", "g1h1", "d5c5")
    best = ChessEngine(bits=12).best(state, max_depth=6)
    assert best.score > 3


def test_near_the_fifty_moves_it_moves_a_pawn_rather_than_draw():
    state = RULES.parse_state("8/8/8/4k3/8/8/4P3/4K2R w - - 97 90")
    best = ChessEngine(bits=12).best(state, max_depth=8)
    assert best.score > 3
    for move in best.pv[:3]:
        state = state.play(move)
    assert state.clock < 100


def test_stalemate_is_avoided_by_the_side_that_wins():
    state = RULES.parse_state("k7/8/2K5/8/8/8/8/1Q6 w - - 0 1")
    best = ChessEngine(bits=8).best(state, max_depth=4)
    assert best.score > WIN / 2


def test_the_same_search_finds_the_same_in_the_same_number_of_nodes():
    found = [ChessEngine(bits=10).best(START, max_depth=7) for _ in range(2)]
    assert found[0] == found[1]


def test_a_limit_of_nodes_is_kept_to_the_last_one():
    best = ChessEngine(bits=10).best(START, max_nodes=3000)
    assert best.depth >= 3
    assert best.nodes <= 3000


def test_a_stopped_search_raises_and_leaves_the_engine_as_good_as_new():
    engine, looks = ChessEngine(clever=False, bits=10), []

    def stop():
        looks.append(None)
        return len(looks) > 10

    with pytest.raises(Stopped):
        engine.search(START, 40, stop=stop)
    assert engine.best(START, max_depth=3).score == alpha_beta(START, 3, evaluate).score


def test_there_is_an_answer_even_if_there_is_no_time_at_all():
    best = ChessEngine(bits=6).best(START, lambda: True)
    assert best.depth == 1
    assert best.move in START.legal_moves()
