"""Breakthrough's proof-number search: what it proves is what trying everything says, and its winner wins every game."""

import pytest
from breakthrough_positions import first, positions, wins
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.games.breakthrough.kernels import BreakthroughEngine
from palio_clients.games.breakthrough.kernels.proof import LOST, OPEN, WON
from palio_clients.games.breakthrough.kernels.prover import Prover
from palio_clients.search.game_tree import WIN
from palio_clients.search.proof_number import proof_number
from palio_rules.games.breakthrough import Position

pytestmark = pytest.mark.slow  # compiles; in `make test` the kernels of Rush Hour stand for all

SMALL = ((4, 3), (4, 4), (5, 3))  # where every game that is left can be looked at
TINY, BITS = 4, 12  # room for 32 positions, and for more than there are in a proof
CRAMPED = st.one_of(
    st.tuples(positions((4, 3), (4, 4)), st.just(TINY)),  # what is forgotten is proven over and over
    st.tuples(positions(*SMALL), st.just(BITS)),
)


def image(state):
    """The position in a mirror, left for right."""
    cols = state.board.cols
    black, white = (
        sum(1 << row + cols - 1 - col for row in state.board.shifts for col in range(cols) if pawns >> row + col & 1)
        for pawns in (state.black, state.white)
    )
    return Position(state.board, black, white, state.turn)


def longest_game(prover, state, winner):
    """The plies of the longest game in which the winner plays as it was proven and the loser plays anything at all."""
    if state.to_move is None:
        assert state.outcome().scores[winner] == 1
        return 0
    if state.turn == winner:
        found = prover.prove(state)
        assert found.verdict == WON
        after = longest_game(prover, state.play(found.move), winner)
        assert after < found.plies
        return 1 + after
    return 1 + max(longest_game(prover, state.play(move), winner) for move in state.legal_moves())


@settings(deadline=None, max_examples=50)
@given(CRAMPED)
def test_it_proves_what_trying_everything_says_however_small_its_table(case):
    state, bits = case
    prover = Prover(state.board, bits)
    found = prover.prove(state)
    assert found.verdict == (WON if wins(state) else LOST)
    state.check(found.move)
    assert wins(state.play(found.move)) is not wins(state)
    assert found.nodes == prover.nodes > 0


@settings(deadline=None, max_examples=40)
@given(CRAMPED)
def test_its_line_is_a_game_that_the_winner_wins(case):
    state, bits = case
    prover, end = Prover(state.board, bits), state
    for move, _ in prover.line(state):
        end.check(move)
        end = end.play(move)
    assert end.outcome().scores[state.turn] == wins(state)


@settings(deadline=None, max_examples=20)
@given(positions((4, 3)))
def test_whatever_the_loser_plays_it_has_lost_within_the_plies_that_are_given(state):
    prover = Prover(state.board, BITS)
    found = prover.prove(state)
    winner = state.turn if found.verdict == WON else 1 - state.turn
    assert longest_game(prover, state, winner) <= found.plies
    exact = BreakthroughEngine(state.board, clever=False, bits=BITS).search(state, found.plies)
    assert abs(exact.score) >= WIN - found.plies


@settings(deadline=None, max_examples=30)
@given(positions((5, 4), (5, 5), (6, 4), (6, 6), (8, 8)))
def test_no_proof_contradicts_the_engine_nor_the_readable_search(state):
    found = Prover(state.board, BITS).prove(state, max_nodes=3000)
    decided = BreakthroughEngine(state.board, bits=BITS).best(state, max_depth=5).score
    if abs(decided) > WIN / 2:
        assert found.verdict in {OPEN, WON if decided > 0 else LOST}
    readable = proof_number(state, max_nodes=500).wins
    if readable is not None:
        assert found.verdict == (WON if readable else LOST)


@settings(deadline=None, max_examples=40)
@given(positions(*SMALL))
def test_what_is_known_of_a_position_is_known_of_its_image_in_a_mirror(state):
    prover = Prover(state.board, BITS)
    found, again = prover.prove(state), prover.prove(image(state))
    assert again.verdict == found.verdict
    assert again.nodes == 1


@pytest.mark.parametrize(("rows", "cols"), [(4, 3), (4, 4), (5, 3), (5, 4)])
def test_who_moves_second_wins_on_small_boards(rows, cols):
    found = Prover(first(rows, cols).board, 16).prove(first(rows, cols))
    assert found.verdict == LOST
    assert found.plies % 2 == 0


def test_the_same_search_takes_the_same_number_of_nodes():
    found = [Prover(first(5, 3).board, BITS).prove(first(5, 3)) for _ in range(2)]
    assert found[0] == found[1]


def test_a_limit_of_nodes_is_kept_and_what_was_found_until_then_is_remembered():
    prover = Prover(first(5, 3).board, 16)
    whole = Prover(first(5, 3).board, 16).prove(first(5, 3)).nodes
    limited = prover.prove(first(5, 3), max_nodes=whole - 100)
    assert (limited.verdict, limited.move, limited.nodes) == (OPEN, None, whole - 100)
    assert prover.prove(first(5, 3)).nodes < whole


def test_a_search_that_is_stopped_proves_nothing():
    prover = Prover(first(8, 8).board, BITS)
    assert prover.prove(first(8, 8), lambda: True).verdict == OPEN
    assert list(prover.line(first(8, 8), lambda: True)) == []


def test_a_board_crowded_beyond_any_game_is_searched_all_the_same():
    board = first(8, 8).board
    crowd = Position(board, sum(0x55 << 8 * row for row in range(7)), 0xAA << 56 | 0xAA << 48, 1)
    assert Prover(board, BITS).prove(crowd, max_nodes=1000).verdict in {WON, OPEN, LOST}
