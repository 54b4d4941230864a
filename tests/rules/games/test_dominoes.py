"""Dominoes: counts and winners against solvers written here on plain lists, and every reason to reject a move."""

import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.errors import BadOption, BadPosition, IllegalMove
from palio_rules.game import Outcome
from palio_rules.games.dominoes import HORIZONTAL, VERTICAL, Dominoes, DominoesOptions, Move, Position

RULES = Dominoes()


def start(rows, cols):
    return RULES.start(DominoesOptions(rows=rows, cols=cols))


def perft(state, depth):
    return sum(perft(state.play(move), depth - 1) for move in state.legal_moves()) if depth else 1


def naive_moves(board, vertical):
    """The handout's words, on its own lists of booleans."""
    found = []
    for row in range(len(board)):
        for col in range(len(board[0])):
            other_row, other_col = (row + 1, col) if vertical else (row, col + 1)
            on_board = other_row < len(board) and other_col < len(board[0])
            if on_board and not board[row][col] and not board[other_row][other_col]:
                found.append((row, col))
    return found


def naive_perft(board, vertical, depth):
    if depth == 0:
        return 1
    count = 0
    for row, col in naive_moves(board, vertical):
        copy = [list(cells) for cells in board]
        copy[row][col] = copy[row + vertical][col + (not vertical)] = True
        count += naive_perft(copy, not vertical, depth - 1)
    return count


@settings(max_examples=settings().max_examples // 2)
@given(rows=st.integers(1, 4), cols=st.integers(1, 4), seed=st.integers(0, 999), seat=st.integers(0, 1))
def test_perft_agrees_with_a_naive_count_on_boards_with_holes(rows, cols, seed, seat):
    choose = random.Random(seed)
    board = [[choose.random() < 0.2 for _ in range(cols)] for _ in range(rows)]
    cells = "/".join("".join("#" if filled else "." for filled in row) for row in board)
    state = RULES.parse_state(f"{cells} {RULES.seats[seat]}")
    assert [tuple(move) for move in state.legal_moves()] == naive_moves(board, seat == VERTICAL)
    for depth in (1, 2, 3):
        assert perft(state, depth) == naive_perft(board, seat == VERTICAL, depth)


@pytest.mark.parametrize(("rows", "cols", "counts"), [(8, 8, [56, 2940, 146580]), (4, 4, [12, 108, 756, 3628])])
def test_perft_of_empty_boards(rows, cols, counts):
    assert [perft(start(rows, cols), depth) for depth in range(1, len(counts) + 1)] == counts


@cache
def wins(state):
    """Whether the side to move wins; positions are their own keys."""
    return any(not wins(state.play(move)) for move in state.legal_moves())


@pytest.mark.first(4)
@pytest.mark.parametrize(("side", "first_wins"), [(1, False), (2, True), (3, True), (4, True), (5, False)])
def test_square_boards_are_won_by_whom_the_literature_says(side, first_wins):
    assert wins(start(side, side)) == first_wins


@pytest.mark.parametrize("transposed", [False, True])
def test_the_other_side_to_begin_sees_the_board_turned(transposed):
    rows, cols = (3, 4) if transposed else (4, 3)
    vertical = start(rows, cols)
    horizontal = Position(start(cols, rows).board, 0, HORIZONTAL)
    assert wins(vertical) == wins(horizontal)


def test_a_side_may_keep_moves_while_the_other_has_lost():
    state = RULES.parse_state("#./#. horizontal")
    assert state.to_move is None
    assert state.outcome() == Outcome("no-moves", (1.0, 0.0))
    assert RULES.parse_state("#./#. vertical").to_move == VERTICAL


def test_a_board_without_room_is_lost_by_who_begins():
    assert start(1, 1).outcome() == Outcome("no-moves", (0.0, 1.0))
    assert start(1, 4).outcome() == Outcome("no-moves", (0.0, 1.0))


@pytest.mark.parametrize(
    ("text", "move", "code", "reason"),
    [
        ("..../..../.... vertical", (3, 0), "off-board", "row 3 is off the 3x4 board"),
        ("..../..../.... vertical", (-1, 0), "off-board", "row -1 is off the 3x4 board"),
        ("..../..../.... vertical", (0, 4), "off-board", "column 4 is off the 3x4 board"),
        ("..../..../.... vertical", (2, 1), "off-board", "a domino on b1 would lie across the lower edge"),
        ("..../..../.... horizontal", (0, 3), "off-board", "a domino on d3 would lie across the right edge"),
        ("..../.<>./.... vertical", (0, 1), "occupied", "b2 is taken"),
        ("..../.<>./.... horizontal", (1, 2), "occupied", "c2 is taken"),
        ("####/####/#### vertical", (0, 0), "game-over", "the game is over"),
    ],
)
def test_a_move_is_rejected_with_its_reason(text, move, code, reason):
    with pytest.raises(IllegalMove) as caught:
        RULES.parse_state(text).check(Move(*move))
    assert (caught.value.code, str(caught.value)) == (code, reason)


def test_equal_positions_may_have_been_built_from_other_dominoes():
    upright = RULES.parse_state("^^./vv./... vertical")
    flat = RULES.parse_state("<>./<>./... vertical")
    assert upright == flat
    assert hash(upright) == hash(flat)
    assert RULES.format_state(upright) != RULES.format_state(flat)


@given(seed=st.integers(0, 999))
def test_who_placed_what_comes_back_from_the_text(seed):
    state, choose = start(5, 6), random.Random(seed)
    while state.to_move is not None:
        state = state.play(choose.choice(list(state.legal_moves())))
    again = RULES.parse_state(RULES.format_state(state))
    assert (again.dominoes, again.filled, again.turn) == (state.dominoes, state.filled, state.turn)


def test_notation_names_the_upper_or_left_square_and_the_direction():
    state = start(8, 8)
    assert RULES.notation(state, Move(0, 0)) == "a8v"
    assert RULES.notation(state.play(Move(0, 0)), Move(3, 2)) == "c5h"
    assert RULES.parse_notation(start(16, 16), "p16v") == Move(0, 15)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("../..", "a position ends in ' vertical' or ' horizontal'"),
        (" vertical", "a board has 1 to 16 rows of 1 to 16 squares, got 1 of 0"),
        ("../... vertical", "row 1 has 3 squares, row 0 has 2"),
        (".x/.. vertical", "row 0, column 1: 'x' is none of"),
        (".^/.. vertical", "row 0, column 1: '^' is half a domino, and its other half 'v' is missing"),
        ("v./.. vertical", "row 0, column 0: 'v' is half a domino"),
        (".</>. vertical", "row 0, column 1: '<' is half a domino"),
        ("<^>/.v. vertical", "row 0, column 0: '<' is half a domino"),
    ],
)
def test_a_text_that_is_no_position_is_refused_with_the_place(text, reason):
    with pytest.raises(BadPosition) as caught:
        RULES.parse_state(text)
    assert reason in str(caught.value)


def test_a_first_position_can_be_given_as_an_option():
    state = RULES.start(RULES.parse_options({"board": ".#./.../..#"}))
    assert state.rows() == [".#.", "...", "..#"]
    assert len(list(state.legal_moves())) == 4
    with pytest.raises(BadOption, match="row 1 has 2 squares, row 0 has 3"):
        RULES.start(RULES.parse_options({"board": "#../.."}))


def test_the_scene_shows_dominoes_with_their_owners_and_the_last_one():
    scene = RULES.scene(RULES.parse_state("^.#/v../... horizontal").play(Move(1, 1)))
    assert [(mark.shape, mark.seat, mark.row, mark.col, mark.rows, mark.cols) for mark in scene.marks] == [
        ("wall", None, 0, 2, 1, 1),
        ("bar", 0, 0, 0, 2, 1),
        ("bar", 1, 1, 1, 1, 2),
    ]
    assert scene.last == ((1, 1), (1, 2))


def test_the_board_for_terminals():
    lines = RULES.render(RULES.parse_state("^.#/v<> vertical")).splitlines()
    assert lines == ["2 ^ . #", "1 v < >", "  a b c", "vertical cannot move"]
