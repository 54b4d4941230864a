"""CS2109S's `breakthrough.py` and the adversarial half of `ps2.py`: every assert of the handout, for every search."""

import copy
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.registry import game as rules_of

BOARDS = {
    "board_21": "__B___/______/______/______/______/_W____",
    "board_22": "____B_/_____B/_W____/__W___/______/______",
    "board_23": "______/__B___/_WWW__/______/______/______",
    "preservation_board": "___B__/______/_B__B_/W____W/___W__/_W____",
    "game_over_board_1": "______/_W____/______/______/______/______",
    "game_over_board_2": "______/______/______/______/_B____/______",
    "max_depth_board_1": "______/W_____/______/_____B/______/______",
    "max_depth_board_2": "______/______/W_____/______/_____B/______",
    "player_switching_board": "___B__/______/_B__B_/W____W/______/___W__",
    "board_31": "______/___B__/____BB/___WB_/_B__WW/_WW___",
    "board_32": "______/_____B/_W____/______/______/______",
    "board_33": "______/__B___/W_____/___B_B/__W___/______",
    "board_34": "______/____BB/__B___/_W_B_B/__W_W_/___WW_",
    "board_35": "______/______/______/_____W/_B____/______",
    "board_41": "______/__BB__/____BB/WBW_B_/____WW/_WW___",
    "board_42": "____B_/__BB__/______/_WWW__/____W_/______",
    "board_51": "___B__/___W__/______/__B___/______/______",
    "board_52": "___BW_/___W__/______/______/______/______",
    "board_53": "______/______/______/__B___/______/______",
}
START = "BBBBBB/BBBBBB/______/______/WWWWWW/WWWWWW"
SEARCHES = ("minimax", "negamax", "minimax_alpha_beta", "negamax_alpha_beta")
WIN, INF = 21092109, 90129012
NONE = ((-1, -1), (-1, -1))


def rows(text):
    return [list(row) for row in BOARDS.get(text, text).split("/")]


@pytest.fixture(scope="module")
def course(handout):
    return handout("tsp_and_breakthrough", "breakthrough", "ps2", "utils")


@pytest.fixture(scope="module")
def search(course):
    def search(name, board, max_depth, player, alpha=-INF, beta=INF):
        window = (alpha, beta) if "alpha_beta" in name else ()
        player = course.breakthrough.Player(player)
        moves = course.ps2.generate_valid_moves
        return getattr(course.ps2, name)(rows(board), 0, max_depth, *window, player, moves)

    return search


# --- breakthrough.py --------------------------------------------------------------------------------------------------


def test_constants_and_players_are_the_courses(course):
    module = course.breakthrough
    assert (module.INF, module.WIN, module.MOVE_NONE) == (INF, WIN, NONE)
    assert module.Player("black") is module.Player.BLACK
    assert module.Player.BLACK.get_opponent() is module.Player.WHITE
    assert module.Player.WHITE.get_opponent() is module.Player.BLACK
    assert course.ps2.breakthrough is module


def test_the_courses_constants_are_there(course):
    module = course.breakthrough
    assert (module.ROW, module.COL, module.TIME_LIMIT) == (6, 6, 10)


def test_a_board_is_printed_in_the_boxes_of_the_course(course, capsys):
    course.breakthrough.print_state(rows("board_22"))
    rule = "+-----+-----+-----+-----+-----+-----+"
    printed = capsys.readouterr().out.splitlines()
    assert printed[::2] == [rule] * 7
    assert printed[1:4:2] == ["|     |     |     |     |  B  |     |", "|     |     |     |     |     |  B  |"]
    assert printed[5] == "|     |  W  |     |     |     |     |"


def test_moves_are_made_in_place_or_on_a_copy(course):
    module = course.breakthrough
    board = rows("board_22")
    before = copy.deepcopy(board)
    after = module.make_move(board, (0, 4), (1, 3), module.Player.BLACK, False)
    assert board == before
    assert after[0][4] == "_"
    assert after[1][3] == "B"
    assert module.make_move(board, (0, 4), (1, 3), module.Player.BLACK) is board
    assert board == after


@pytest.mark.parametrize(
    ("src", "dst"),
    [*[((0, 0), (1, 0)), ((2, 1), (3, 1)), ((0, 4), (1, 5)), ((0, 4), (2, 4)), ((1, 5), (2, 6)), ((-1, 4), (0, 4))]],
)
def test_a_move_that_is_not_valid_changes_nothing_as_in_the_course(course, src, dst):
    module, board = course.breakthrough, rows("board_22")
    assert not module.is_valid_move(board, src, dst, module.Player.BLACK)
    assert module.make_move(board, src, dst, module.Player.BLACK) is board
    assert board == rows("board_22")
    copied = module.make_move(board, src, dst, module.Player.BLACK, in_place=False)
    assert copied == board
    assert copied is not board


@pytest.mark.parametrize(
    ("board", "over"), [("game_over_board_1", True), ("board_52", True), ("board_21", False), (START, False)]
)
def test_a_game_is_over_at_a_far_row_or_without_pawns(course, board, over):
    assert course.breakthrough.is_game_over(rows(board)) is over


@pytest.mark.parametrize(
    ("board", "black", "white"),
    [
        (
            "board_21",
            [((0, 2), (1, 1)), ((0, 2), (1, 2)), ((0, 2), (1, 3))],
            [((5, 1), (4, 0)), ((5, 1), (4, 1)), ((5, 1), (4, 2))],
        ),
        (
            "board_22",
            [((0, 4), (1, 3)), ((0, 4), (1, 4)), ((1, 5), (2, 4)), ((1, 5), (2, 5))],
            [((2, 1), (1, 0)), ((2, 1), (1, 1)), ((2, 1), (1, 2)), ((3, 2), (2, 2)), ((3, 2), (2, 3))],
        ),
        (
            "board_23",
            [((1, 2), (2, 1)), ((1, 2), (2, 3))],
            [
                *[((2, 1), (1, 0)), ((2, 1), (1, 1)), ((2, 1), (1, 2)), ((2, 2), (1, 1)), ((2, 2), (1, 3))],
                *[((2, 3), (1, 2)), ((2, 3), (1, 3)), ((2, 3), (1, 4))],
            ],
        ),
    ],
)
def test_valid_moves_are_the_handouts(course, board, black, white):
    player = course.breakthrough.Player
    assert sorted(course.ps2.generate_valid_moves(rows(board), player.BLACK)) == black
    assert sorted(course.ps2.generate_valid_moves(rows(board), player.WHITE)) == white


@given(st.integers(4, 8), st.integers(3, 8), st.data())
def test_valid_moves_are_those_of_the_rules_on_any_board(course, height, width, data):
    cells = st.text("BW_", min_size=width, max_size=width)
    text = "/".join(data.draw(st.lists(cells, min_size=height, max_size=height)))
    player = course.breakthrough.Player(data.draw(st.sampled_from(["black", "white"])))
    board = rows(text)
    if course.breakthrough.is_game_over(board):
        return
    state = rules_of("breakthrough").parse_state(f"{text.replace('_', '.')} {player.value}")
    moves = course.ps2.generate_valid_moves(board, player)
    assert moves == list(state.legal_moves())
    for move in moves:
        after = course.breakthrough.make_move(board, *move, player, in_place=False)
        assert ["".join(row).replace("_", ".") for row in after] == state.play(move).rows()


# --- utils.py, of earlier terms ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_a_board_without_squares_is_refused_with_a_sentence(course, rows):
    board, black = [[] for _ in range(rows)], course.breakthrough.Player.BLACK
    for ask in (
        lambda: course.breakthrough.is_game_over(board),
        lambda: course.breakthrough.is_valid_move(board, (0, 0), (1, 0), black),
        lambda: course.ps2.evaluate(board),
        lambda: course.ps2.minimax(board, 0, 2, black, course.ps2.generate_valid_moves),
        lambda: course.utils.is_game_over(board),
    ):
        with pytest.raises(ValueError, match=f"^a board of {rows} rows has no columns; give each row at least one"):
            ask()


def test_the_older_utils_move_black_alone(course):
    utils, board = course.utils, course.utils.generate_init_state()
    assert board == rows(START)
    assert (utils.ROW, utils.COL) == (6, 6)
    assert utils.generate_rand_move(board) == ([1, 0], [2, 0])
    assert utils.is_valid_move(board, [1, 0], [2, 1])
    assert not utils.is_valid_move(board, [4, 0], [3, 0])
    assert utils.state_change(board, [1, 0], [2, 0], in_place=False)[2][0] == "B"
    assert board == rows(START)
    assert utils.state_change(board, [1, 0], [3, 0]) is board
    assert board == rows(START)
    assert utils.generate_rand_move(rows("game_over_board_1")) is None


def test_an_inverted_board_is_whites_view_and_inverted_again_the_same(course):
    board = rows("board_22")
    inverted = course.utils.invert_board(board, in_place=False)
    assert ["".join(row) for row in inverted] == ["______", "______", "__B___", "_B____", "_____W", "____W_"]
    assert course.utils.invert_board(inverted) is inverted
    assert inverted == board == rows("board_22")


class Naive:
    """A player of the template, by `utils`; or whatever it is told to answer."""

    def __init__(self, utils, answer=None):
        self.utils, self.answer = utils, answer

    def make_move(self, board):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer or self.utils.generate_rand_move(board)


def test_the_older_templates_play_a_game_and_its_tests(course, capsys):
    utils = course.utils
    told = utils.play(Naive(utils), Naive(utils), utils.generate_init_state())
    assert told == "White(Test agent) win; Random move made by Black(Student agent): 0;"
    assert capsys.readouterr().out.count("+-----+") > 10
    told = utils.play(Naive(utils, ([0, 0], [5, 5])), Naive(utils), utils.generate_init_state())
    assert re.fullmatch(r"White\(Test agent\) win; Random move made by Black\(Student agent\): [1-9][0-9]*;", told)
    assert utils.test(rows(START), Naive(utils)) is True
    assert utils.test_move(rows(START), Naive(utils, ([0, 0], [1, 0]))) is False
    assert utils.test(rows(START), Naive(utils, "a1")) is False
    assert utils.test(rows(START), Naive(utils, ValueError("no idea"))) == "FAILED, reason: no idea"


# --- ps2.py: the four searches ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SEARCHES)
class TestEverySearch:
    def test_leaves_the_board_alone(self, course, name):
        board = rows("preservation_board")
        window = (-INF, INF) if "alpha_beta" in name else ()
        black = course.breakthrough.Player.BLACK
        getattr(course.ps2, name)(board, 0, 2, *window, black, course.ps2.generate_valid_moves)
        assert board == rows("preservation_board")

    def test_ends_where_the_game_is_over(self, search, name):
        assert search(name, "game_over_board_1", 1, "black") == (-WIN, NONE)
        assert search(name, "game_over_board_2", 1, "black") == (WIN, NONE)
        assert search(name, "game_over_board_1", 1, "white") == (-WIN, NONE)
        assert search(name, "game_over_board_2", 1, "white") == (WIN, NONE)

    def test_ends_at_the_greatest_depth(self, search, name):
        score, move = search(name, "max_depth_board_1", 1, "black")
        assert score == 0
        assert move in [((3, 5), (4, 4)), ((3, 5), (4, 5))]
        score, move = search(name, "max_depth_board_2", 1, "white")
        assert score == 0
        assert move in [((2, 0), (1, 0)), ((2, 0), (1, 1))]
        assert search(name, "board_31", 0, "white") == (0, NONE)

    @pytest.mark.parametrize("player", ["black", "white"])
    def test_lets_players_take_turns(self, search, name, player):
        assert search(name, "player_switching_board", 2, player)[0] == 0

    @pytest.mark.parametrize(
        ("board", "depth", "player", "score", "moves"),
        [
            ("board_31", 1, "black", WIN, [((4, 1), (5, 0)), ((4, 1), (5, 2))]),
            ("board_32", 4, "black", -WIN, [((1, 5), (2, 5)), ((1, 5), (2, 4))]),
            ("board_33", 3, "white", -WIN, [((2, 0), (1, 0)), ((2, 0), (1, 1))]),
            (*("board_34", 3, "white", -1), [((3, 1), (2, 2)), ((4, 2), (3, 3)), ((4, 4), (3, 3)), ((4, 4), (3, 5))]),
            ("board_35", 4, "white", WIN, [((3, 5), (2, 5)), ((3, 5), (2, 4))]),
        ],
    )
    def test_finds_the_handouts_value_and_move(self, search, name, board, depth, player, score, moves):
        found, move = search(name, board, depth, player)
        assert found == score
        assert move in moves


@pytest.mark.parametrize("name", SEARCHES[2:])
@pytest.mark.parametrize(
    ("board", "depth", "score", "moves"),
    [
        ("board_41", 3, WIN, [((3, 4), (4, 5))]),
        (
            *("board_42", 6, -WIN),
            [
                *[((0, 4), (1, 4)), ((0, 4), (1, 5)), ((1, 2), (2, 2)), ((1, 2), (2, 1)), ((1, 2), (2, 3))],
                *[((1, 3), (2, 3)), ((1, 3), (2, 2)), ((1, 3), (2, 4))],
            ],
        ),
    ],
)
def test_alpha_beta_looks_further(search, name, board, depth, score, moves):
    found, move = search(name, board, depth, "black")
    assert found == score
    assert move in moves


small = st.lists(st.text("BW__", min_size=3, max_size=3), min_size=4, max_size=5).map("/".join)


@given(small, st.integers(0, 4), st.sampled_from(["black", "white"]))
def test_all_four_searches_agree_on_value_and_move_at_every_parity(search, board, depth, player):
    found = {name: search(name, board, depth, player) for name in SEARCHES}
    assert len(set(found.values())) == 1, found


@given(small, st.integers(1, 3), st.sampled_from(["black", "white"]), st.integers(-3, 3), st.integers(1, 3))
def test_a_window_is_blacks_and_gives_bounds(search, board, depth, player, alpha, width):
    true, beta = search("minimax", board, depth, player)[0], alpha + width
    for name in SEARCHES[2:]:
        found = search(name, board, depth, player, alpha, beta)[0]
        if found <= alpha:
            assert true <= found
        elif found >= beta:
            assert true >= found
        else:
            assert true == found


# --- ps2.py: judgement ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("board", "value"), [(START, 0), ("board_22", 0), ("preservation_board", -1), ("board_52", -WIN)]
)
def test_boards_are_judged_by_pawns(course, board, value):
    assert course.ps2.evaluate(rows(board)) == value


def test_of_two_winners_it_is_the_one_whom_the_handout_meets_first(course):
    board = rows("W_____/______/______/______/______/_____B")
    assert course.ps2.evaluate(board) == course.ps2.improved_evaluate(board) == -WIN


@pytest.mark.parametrize(
    ("board", "value"),
    [("board_51", 0), ("board_52", -WIN), ("board_53", WIN), (START, 0), ("game_over_board_1", -WIN)],
)
def test_the_improved_judgement_is_the_handouts(course, board, value):
    assert course.ps2.improved_evaluate(rows(board)) == value


def test_every_square_is_worth_the_points_of_the_figures(course):
    for row, points in enumerate([10, 10, 20, 40, 50]):
        board = rows("______/______/______/______/______/W_____")  # a white pawn at home is worth 10
        board[row][3] = "B"
        assert course.ps2.improved_evaluate(board) == points - 10
        mirrored = rows("B_____/______/______/______/______/______")
        mirrored[5 - row][3] = "W"
        assert course.ps2.improved_evaluate(mirrored) == 10 - points
    with pytest.raises(ValueError, match="points for 6 rows, this board has 4"):
        course.ps2.improved_evaluate(rows("B__/___/___/__W"))


def test_the_courses_own_imports_work_with_the_folder_on_the_path_of_breakthrough(handout_folder):
    program = (
        "import breakthrough\nfrom ps2 import *\n"
        "board = [list('__B___')] + [list('______') for _ in range(4)] + [list('_W____')]\n"
        "print(len(generate_valid_moves(board, breakthrough.Player.BLACK)))\n"
    )
    environment = {"PYTHONPATH": str(handout_folder("tsp_and_breakthrough"))}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "3\n"
