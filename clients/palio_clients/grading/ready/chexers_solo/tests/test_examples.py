"""The report's board of four corners, and three small ones: each solved, and solved in the fewest actions."""

import pytest
from grading_actions import check_actions, printed

BOARDS = {
    "corners": ({"colour": "red", "pieces": [[0, -3], [-3, 0], [-3, 3], [0, 3]], "blocks": []}, 18),
    "at-the-exit": ({"colour": "green", "pieces": [[0, 3]], "blocks": []}, 1),
    "across": ({"colour": "blue", "pieces": [[3, 0]], "blocks": []}, 7),
    "over-blocks": ({"colour": "red", "pieces": [[0, 0]], "blocks": [[1, 0], [1, -1], [0, 1], [3, -1]]}, 3),
}
EACH = pytest.mark.parametrize(("board", "fewest"), BOARDS.values(), ids=BOARDS)


@pytest.mark.points(5, seconds=60)
@EACH
def test_solution(student, board, fewest):
    check_actions(printed(student, board), board)


@pytest.mark.points(4, seconds=60)
@EACH
def test_fewest_actions(student, board, fewest):
    actions = printed(student, board)
    check_actions(actions, board)
    assert len(actions) == fewest, "there is a shorter solution"
