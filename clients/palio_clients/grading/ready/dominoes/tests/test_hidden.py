"""Boards that were drawn for this term: what the handout asks of each function, on others than its own."""

import json
from pathlib import Path

import pytest

CASES = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))
BOARDS = pytest.mark.parametrize("case", CASES["boards"], ids=range(len(CASES["boards"])))


@pytest.fixture
def course(student):
    return student.module("adversarial_search")


@pytest.fixture
def game(course):
    """Makes a game on a board, which stays unchanged."""
    return lambda board: course.DominoesGame([list(row) for row in board])


def rows(game):
    return [[bool(square) for square in row] for row in game.get_board()]


def moves(case, vertical):
    return [tuple(move) for move in case["vertical" if vertical else "horizontal"]]


def placed(board, move, vertical):
    """The board with one more domino."""
    (row, col), after = move, [list(row) for row in board]
    after[row][col] = after[row + vertical][col + (not vertical)] = True
    return after


@pytest.mark.points(0)
@pytest.mark.parametrize("vertical", [True, False])
@BOARDS
def test_is_legal_move(game, case, vertical):
    g, board = game(case["board"]), case["board"]
    found = [
        (row, col)
        for row in range(-1, len(board) + 1)
        for col in range(-1, len(board[0]) + 1)
        if g.is_legal_move(row, col, vertical)
    ]
    assert found == moves(case, vertical)


@pytest.mark.points(0)
@pytest.mark.parametrize("vertical", [True, False])
@BOARDS
def test_legal_moves(game, case, vertical):
    g = game(case["board"])
    assert list(g.legal_moves(vertical)) == moves(case, vertical)
    assert bool(g.game_over(vertical)) == (not moves(case, vertical))


@pytest.mark.points(0)
@pytest.mark.parametrize("vertical", [True, False])
@BOARDS
def test_perform_move_and_copy(game, case, vertical):
    for move in moves(case, vertical):
        g = game(case["board"])
        g2 = g.copy()
        g2.perform_move(*move, vertical)
        assert rows(g2) == placed(case["board"], move, vertical)
        assert rows(g) == case["board"]


@pytest.mark.points(0)
@pytest.mark.parametrize("vertical", [True, False])
@BOARDS
def test_successors(game, case, vertical):
    g = game(case["board"])
    found = [(move, rows(after)) for move, after in g.successors(vertical)]
    assert found == [(move, placed(case["board"], move, vertical)) for move in moves(case, vertical)]
    assert rows(g) == case["board"]


@pytest.mark.points(0)
@BOARDS
def test_reset(game, case):
    g = game(case["board"])
    g.reset()
    assert not any(map(any, rows(g)))


@pytest.mark.points(2, seconds=60)
@pytest.mark.parametrize(
    "case", CASES["searches"], ids=[f"limit-{case['limit']}-{at}" for at, case in enumerate(CASES["searches"])]
)
def test_get_best_move(game, case):
    (row, col), value, leaves = case["best"]
    g = game(case["board"])
    for _ in range(2):  # the board stays unchanged: asked again, the answer is the same
        found = g.get_best_move(case["vertical"], case["limit"])
        assert found == ((row, col), value, leaves)
