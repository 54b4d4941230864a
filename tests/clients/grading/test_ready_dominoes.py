"""The ready assignment on Dominoes: right files get all points, wrong ones lose those of what they break."""

import pytest
from ready_grading import changed, graded, promised

from palio_clients.handouts.courses import COURSES

FILE = "adversarial_search.py"
RIGHT = '''
    import copy
    import math
    from typing import Iterator, List, Tuple

    print("importing")
    feedback_question_1 = 10
    feedback_question_2 = "To count the leaves."
    feedback_question_3 = """
    The game.
    """

    def create_dominoes_game(rows, cols):
        return DominoesGame([[False for _ in range(cols)] for _ in range(rows)])

    class DominoesGame(object):
        def __init__(self, board):
            self.board = board
            self.rows, self.cols = len(board), len(board[0])

        def get_board(self):
            return self.board

        def reset(self):
            self.board = [[False] * self.cols for _ in range(self.rows)]

        def squares(self, row, col, vertical):
            return [(row, col), (row + 1, col) if vertical else (row, col + 1)]

        def is_legal_move(self, row: int, col: int, vertical: bool) -> bool:
            for r, c in self.squares(row, col, vertical):
                if r < 0 or c < 0 or r >= self.rows or c >= self.cols or self.board[r][c]:
                    return False
            return True

        def legal_moves(self, vertical) -> Iterator[Tuple[int, int]]:
            for row in range(self.rows):
                for col in range(self.cols):
                    if self.is_legal_move(row, col, vertical):
                        yield (row, col)

        def perform_move(self, row, col, vertical):
            for r, c in self.squares(row, col, vertical):
                self.board[r][c] = True

        def game_over(self, vertical):
            return not list(self.legal_moves(vertical))

        def copy(self):
            return DominoesGame(copy.deepcopy(self.board))

        def successors(self, vertical):
            for move in self.legal_moves(vertical):
                after = self.copy()
                after.perform_move(move[0], move[1], vertical)
                yield (move, after)

        def get_best_move(self, vertical, limit):
            self.leaves = 0
            value, move = self.max_value(vertical, limit, -math.inf, math.inf, vertical)
            return (move, value, self.leaves)

        def value(self, root):
            return len(list(self.legal_moves(root))) - len(list(self.legal_moves(not root)))

        def leaf(self, limit, turn):
            return limit == 0 or self.game_over(turn)

        def max_value(self, turn, limit, alpha, beta, root):
            if self.leaf(limit, turn):
                self.leaves += 1
                return self.value(root), None
            best, move = -math.inf, None
            for m, after in self.successors(turn):
                after.leaves = 0
                value, _ = after.min_value(not turn, limit - 1, alpha, beta, root)
                self.leaves += after.leaves
                if value > best:
                    best, move = value, m
                    alpha = max(alpha, best)
                if best >= beta:
                    return best, move
            return best, move

        def min_value(self, turn, limit, alpha, beta, root):
            if self.leaf(limit, turn):
                self.leaves += 1
                return self.value(root), None
            best, move = math.inf, None
            for m, after in self.successors(turn):
                after.leaves = 0
                value, _ = after.max_value(not turn, limit - 1, alpha, beta, root)
                self.leaves += after.leaves
                if value < best:
                    best, move = value, m
                    beta = min(beta, best)
                if best <= alpha:
                    return best, move
            return best, move
'''
VARIANTS = {
    "as it is": [],
    "lists for generators": [
        (
            """            for row in range(self.rows):
                for col in range(self.cols):
                    if self.is_legal_move(row, col, vertical):
                        yield (row, col)""",
            """            cells = [(r, c) for r in range(self.rows) for c in range(self.cols)]
            return [(r, c) for r, c in cells if self.is_legal_move(r, c, vertical)]""",
        )
    ],
    "numpy's integers": [("yield (row, col)", "import numpy; yield (numpy.int64(row), numpy.int64(col))")],
    "only the search": [
        ("def reset", "def clear"),
        ("def get_board", "def rows_of"),
        ("def perform_move", "def place"),
        ("after.perform_move", "after.place"),
        ("def create_dominoes_game", "def create"),
    ],
    "an answer below the skeleton's line": [('"To count the leaves."', '"Type your response here.\\nTo count."')],
    "a float for the value": [("return (move, value, self.leaves)", "return (move, float(value), self.leaves)")],
}
SEARCH = {"test_examples::test_get_best_move", "test_examples::test_get_best_move_after_a_move"}
DRAWN = {"test_hidden::test_get_best_move"}
ALL_SEARCHES = SEARCH | DRAWN
WRONG = {
    "one ply too deep": (
        [("limit, -math.inf, math.inf, vertical", "limit + 1, -math.inf, math.inf, vertical")],
        ALL_SEARCHES,
    ),
    "ignores the limit": ([("limit, -math.inf, math.inf, vertical", "2, -math.inf, math.inf, vertical")], ALL_SEARCHES),
    "the opponent's view": ([("self.value(root), None", "-self.value(root), None")], ALL_SEARCHES),
    "the view of whoever moves": ([("self.value(root), None", "self.value(turn), None")], ALL_SEARCHES),
    "a list for the move": (
        [("return (move, value, self.leaves)", "return (list(move), value, self.leaves)")],
        ALL_SEARCHES,
    ),
    "a list for the answer": (
        [("return (move, value, self.leaves)", "return [move, value, self.leaves]")],
        ALL_SEARCHES,
    ),
    "no pruning": ([("if best >= beta:", "if False:"), ("if best <= alpha:", "if False:")], ALL_SEARCHES),
    "leaves of the last branch only": ([("self.leaves += after.leaves", "self.leaves = after.leaves")], ALL_SEARCHES),
    "the last of equals": ([("if value > best:", "if value >= best:")], ALL_SEARCHES),
    "plays its move": (
        [
            (
                "return (move, value, self.leaves)",
                "self.perform_move(*move, vertical); return (move, value, self.leaves)",
            )
        ],
        DRAWN,
    ),
    "columns first": (
        [
            (
                "for row in range(self.rows):\n                for col in range(self.cols)",
                "for col in range(self.cols):\n                for row in range(self.rows)",
            )
        ],
        {"test_examples::test_legal_moves", "test_hidden::test_legal_moves", "test_hidden::test_successors"}
        | DRAWN
        | SEARCH,
    ),
    "a shallow copy": (
        [("copy.deepcopy(self.board)", "list(self.board)")],
        {
            "test_examples::test_copy",
            "test_examples::test_successors",
            "test_hidden::test_perform_move_and_copy",
            "test_hidden::test_successors",
        }
        | ALL_SEARCHES,
    ),
    "squares off the board": ([("r < 0 or c < 0 or ", "")], {"test_hidden::test_is_legal_move"}),
    "a reset that does nothing": (
        [("self.board = [[False] * self.cols for _ in range(self.rows)]", "pass")],
        {"test_examples::test_reset", "test_hidden::test_reset"},
    ),
    "no answers": (
        [('feedback_question_2 = "To count the leaves."', 'feedback_question_2 = ""')],
        {"test_examples::test_feedback_question"},
    ),
    "the skeleton's answer": (
        [("feedback_question_1 = 10", 'feedback_question_1 = "\\nType your response here.\\n"')],
        {"test_examples::test_feedback_question"},
    ),
}
SLOW = [
    (
        "self.leaves = 0\n            value, move",
        "self.leaves = 0\n            while limit == 4: pass\n            value, move",
    )
]


@pytest.fixture(scope="module")
def results():
    files = {name: {FILE: changed(RIGHT, *changes)} for name, changes in VARIANTS.items()}
    files |= {name: {FILE: changed(RIGHT, *changes)} for name, (changes, _) in WRONG.items()}
    return graded("dominoes", {"ours": COURSES["dominoes"].path, **files})


@pytest.mark.parametrize("name", ["ours", *VARIANTS])
@pytest.mark.slow
def test_right_files_get_all_points(results, name):
    assert (results[name].points, results[name].extra) == promised("dominoes") == (40, 5), results[name].said


@pytest.mark.parametrize("name", WRONG)
def test_wrong_files_lose_what_they_break(results, name):
    assert results[name].lost == WRONG[name][1], results[name].said


def test_a_slow_search_loses_the_searches_for_which_it_is_too_slow():
    found = graded("dominoes", {"slow": {FILE: changed(RIGHT, *SLOW)}}, most=0.5)["slow"]
    assert found.lost == DRAWN
    assert (found.points, found.extra) == (40 - 4 * 2, 5)
