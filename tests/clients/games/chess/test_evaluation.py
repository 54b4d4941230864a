"""Chess as searches know it: the evaluation, the moves of quiescence, and the history that a search depends on."""

import random

import pytest
from chess_positions import RULES, START, after, positions
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.games.chess.evaluation import evaluate, lookback, noisy_moves
from palio_clients.search.game_tree import History, Table
from palio_clients.search.minimax import Quiescence, alpha_beta
from palio_rules.boards.chess import STEPS
from palio_rules.games.chess_position import placed

# --- the evaluation --------------------------------------------------------------------------------------------------


@given(positions)
def test_the_evaluation_sums_to_zero_and_is_in_hundredths_of_a_pawn(state):
    assert evaluate(state, 0) == -evaluate(state, 1)
    assert evaluate(state, 0) == round(evaluate(state, 0), 2)


@given(positions)
def test_with_the_colours_exchanged_the_value_changes_its_sign(state):
    turned = placed("".join(reversed([row.swapcase() for row in state.rows()])))
    assert evaluate(turned, 1) == evaluate(state, 0)


@given(positions)
def test_left_and_right_are_alike(state):
    assert evaluate(placed("".join(row[::-1] for row in state.rows())), 0) == evaluate(state, 0)


@given(positions, st.sampled_from("QRBNP"))
def test_a_piece_more_is_worth_more(state, piece):
    empty = [index for index, each in enumerate(state.board) if each == "." and 7 < index < 56]
    if not state.pawns or "K" not in state.board[40:]:  # without pawns a bare king is driven, which counts, too
        return
    index = empty[0]
    assert evaluate(placed(state.board[:index] + piece + state.board[index + 1 :]), 0) > evaluate(state, 0)


def test_material_is_worth_about_what_books_say():
    for missing, least, most in (("q", 9, 11), ("r", 4.5, 5.5), ("b", 2.8, 3.6), ("n", 2.8, 3.6), ("p", 0.7, 1.2)):
        at = START.board.index(missing)
        value = evaluate(placed(START.board[:at] + "." + START.board[at + 1 :]), 0)
        assert least < value < most, missing


def test_a_bare_king_is_worse_the_nearer_he_is_to_a_corner_and_to_the_other_king():
    corner, rim, middle = (
        evaluate(RULES.parse_state(f"{rows} w - - 0 1"), 0)
        for rows in ("k7/8/1K6/8/8/8/8/7R", "8/8/k1K5/8/8/8/8/7R", "8/8/8/3k1K2/8/8/8/7R")
    )
    assert corner > rim > middle > 4


def test_a_king_hides_on_a_full_board_and_comes_out_when_it_is_empty():
    full = (
        "rnbq1rk1/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1RK1 w - - 0 1",
        "rnbq1rk1/pppppppp/8/8/4K3/8/PPPPPPPP/RNBQ1R2 w - - 0 1",
    )
    bare = "7k/7p/8/8/8/8/P7/6K1 w - - 0 1", "7k/7p/8/8/4K3/8/P7/8 w - - 0 1"
    hidden, out = (evaluate(RULES.parse_state(fen), 0) for fen in full)
    assert hidden > out
    hidden, out = (evaluate(RULES.parse_state(fen), 0) for fen in bare)
    assert hidden < out


# --- quiescence ------------------------------------------------------------------------------------------------------


@given(positions, st.integers(0, 4))
def test_noisy_moves_are_legal_captures_and_promotions_each_once_or_all_moves_of_a_check(state, beyond):
    noisy = noisy_moves(state, beyond)
    moves, legal = list(noisy.moves), set(state.legal_moves())
    assert len(set(moves)) == len(moves)
    assert set(moves) <= legal
    if noisy.forced:
        assert state.checkers()
        assert set(moves) == legal
        return
    assert not state.checkers() or beyond >= 2
    for move in moves:
        src, dst, promotion = STEPS[move]
        assert promotion in ("", "q")
        assert state.board[dst] != "." or promotion or (dst == state.passant and state.board[src] in "Pp")


@given(positions)
def test_every_capture_of_an_undefended_or_dearer_piece_is_noisy(state):
    worth = dict(zip("kqrbnp", (0, 9, 5, 3, 3, 1), strict=True))
    noisy = list(noisy_moves(state, 0).moves)
    for move in state.legal_moves():
        src, dst, promotion = STEPS[move]
        if promotion not in ("", "q") or state.board[dst] == "." or state.castling_rook(src, dst) is not None:
            continue
        defended = state.attackers(dst, 1 - state.turn, state.occupied & ~(1 << src))
        if not defended or worth[state.board[dst].lower()] >= worth[state.board[src].lower()]:
            assert move in noisy


@settings(deadline=None, max_examples=50)
@given(positions, st.floats(-3, 3), st.floats(0.01, 3))
def test_quiescence_within_a_window_is_a_bound_on_its_value(state, alpha, width):
    calm, beta = Quiescence(evaluate, noisy_moves), alpha + width
    value = calm.value(state, state.turn, 0, float("-inf"), float("inf")).score
    found = calm.value(state, state.turn, 0, alpha, beta).score
    assert found <= value if found >= beta else found >= value if found <= alpha else found == value


def test_a_piece_that_can_be_won_is_counted_and_a_poisoned_one_is_not():
    calm = Quiescence(evaluate, noisy_moves)
    loose = RULES.parse_state("4k3/8/8/3r4/8/8/3Q4/4K3 w - - 0 1")
    guarded = RULES.parse_state("4k3/8/4p3/3r4/8/8/3Q4/4K3 w - - 0 1")
    assert calm.value(loose, 0, 0, -1e9, 1e9).pv == ("d2d5",)
    assert calm.value(loose, 0, 0, -1e9, 1e9).score > 9
    assert calm.value(guarded, 0, 0, -1e9, 1e9).score == evaluate(guarded, 0)


def test_a_mate_below_the_depth_is_seen_as_one():
    state = RULES.parse_state("6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1")
    best = alpha_beta(state, 1, evaluate, noisy=noisy_moves)
    assert best.move == "b1b8"
    best = alpha_beta(RULES.parse_state("k7/8/K7/8/8/8/8/7R b - - 0 1"), 1, evaluate, noisy=noisy_moves)
    assert best.score < -4


@settings(deadline=None, max_examples=25)
@given(positions, st.integers(1, 3))
def test_order_and_table_change_no_score_with_quiescence(state, depth):
    plain = alpha_beta(state, depth, evaluate, noisy=noisy_moves).score
    order, table = History(noisy=noisy_moves), Table(lookback=lookback)
    for _ in range(2):  # the second time it is read from the table
        assert alpha_beta(state, depth, evaluate, order=order, table=table, noisy=noisy_moves).score == plain


# --- the history -----------------------------------------------------------------------------------------------------


def test_a_search_depends_on_earlier_positions_only_if_it_can_reach_them():
    once = after(START, "g1f3", "g8f6")
    assert lookback(once, 2) == frozenset()
    assert (START.board, 0, False) in lookback(once, 6)
    twice = after(once, "f3g1", "f6g8", "g1f3", "g8f6", "f3g1")
    assert (START.board, 1, True) in lookback(twice, 1)
    assert lookback(START, 10) == frozenset()


def test_two_orders_of_the_same_moves_share_a_table():
    one = after(START, "g1f3", "g8f6", "b1c3", "b8c6")
    other = after(START, "b1c3", "b8c6", "g1f3", "g8f6")
    assert one == other
    assert lookback(one, 3) == lookback(other, 3)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("noisy", [None, noisy_moves])
@pytest.mark.first(3)
def test_a_table_changes_no_score_even_near_repetitions(seed, noisy):
    """The table lasts for the game, in which both sides take moves back; from 95 plies on the fifty moves are near."""
    clock = 92 if seed % 2 else 0
    state, choose = RULES.parse_state(f"8/8/8/4k3/8/8/4P3/4K2R w - - {clock} 60"), random.Random(seed)
    table = Table(lookback=lookback)
    for _ in range(14):
        found = alpha_beta(state, 4, evaluate, table=table, noisy=noisy, order=History(noisy=noisy)).score
        assert found == alpha_beta(state, 4, evaluate, noisy=noisy, order=History(noisy=noisy)).score
        last = state.trail[-2] if len(state.trail) > 1 else ""
        back, moves = last[2:] + last[:2], state.legal_moves()
        state = state.play(back if back in moves and choose.random() < 0.7 else choose.choice(moves))
        if state.to_move is None:
            break
