"""Breakthrough: counts that others have published, the positions of the handout, and every reason to reject a move."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadPosition, IllegalMove
from palio_rules.game import Outcome
from palio_rules.games.breakthrough import Breakthrough, BreakthroughOptions, Move, board_of

RULES = Breakthrough()
START = RULES.start(BreakthroughOptions())

# The three boards of the handout's asserts, in our text.
BOARD_21 = "..B.../....../....../....../....../.W...."
BOARD_22 = "....B./.....B/.W..../..W.../....../......"
BOARD_23 = "....../..B.../.WWW../....../....../......"


def perft(state, depth):
    if depth == 0:
        return 1
    return sum(perft(state.play(move), depth - 1) for move in state.legal_moves())


def moves(text):
    return [RULES.move_to_wire(move) for move in RULES.parse_state(text).legal_moves()]


@pytest.mark.first(5)
@pytest.mark.parametrize(("depth", "count"), list(enumerate([1, 16, 256, 4308, 71478, 1248290])))
def test_perft_on_the_board_of_the_course(depth, count):
    assert perft(START, depth) == count


@pytest.mark.parametrize(("depth", "count"), list(enumerate([1, 22, 484, 11132, 256036])))
def test_perft_on_the_tournament_board(depth, count):
    assert perft(RULES.start(BreakthroughOptions(rows=8, cols=8)), depth) == count


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        (f"{BOARD_21} black", [[[0, 2], [1, 1]], [[0, 2], [1, 2]], [[0, 2], [1, 3]]]),
        (f"{BOARD_21} white", [[[5, 1], [4, 0]], [[5, 1], [4, 1]], [[5, 1], [4, 2]]]),
        (f"{BOARD_22} black", [[[0, 4], [1, 3]], [[0, 4], [1, 4]], [[1, 5], [2, 4]], [[1, 5], [2, 5]]]),
        (
            f"{BOARD_22} white",
            [[[2, 1], [1, 0]], [[2, 1], [1, 1]], [[2, 1], [1, 2]], [[3, 2], [2, 2]], [[3, 2], [2, 3]]],
        ),
        (f"{BOARD_23} black", [[[1, 2], [2, 1]], [[1, 2], [2, 3]]]),
        (
            f"{BOARD_23} white",
            [
                [[2, 1], [1, 0]],
                [[2, 1], [1, 1]],
                [[2, 1], [1, 2]],
                [[2, 2], [1, 1]],
                [[2, 2], [1, 3]],
                [[2, 3], [1, 2]],
                [[2, 3], [1, 3]],
                [[2, 3], [1, 4]],
            ],
        ),
    ],
)
def test_the_boards_of_the_handout_have_the_moves_it_lists_in_row_major_order(text, listed):
    assert moves(text) == listed


@given(rows=st.integers(4, 8), cols=st.integers(3, 8), first=st.sampled_from(["black", "white"]))
def test_every_size_begins_with_two_full_rows_a_side(rows, cols, first):
    state = RULES.start(BreakthroughOptions(rows=rows, cols=cols, first=first))
    assert state.rows() == ["B" * cols] * 2 + ["." * cols] * (rows - 4) + ["W" * cols] * 2
    assert state.to_move == ("black", "white").index(first)
    assert len(list(state.legal_moves())) == (3 * cols - 2 if rows > 4 else 2 * cols - 2)


@pytest.mark.parametrize(
    ("text", "move", "code", "reason"),
    [
        (f"{BOARD_22} black", ((7, 0), (8, 0)), "off-board", "row 7 is off the 6x6 board"),
        (f"{BOARD_22} black", ((1, 5), (2, 6)), "off-board", "column 6 is off the 6x6 board"),
        (f"{BOARD_22} black", ((-1, 5), (0, 5)), "off-board", "row -1 is off the 6x6 board"),
        (f"{BOARD_22} black", ((0, 0), (1, 0)), "no-piece", "a6 is empty"),
        (f"{BOARD_22} black", ((2, 1), (3, 1)), "not-your-piece", "b4 is your opponent's piece"),
        (f"{BOARD_22} black", ((0, 4), (2, 4)), "not-a-step", "e6 to e4 is not one step down, straight or diagonal"),
        (f"{BOARD_22} white", ((2, 1), (3, 1)), "not-a-step", "b4 to b3 is not one step up, straight or diagonal"),
        (f"{BOARD_22} black", ((0, 4), (0, 4)), "not-a-step", "e6 to e6 is not one step down, straight or diagonal"),
        (f"{BOARD_22} black", ((0, 4), (1, 5)), "own-piece", "f5 is your own piece"),
        (f"{BOARD_23} white", ((2, 2), (1, 2)), "path-blocked", "c5 is taken, and a pawn captures diagonally only"),
        ("..W.../....../....../...... black", ((0, 2), (1, 2)), "game-over", "the game is over"),
    ],
)
def test_a_move_is_rejected_with_its_reason(text, move, code, reason):
    with pytest.raises(IllegalMove) as caught:
        RULES.parse_state(text).check(Move(*move))
    assert (caught.value.code, str(caught.value)) == (code, reason)


@pytest.mark.parametrize(
    ("text", "move", "outcome"),
    [
        ("....../....../....../....../..B.../.....W black", ((4, 2), (5, 2)), ("reached-far-row", (1.0, 0.0))),
        ("B...../..W.../....../....../....../...... white", ((1, 2), (0, 1)), ("reached-far-row", (0.0, 1.0))),
        ("....../..B.../.W..../....../....../...... black", ((1, 2), (2, 1)), ("no-pawns-left", (1.0, 0.0))),
        ("....../..B.../.W..../....../....../...... white", ((2, 1), (1, 2)), ("no-pawns-left", (0.0, 1.0))),
    ],
)
def test_the_far_row_and_the_last_pawn_decide(text, move, outcome):
    before = RULES.parse_state(text)
    after = before.play(Move(*move))
    assert before.outcome() is None
    assert after.outcome() == Outcome(*outcome)
    assert after.to_move is None
    assert list(after.legal_moves()) == []


def test_notation_names_squares_as_chess_does_with_row_1_at_the_bottom():
    state = RULES.parse_state(f"{BOARD_22} black")
    assert [RULES.notation(state, move) for move in state.legal_moves()] == ["e6-d5", "e6-e5", "f5-e4", "f5-f4"]
    assert RULES.notation(RULES.parse_state(f"{BOARD_23} black"), Move((1, 2), (2, 1))) == "c5xb4"


def test_the_start_is_written_as_documented():
    assert RULES.format_state(START) == "BBBBBB/BBBBBB/....../....../WWWWWW/WWWWWW black"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a position ends in ' black' or ' white'"),
        ("B../.../.../..W", "a position ends in ' black' or ' white'"),
        ("B../.../.../..W red", "got 'B../.../.../..W red'"),
        ("B../.../..W black", "a board has 4 to 8 rows of 3 to 8 squares, got 3 of 3"),
        ("B./../../.W black", "got 4 of 2"),
        ("B../.../..../..W black", "row 2 has 4 squares, row 0 has 3"),
        ("B../.../.x./..W black", "row 2, column 1: 'x' is none of . B W"),
        (".../.../.../... black", "the board has no pawns at all"),
        ("W../.../.../..B black", "both sides have won"),
    ],
)
def test_a_text_that_is_no_position_is_refused_with_the_place(text, reason):
    with pytest.raises(BadPosition) as caught:
        RULES.parse_state(text)
    assert reason in str(caught.value)


def test_the_board_for_terminals():
    state = RULES.parse_state("B../.B./..W/W.. white")
    assert RULES.render(state).splitlines() == ["4 B . .", "3 . B .", "2 . . W", "1 W . .", "  a b c", "white to move"]
    assert RULES.render(state.play(Move((2, 2), (1, 1))).play(Move((0, 0), (1, 0)))).endswith("white to move")


def test_the_scene_shows_every_pawn_and_the_last_step():
    scene = RULES.scene(RULES.parse_state("B../.B./..W/W.. white").play(Move((2, 2), (1, 1))))
    assert [(mark.shape, mark.seat, mark.row, mark.col) for mark in scene.marks] == [
        ("pawn", 0, 0, 0),
        ("pawn", 1, 1, 1),
        ("pawn", 1, 3, 0),
    ]
    assert scene.last == ((2, 2), (1, 1))
    assert (scene.row_names, scene.col_names) == (("4", "3", "2", "1"), ("a", "b", "c"))


def test_positions_of_one_size_share_their_tables():
    assert START.board is board_of(6, 6) is START.play(next(START.legal_moves())).board
