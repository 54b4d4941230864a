"""Dominoes solved: what is known of square boards, and what trying everything says of small ones."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_clients.games.dominoes.solver import (
    ReadableDominoes,
    apart,
    by_bounds,
    mirrored,
    mirrors,
    most,
    solver,
    sure,
)
from palio_clients.solving.budget import Budget
from palio_rules.games.dominoes import HORIZONTAL, VERTICAL, Position, board_of


@cache
def wins(state):
    """Whether the seat to move wins: by trying everything."""
    return any(not wins(state.play(move)) for move in state.legal_moves())


@st.composite
def positions(draw, cells=16):
    rows = draw(st.integers(1, 5))
    cols = draw(st.integers(1, cells // rows))
    board = board_of(rows, cols)
    return Position(board, draw(st.integers(0, board.full)), draw(st.integers(0, 1)))


SOLVERS = {"readable": ReadableDominoes(), "compiled": solver()}


def solved(state):
    return SOLVERS["readable"].solve(state, Budget())


def played(state, line):
    """The position after the line, each move of which is legal."""
    for move in line:
        state.check(move)
        state = state.play(move)
    return state


@pytest.mark.parametrize("kind", ["readable", pytest.param("compiled", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("size", "first_wins"), [(2, True), (3, True), (4, True), (5, False), (6, True)])
def test_square_boards_have_their_known_winners(kind, size, first_wins):
    """Breuker, Uiterwijk and van den Herik (2000), table 2: Vertical moves first."""
    state = Position(board_of(size, size), 0)
    found = SOLVERS[kind].solve(state, Budget())
    assert found.verdict == ("win" if first_wins else "loss")
    assert played(state, found.line).outcome().scores[VERTICAL] == first_wins


@pytest.mark.parametrize("kind", ["readable", pytest.param("compiled", marks=pytest.mark.slow)])
@given(state=positions())
def test_the_verdict_is_that_of_trying_everything_and_the_line_shows_it(kind, state):
    if state.to_move is None:
        return
    found = SOLVERS[kind].solve(state, Budget())
    assert (found.verdict == "win") is wins(state)
    assert played(state, found.line).outcome().scores[state.turn] == wins(state)


@given(positions())
def test_the_bounds_never_decide_wrongly(state):
    decided = by_bounds(state.board, state.filled, state.turn)
    assert decided in {None, wins(state)}


@given(positions(), st.integers(0, 1))
def test_nobody_is_sure_of_more_moves_than_there_are(state, seat):
    board, filled = state.board, state.filled
    first, second = (sure(board, filled, seat, first=first) for first in (True, False))
    assert second <= first <= most(board, filled, seat)


@given(positions(), st.integers(0, 1))
def test_as_many_dominoes_as_can_lie_side_by_side_are_found(state, seat):
    board, step = state.board, state.board.cols if seat == VERTICAL else 1
    places = board.places(state.filled, seat)
    chosen = apart(places, step)
    assert chosen & ~places == 0
    assert chosen & chosen << step == 0

    @cache
    def best(left):
        if not left:
            return 0
        place = left & -left
        return max(best(left ^ place), 1 + best(left & ~(place | place << step | place >> step)))

    assert chosen.bit_count() == best(places)


@given(positions())
def test_mirror_images_have_the_same_winner(state):
    images = mirrored(state.filled, mirrors(state.board))
    assert {wins(Position(state.board, image, state.turn)) for image in images} == {wins(state)}


def test_a_board_on_its_side_turns_the_roles_round():
    lying, standing = Position(board_of(3, 5), 0, VERTICAL), Position(board_of(5, 3), 0, HORIZONTAL)
    assert solved(lying).verdict == solved(standing).verdict


@pytest.mark.slow
def test_the_compiled_solver_settles_seven_by_seven():
    """Breuker, Uiterwijk and van den Herik (2000): who moves first wins on 7x7."""
    state, budget = Position(board_of(7, 7), 0), Budget()
    found = SOLVERS["compiled"].solve(state, budget)
    assert found.verdict == "win"
    assert played(state, found.line).outcome().scores == (1.0, 0.0)
    assert budget.nodes > 0


@pytest.mark.slow
@pytest.mark.parametrize("size", [8, 12])
def test_a_compiled_search_that_is_stopped_or_has_no_room_proves_nothing(size):
    found = SOLVERS["compiled"].solve(Position(board_of(size, size), 0), Budget(nodes=200))
    assert (found.verdict, found.line, found.value) == (None, (), 0.0)


@pytest.mark.slow
def test_a_budget_that_is_used_up_proves_nothing_and_a_solver_goes_on_with_what_it_knows():
    solver, state = ReadableDominoes(), Position(board_of(6, 6), 0)
    assert solver.solve(state, Budget(nodes=50)).verdict is None
    whole = Budget()
    solver.solve(state, whole)
    again = Budget()
    assert solver.solve(state, again).verdict == "win"
    assert again.nodes < whole.nodes / 10
