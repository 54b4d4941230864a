"""The tests of the handout: for tasks 2.1 to 5.1, with its own boards."""

import pytest
from grading_ps2 import SEARCHES, Course, lists

E = "______"
BOARD_21 = ["__B___", E, E, E, E, "_W____"]
BOARD_22 = ["____B_", "_____B", "_W____", "__W___", E, E]
BOARD_23 = [E, "__B___", "_WWW__", E, E, E]
PRESERVATION = ["___B__", E, "_B__B_", "W____W", "___W__", "_W____"]
GAME_OVER_1 = [E, "_W____", E, E, E, E]
GAME_OVER_2 = [E, E, E, E, "_B____", E]
MAX_DEPTH_1 = [E, "W_____", E, "_____B", E, E]
MAX_DEPTH_2 = [E, E, "W_____", E, "_____B", E]
SWITCHING = ["___B__", E, "_B__B_", "W____W", E, "___W__"]
BOARD_31 = [E, "___B__", "____BB", "___WB_", "_B__WW", "_WW___"]
BOARD_32 = [E, "_____B", "_W____", E, E, E]
BOARD_33 = [E, "__B___", "W_____", "___B_B", "__W___", E]
BOARD_34 = [E, "____BB", "__B___", "_W_B_B", "__W_W_", "___WW_"]
BOARD_41 = [E, "__BB__", "____BB", "WBW_B_", "____WW", "_WW___"]
BOARD_42 = ["____B_", "__BB__", E, "_WWW__", "____W_", E]
BOARD_51 = ["___B__", "___W__", E, "__B___", E, E]
BOARD_52 = ["___BW_", "___W__", E, E, E, E]
BOARD_53 = [E, E, E, "__B___", E, E]
ON_33 = (BOARD_33, 3, "white", -1, [((2, 0), (1, 0)), ((2, 0), (1, 1))])
ON_34 = (BOARD_34, 3, "white", None, [((3, 1), (2, 2)), ((4, 2), (3, 3)), ((4, 4), (3, 3)), ((4, 4), (3, 5))])
PLAIN = [  # board, depth, player, winner (1 Black, -1 White, None: the value is -1), best moves
    (BOARD_31, 1, "black", 1, [((4, 1), (5, 0)), ((4, 1), (5, 2))]),
    (BOARD_32, 4, "black", -1, [((1, 5), (2, 5)), ((1, 5), (2, 4))]),
    ON_33,
    ON_34,
]
PRUNED = [
    (BOARD_41, 3, "black", 1, [((3, 4), (4, 5))]),
    (
        BOARD_42,
        6,
        "black",
        -1,
        [((0, 4), (1, col)) for col in (4, 5)]
        + [((1, col), (2, to)) for col in (2, 3) for to in (col - 1, col, col + 1)],
    ),
    ON_33,
    ON_34,
]
CASES = [(name, *case) for name in SEARCHES for case in (PRUNED if "alpha_beta" in name else PLAIN)]
EACH_SEARCH = pytest.mark.parametrize("search", SEARCHES)


@pytest.fixture
def course(student):
    return Course(student)


@pytest.mark.points(1, seconds=10)
@pytest.mark.parametrize(
    ("board", "player", "moves"),
    [
        (BOARD_21, "black", [((0, 2), (1, 1)), ((0, 2), (1, 2)), ((0, 2), (1, 3))]),
        (BOARD_21, "white", [((5, 1), (4, 0)), ((5, 1), (4, 1)), ((5, 1), (4, 2))]),
        (BOARD_22, "black", [((0, 4), (1, 3)), ((0, 4), (1, 4)), ((1, 5), (2, 4)), ((1, 5), (2, 5))]),
        (BOARD_22, "white", [((2, 1), (1, 0)), ((2, 1), (1, 1)), ((2, 1), (1, 2)), ((3, 2), (2, 2)), ((3, 2), (2, 3))]),
        (BOARD_23, "black", [((1, 2), (2, 1)), ((1, 2), (2, 3))]),
        (
            BOARD_23,
            "white",
            [
                ((2, 1), (1, 0)),
                ((2, 1), (1, 1)),
                ((2, 1), (1, 2)),
                ((2, 2), (1, 1)),
                ((2, 2), (1, 3)),
                ((2, 3), (1, 2)),
                ((2, 3), (1, 3)),
                ((2, 3), (1, 4)),
            ],
        ),
    ],
    ids=["21-black", "21-white", "22-black", "22-white", "23-black", "23-white"],
)
def test_generate_valid_moves(course, board, player, moves):
    assert course.moves(board, player) == moves


@pytest.mark.points(0.5, seconds=20)
@EACH_SEARCH
def test_board_preservation(course, search):
    course.search(search, PRESERVATION, 2, "black")
    assert course.is_board_kept(), "the search changes the board that it is given"


@pytest.mark.points(0.5, seconds=20)
@pytest.mark.parametrize(("board", "sign"), [(GAME_OVER_1, -1), (GAME_OVER_2, 1)], ids=["white-won", "black-won"])
@EACH_SEARCH
def test_game_over(course, search, board, sign):
    value, move = course.search(search, board, 1, "black")
    assert value == sign * course.win
    assert move == course.none


@pytest.mark.points(0.5, seconds=20)
@pytest.mark.parametrize(
    ("board", "player", "moves"),
    [
        (MAX_DEPTH_1, "black", [((3, 5), (4, 4)), ((3, 5), (4, 5))]),
        (MAX_DEPTH_2, "white", [((2, 0), (1, 0)), ((2, 0), (1, 1))]),
    ],
    ids=["black", "white"],
)
@EACH_SEARCH
def test_max_depth(course, search, board, player, moves):
    value, move = course.search(search, board, 1, player)
    assert value == 0
    assert move in moves


@pytest.mark.points(0.5, seconds=20)
@pytest.mark.parametrize("player", ["black", "white"])
@EACH_SEARCH
def test_player_switching(course, search, player):
    value, _ = course.search(search, SWITCHING, 2, player)
    assert value == 0


@pytest.mark.points(0.5, seconds=40)
@pytest.mark.parametrize(
    ("search", "board", "depth", "player", "winner", "moves"),
    CASES,
    ids=[f"{case[0]}-{number}" for case, number in zip(CASES, (1, 2, 3, 4) * 4, strict=True)],
)
def test_search(course, search, board, depth, player, winner, moves):
    value, move = course.search(search, board, depth, player)
    assert value == (-1 if winner is None else winner * course.win)
    assert move in moves


@pytest.mark.points(2, seconds=10)
@pytest.mark.parametrize(("board", "sign"), [(BOARD_51, 0), (BOARD_52, -1), (BOARD_53, 1)], ids=["51", "52", "53"])
def test_improved_evaluate(course, board, sign):
    assert course.ps2.improved_evaluate(lists(board)) == sign * course.win
