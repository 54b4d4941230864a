"""The examples of the handout: the search has its points, the suggested infrastructure has none, as there."""

import pytest

EMPTY = [[False, False], [False, False]]
SKELETON = (  # what it says instead of an answer
    "type your response here",
    "your response may span multiple lines",
    "do not include these instructions in your response",
)
LEFT = [[True, False], [True, False]]  # the left column is filled


@pytest.fixture
def course(student):
    return student.module("adversarial_search")


@pytest.fixture
def game(course):
    """Makes a game on a board, which stays unchanged."""
    return lambda board: course.DominoesGame([list(row) for row in board])


def rows(game):
    return [[bool(square) for square in row] for row in game.get_board()]


@pytest.mark.points(0)
@pytest.mark.parametrize("board", [EMPTY, LEFT], ids=["empty", "left"])
def test_get_board(game, board):
    assert rows(game(board)) == board


@pytest.mark.points(0)
@pytest.mark.parametrize(("height", "width"), [(2, 2), (2, 3)])
def test_create_dominoes_game(course, height, width):
    assert rows(course.create_dominoes_game(height, width)) == [[False] * width] * height


@pytest.mark.points(0)
@pytest.mark.parametrize("board", [EMPTY, LEFT], ids=["empty", "left"])
def test_reset(game, board):
    g = game(board)
    g.reset()
    assert rows(g) == EMPTY


@pytest.mark.points(0)
@pytest.mark.parametrize(
    ("board", "row", "col", "vertical", "legal"),
    [
        (EMPTY, 0, 0, True, True),
        (EMPTY, 0, 0, False, True),
        (LEFT, 0, 0, False, False),
        (LEFT, 0, 1, True, True),
        (LEFT, 1, 1, True, False),
    ],
)
def test_is_legal_move(game, board, row, col, vertical, legal):
    assert bool(game(board).is_legal_move(row, col, vertical)) == legal


@pytest.mark.points(0)
@pytest.mark.parametrize(
    ("board", "vertical", "moves"),
    [
        ([[False] * 3] * 3, True, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]),
        ([[False] * 3] * 3, False, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]),
        (LEFT, True, [(0, 1)]),
        (LEFT, False, []),
    ],
)
def test_legal_moves(game, board, vertical, moves):
    assert list(game(board).legal_moves(vertical)) == moves


@pytest.mark.points(0)
@pytest.mark.parametrize(
    ("move", "board"),
    [
        ((0, 1, True), [[False, True, False], [False, True, False], [False, False, False]]),
        ((1, 0, False), [[False, False, False], [True, True, False], [False, False, False]]),
    ],
)
def test_perform_move(course, move, board):
    g = course.create_dominoes_game(3, 3)
    g.perform_move(*move)
    assert rows(g) == board


@pytest.mark.points(0)
@pytest.mark.parametrize(
    ("board", "vertical", "over"),
    [(EMPTY, True, False), (EMPTY, False, False), (LEFT, True, False), (LEFT, False, True)],
)
def test_game_over(game, board, vertical, over):
    assert bool(game(board).game_over(vertical)) == over


@pytest.mark.points(0)
def test_copy(course):
    g = course.create_dominoes_game(4, 4)
    g2 = g.copy()
    assert rows(g) == rows(g2)
    g.perform_move(0, 0, True)
    assert rows(g) != rows(g2)


@pytest.mark.points(0)
@pytest.mark.parametrize(
    ("board", "found"),
    [
        (EMPTY, [((0, 0), [[True, False], [True, False]]), ((0, 1), [[False, True], [False, True]])]),
        (LEFT, [((0, 1), [[True, True], [True, True]])]),
    ],
    ids=["empty", "left"],
)
def test_successors(game, board, found):
    assert [(move, rows(after)) for move, after in game(board).successors(True)] == found


@pytest.mark.points(2, seconds=20)
@pytest.mark.parametrize(("limit", "best"), [(1, ((0, 1), 2, 6)), (2, ((0, 1), 3, 10))])
def test_get_best_move(game, limit, best):
    found = game([[False] * 3] * 3).get_best_move(True, limit)
    assert found == best


@pytest.mark.points(2, seconds=20)
@pytest.mark.parametrize(("limit", "best"), [(1, ((2, 0), -3, 2)), (2, ((2, 0), -2, 5))])
def test_get_best_move_after_a_move(game, limit, best):
    found = game([[False, True, False], [False, True, False], [False] * 3]).get_best_move(False, limit)
    assert found == best


@pytest.mark.parametrize(
    "number", [pytest.param(n, marks=pytest.mark.points(points, extra=True)) for n, points in ((1, 1), (2, 2), (3, 2))]
)
def test_feedback_question(course, number):
    text = str(getattr(course, f"feedback_question_{number}", None) or "").lower()
    for line in SKELETON:  # some write below these lines
        text = text.replace(line, "")
    assert text.strip(" .\n\t"), f"feedback_question_{number} has no answer"
