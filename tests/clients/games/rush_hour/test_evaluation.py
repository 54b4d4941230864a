"""The estimates of Rush Hour count the blockers of the course's handout."""

from math import inf

import pytest

from palio_clients.games.rush_hour import evaluation as rush_hour
from palio_rules.boards.rush_hour import read_board


# The examples of CSCI 104's handout, numbered as there; the first one stands before them.
@pytest.mark.parametrize(
    ("board", "blockers"),
    [
        ("ee.c../...c../aabc../..b.../..b.../.ddd..", 3),  # example 3
        ("...ee./....../aabc../..bc../..d.../..d...", 2),  # 1
        ("..d.../..d.../..b.../aabc../...c../...ee.", 2),  # 2
        (".ddee./.ffc../..bc../aabc../..b.../....gg", 5),  # 4
        (".ee.../...c../aabc../..bc../..b.../.dd...", 3),  # 5
        (".ddee./...c../aabc../..b.../..ff../....gg", 2),  # 6
        (".ee.gg/..bc.d/aabc.d/...c.h/..fffh/......", 4),  # 7
    ],
)
def test_blockers_are_counted_as_in_the_handout(board, blockers):
    assert rush_hour.indirect_blockers(*read_board(board.split("/"))) == blockers


@pytest.mark.parametrize("board", ["aa.bb./....../....../....../....../......", "aab./..b./..b./..b."])
def test_what_can_never_get_out_of_the_way_leaves_infinitely_much_to_do(board):
    assert rush_hour.indirect_blockers(*read_board(board.split("/"))) == inf
