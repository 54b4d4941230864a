"""The ready assignment on Breakthrough: right files get all points, wrong ones lose those of what they break."""

import pytest
from ready_grading import changed, graded, promised

from palio_clients.handouts.courses import COURSES

FILE = "ps2.py"
RIGHT = """
    import copy
    from typing import Callable, Union

    import breakthrough

    Score = Union[int, float]

    def evaluate(board):
        bcount = wcount = 0
        for r, row in enumerate(board):
            for tile in row:
                if tile == "B":
                    if r == 5:
                        return breakthrough.WIN
                    bcount += 1
                elif tile == "W":
                    if r == 0:
                        return -breakthrough.WIN
                    wcount += 1
        if wcount == 0:
            return breakthrough.WIN
        if bcount == 0:
            return -breakthrough.WIN
        return bcount - wcount

    def generate_valid_moves(board, current_player):
        moves = []
        for r in range(6):
            for c in range(6):
                for i in (-1, 0, 1):
                    for j in (-1, 0, 1):
                        if breakthrough.is_valid_move(board, (r, c), (r + i, c + j), current_player):
                            moves.append(((r, c), (r + i, c + j)))
        return moves

    def over(board, depth, max_depth):
        return depth == max_depth or breakthrough.is_game_over(board)

    def after(board, move, player):
        return breakthrough.make_move(copy.deepcopy(board), move[0], move[1], player)

    def minimax(board, depth, max_depth, current_player, generate_valid_moves):
        if over(board, depth, max_depth):
            return evaluate(board), breakthrough.MOVE_NONE
        black = current_player == breakthrough.Player.BLACK
        found = []
        for move in generate_valid_moves(board, current_player):
            score, _ = minimax(after(board, move, current_player), depth + 1, max_depth,
                               current_player.get_opponent(), generate_valid_moves)
            found.append((score, move))
        return (max if black else min)(found)

    def negamax(board, depth, max_depth, current_player, generate_valid_moves):
        sign = 1 if current_player == breakthrough.Player.BLACK else -1

        def search(board, depth, player, sign):
            if over(board, depth, max_depth):
                return sign * evaluate(board), breakthrough.MOVE_NONE
            best = -breakthrough.INF, breakthrough.MOVE_NONE
            for move in generate_valid_moves(board, player):
                score = -search(after(board, move, player), depth + 1, player.get_opponent(), -sign)[0]
                if score > best[0]:
                    best = score, move
            return best

        score, move = search(board, depth, current_player, sign)
        return sign * score, move

    def minimax_alpha_beta(board, depth, max_depth, alpha, beta, current_player, generate_valid_moves):
        if over(board, depth, max_depth):
            return evaluate(board), breakthrough.MOVE_NONE
        black = current_player == breakthrough.Player.BLACK
        best = (-breakthrough.INF if black else breakthrough.INF), breakthrough.MOVE_NONE
        for move in generate_valid_moves(board, current_player):
            score, _ = minimax_alpha_beta(after(board, move, current_player), depth + 1, max_depth, alpha, beta,
                                          current_player.get_opponent(), generate_valid_moves)
            if black and score > best[0]:
                best = score, move
                alpha = max(alpha, score)
            if not black and score < best[0]:
                best = score, move
                beta = min(beta, score)
            if alpha >= beta:
                break
        return best

    def negamax_alpha_beta(board, depth, max_depth, alpha, beta, current_player, generate_valid_moves):
        sign = 1 if current_player == breakthrough.Player.BLACK else -1

        def search(board, depth, alpha, beta, player, sign):
            if over(board, depth, max_depth):
                return sign * evaluate(board), breakthrough.MOVE_NONE
            best = -breakthrough.INF, breakthrough.MOVE_NONE
            for move in generate_valid_moves(board, player):
                score = -search(after(board, move, player), depth + 1, -beta, -alpha, player.get_opponent(), -sign)[0]
                if score > best[0]:
                    best = score, move
                alpha = max(alpha, score)
                if alpha >= beta:
                    break
            return best

        score, move = search(board, depth, -breakthrough.INF, breakthrough.INF, current_player, sign)
        return sign * score, move

    POINTS = [10, 10, 20, 40, 50]

    def improved_evaluate(board):
        if abs(evaluate(board)) == breakthrough.WIN:
            return evaluate(board)
        score = 0
        for r in range(6):
            for tile in board[r]:
                if tile == "B":
                    score += POINTS[r]
                if tile == "W":
                    score -= POINTS[5 - r]
        return score
"""
LATER = (", generate_valid_moves):", "):")  # as in 2025/26, when the searches take no generator
VARIANTS = {
    "as it is": [],
    "a generator of moves": [
        ("moves = []", "yield from []"),
        ("moves.append(((r, c), (r + i, c + j)))", "yield (r, c), (r + i, c + j)"),
        ("return moves", "pass"),
    ],
    "numpy's integers": [
        (
            "for r in range(6):\n            for c in range(6)",
            "import numpy\n        for r in numpy.arange(6):\n            for c in numpy.arange(6)",
        )
    ],
    "in order of captures": [
        (
            "return (max if black else min)(found)",
            "found.sort(key=lambda each: each[0])\n        return found[-1 if black else 0]",
        )
    ],
    "without the generator": [
        LATER,
        (", generate_valid_moves)\n", ")\n"),
        ("player.get_opponent(), generate_valid_moves)", "player.get_opponent())"),
    ][:2],
}
DRAWN = "test_hidden::test_search"


def examples(*names):
    return {f"test_examples::{name}" for name in names}


MOVES = {"test_examples::test_generate_valid_moves", "test_hidden::test_generate_valid_moves"}
EVALUATION = {"test_examples::test_improved_evaluate", "test_hidden::test_improved_evaluate"}
WRONG = {
    "only black's moves": ([("for i in (-1, 0, 1):", "for i in (1,):")], MOVES),
    "moves in a line only": ([("for j in (-1, 0, 1):", "for j in (0,):")], MOVES),
    "moves twice": ([("moves.append(((r, c), (r + i, c + j)))", "moves += [((r, c), (r + i, c + j))] * 2")], MOVES),
    "the board is changed": (
        [("make_move(copy.deepcopy(board), ", "make_move(board, ")],
        {*examples("test_board_preservation", "test_search", "test_player_switching"), DRAWN},
    ),
    "one ply too deep": (
        [("return depth == max_depth or", "return depth == max_depth + 1 or")],
        {*examples("test_max_depth"), DRAWN, "test_hidden::test_pruning"},
    ),
    "minimax for black only": (
        [("return (max if black else min)(found)", "return max(found)")],
        {*examples("test_search", "test_player_switching"), DRAWN},
    ),
    "negamax from the mover's view": (
        [("return sign * score, move\n\n    def minimax_alpha", "return score, move\n\n    def minimax_alpha")],
        {*examples("test_search"), DRAWN},
    ),
    "negamax without the sign": (
        [("return sign * evaluate(board), breakthrough.MOVE_NONE", "return evaluate(board), breakthrough.MOVE_NONE")],
        {*examples("test_search"), DRAWN},
    ),
    "no pruning": (
        [("-beta, -alpha, player.get_opponent()", "alpha, beta, player.get_opponent()")],
        {"test_hidden::test_pruning"},
    ),
    "prunes too much": (
        [
            (
                "alpha = max(alpha, score)\n                if alpha >= beta:",
                "alpha = max(alpha, score)\n                if score >= 0:",
            )
        ],
        {*examples("test_search"), DRAWN},
    ),
    "no end of the game": ([(" or breakthrough.is_game_over(board)", "")], examples("test_game_over")),
    "no move where the game is over": (
        [("evaluate(board), breakthrough.MOVE_NONE", "evaluate(board), None")],
        examples("test_game_over"),
    ),
    "white's points for black": ([("POINTS[5 - r]", "POINTS[r]")], EVALUATION),
    "a row too far": ([("POINTS = [10, 10, 20, 40, 50]", "POINTS = [10, 10, 20, 40, 40]")], EVALUATION),
    "no wins in the evaluation": (
        [
            ("if abs(evaluate(board)) == breakthrough.WIN:", "if False:"),
            ("POINTS = [10, 10, 20, 40, 50]", "POINTS = [10, 10, 20, 40, 50, 60]"),
        ],
        EVALUATION,
    ),
}


@pytest.mark.parametrize("name", ["ours", *VARIANTS])
def test_right_files_get_all_points(right, name):
    assert (right[name].points, right[name].extra) == promised("breakthrough") == (90, 0), right[name].said


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_wrong_files_lose_what_they_break(wrong, name):
    assert wrong[name].lost == WRONG[name][1], wrong[name].said


@pytest.fixture(scope="module")
def right():
    files = {name: {FILE: changed(RIGHT, *changes)} for name, changes in VARIANTS.items()}
    return graded("breakthrough", {"ours": COURSES["breakthrough"].path, **files})


@pytest.fixture(scope="module")
def wrong():
    return graded("breakthrough", {name: {FILE: changed(RIGHT, *changes)} for name, (changes, _) in WRONG.items()})
