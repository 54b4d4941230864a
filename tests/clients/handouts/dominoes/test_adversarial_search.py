"""CIS 521's `adversarial_search.py`: every example of the handout, and the counts that a faithful search has."""

import doctest
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

EXAMPLES = """
>>> b = [[False, False], [False, False]]
>>> g = DominoesGame(b)
>>> g.get_board()
[[False, False], [False, False]]

>>> b = [[True, False], [True, False]]
>>> g = DominoesGame(b)
>>> g.get_board()
[[True, False], [True, False]]

>>> g = create_dominoes_game(2, 2)
>>> g.get_board()
[[False, False], [False, False]]
>>> g = create_dominoes_game(2, 3)
>>> g.get_board()
[[False, False, False],
 [False, False, False]]

>>> b = [[False, False], [False, False]]
>>> g = DominoesGame(b)
>>> g.get_board()
[[False, False], [False, False]]
>>> g.reset()
>>> g.get_board()
[[False, False], [False, False]]

>>> b = [[True, False], [True, False]]
>>> g = DominoesGame(b)
>>> g.get_board()
[[True, False], [True, False]]
>>> g.reset()
>>> g.get_board()
[[False, False], [False, False]]

>>> b = [[False, False], [False, False]]
>>> g = DominoesGame(b)
>>> g.is_legal_move(0, 0, True)
True
>>> g.is_legal_move(0, 0, False)
True

>>> b = [[True, False], [True, False]]
>>> g = DominoesGame(b)
>>> g.is_legal_move(0, 0, False)
False
>>> g.is_legal_move(0, 1, True)
True
>>> g.is_legal_move(1, 1, True)
False

>>> g = create_dominoes_game(3, 3)
>>> list(g.legal_moves(True))
[(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
>>> list(g.legal_moves(False))
[(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]

>>> b = [[True, False], [True, False]]
>>> g = DominoesGame(b)
>>> list(g.legal_moves(True))
[(0, 1)]
>>> list(g.legal_moves(False))
[]

>>> g = create_dominoes_game(3, 3)
>>> g.perform_move(0, 1, True)
>>> g.get_board()
[[False, True,  False],
 [False, True,  False],
 [False, False, False]]

>>> g = create_dominoes_game(3, 3)
>>> g.perform_move(1, 0, False)
>>> g.get_board()
[[False, False, False],
 [True,  True,  False],
 [False, False, False]]

>>> b = [[False, False], [False, False]]
>>> g = DominoesGame(b)
>>> g.game_over(True)
False
>>> g.game_over(False)
False

>>> b = [[True, False], [True, False]]
>>> g = DominoesGame(b)
>>> g.game_over(True)
False
>>> g.game_over(False)
True

>>> g = create_dominoes_game(4, 4)
>>> g2 = g.copy()
>>> g.get_board() == g2.get_board()
True

>>> g = create_dominoes_game(4, 4)
>>> g2 = g.copy()
>>> g.perform_move(0, 0, True)
>>> g.get_board() == g2.get_board()
False

>>> b = [[False, False], [False, False]]
>>> g = DominoesGame(b)
>>> for m, new_g in g.successors(True):
...     print(m, new_g.get_board())
...
(0, 0) [[True, False], [True, False]]
(0, 1) [[False, True], [False, True]]

>>> b = [[True, False], [True, False]]
>>> g = DominoesGame(b)
>>> for m, new_g in g.successors(True):
...     print(m, new_g.get_board())
...
(0, 1) [[True, True], [True, True]]

>>> b = [[False] * 3 for i in range(3)]
>>> g = DominoesGame(b)
>>> g.get_best_move(True, 1)
((0, 1), 2, 6)
>>> g.get_best_move(True, 2)
((0, 1), 3, 10)

>>> b = [[False] * 3 for i in range(3)]
>>> g = DominoesGame(b)
>>> g.perform_move(0, 1, True)
>>> g.get_best_move(False, 1)
((2, 0), -3, 2)
>>> g.get_best_move(False, 2)
((2, 0), -2, 5)
"""

boards = st.tuples(st.integers(1, 4), st.integers(1, 4)).flatmap(
    lambda size: st.lists(
        st.lists(st.booleans(), min_size=size[1], max_size=size[1]), min_size=size[0], max_size=size[0]
    )
)


@pytest.fixture(scope="module")
def course(handout):
    return handout("dominoes", "adversarial_search").adversarial_search


def test_every_example_of_the_handout_prints_what_it_says(course):
    test = doctest.DocTestParser().get_doctest(EXAMPLES, dict(vars(course)), "handout", None, 0)
    printed = []
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=printed.append)
    assert result.attempted == 72
    assert not result.failed, "".join(printed)


@pytest.mark.parametrize(
    ("rows", "cols", "vertical", "limit", "expected"),
    [
        (4, 4, True, 3, ((0, 1), 2, 193)),
        (3, 3, False, 2, ((1, 0), 3, 12)),
        (1, 4, True, 1, (None, -3, 1)),
        (2, 2, True, 0, (None, 0, 1)),
    ],
)
def test_best_moves_have_their_known_values_and_leaf_counts(course, rows, cols, vertical, limit, expected):
    game = course.create_dominoes_game(rows, cols)
    assert game.get_best_move(vertical, limit) == expected
    assert game.get_best_move(vertical, limit) == expected  # the count starts afresh


@pytest.mark.parametrize(
    ("row", "col"), [(-1, 0), (0, -1), (3, 0), (0, 4), (0.0, 0), (True, 0), ("0", 0), (None, 0), ((0,), 0)]
)
def test_what_is_no_square_is_rejected_and_never_wrapped_around(course, row, col):
    game = course.create_dominoes_game(3, 4)
    assert not game.is_legal_move(row, col, True)
    with pytest.raises(ValueError):
        game.perform_move(row, col, True)
    assert game.get_board() == [[False] * 4] * 3


def test_a_rejected_move_says_why(course):
    game = course.create_dominoes_game(2, 3)
    game.perform_move(0, 0, False)
    with pytest.raises(ValueError, match="b2 is taken"):
        game.perform_move(0, 1, True)


def plain_alpha_beta(game, own, root, limit, alpha, beta):
    """The textbook's pseudo-code over the handout's own methods; (value, move, leaves)."""
    turn = root if own else not root
    successors = list(game.successors(turn)) if limit else []
    if not successors:
        return len(list(game.legal_moves(root))) - len(list(game.legal_moves(not root))), None, 1
    value, best, leaves = (-inf if own else inf), None, 0
    for move, after in successors:
        reply, _, below = plain_alpha_beta(after, not own, root, limit - 1, alpha, beta)
        leaves += below
        if reply > value if own else reply < value:
            value, best = reply, move
        if value >= beta if own else value <= alpha:
            break
        alpha, beta = (max(alpha, value), beta) if own else (alpha, min(beta, value))
    return value, best, leaves


@given(boards, st.booleans(), st.integers(0, 3))
def test_the_search_is_the_textbooks(course, board, vertical, limit):
    game = course.DominoesGame(board)
    value, move, leaves = plain_alpha_beta(game, True, vertical, limit, -inf, inf)
    assert game.get_best_move(vertical, limit) == (move, value, leaves)


@given(boards, st.booleans())
def test_methods_agree_on_what_is_legal(course, board, vertical):
    game = course.DominoesGame(board)
    moves = list(game.legal_moves(vertical))
    assert moves == sorted(moves)
    squares = [(row, col) for row in range(len(board)) for col in range(len(board[0]))]
    assert moves == [square for square in squares if game.is_legal_move(*square, vertical)]
    assert game.game_over(vertical) is (not moves)
    assert game.get_random_move(vertical) in (moves or [None])
    assert [move for move, _ in game.successors(vertical)] == moves


@pytest.mark.parametrize("rows", [1, 3])
def test_a_board_of_rows_without_columns_is_refused_with_a_sentence(course, rows):
    said = f"^a board of {rows} rows has no columns; give each row at least one square$"
    with pytest.raises(ValueError, match=said):
        course.create_dominoes_game(rows, 0)
    with pytest.raises(ValueError, match=said):
        course.DominoesGame([[] for _ in range(rows)])


def test_the_skeletons_names_for_the_student_and_the_feedback_are_there(course):
    names = ["student_name", *(f"feedback_question_{number}" for number in (1, 2, 3))]
    assert all(isinstance(getattr(course, name), str) and getattr(course, name) for name in names)
