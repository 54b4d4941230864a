"""Boards: one for all seats or, in a race, one for each entrant, with what its solution costs and when it came."""

import pytest

from palio_rules.errors import IllegalMove
from palio_rules.records import Ply, Setup
from palio_rules.records.boards import RaceBoards, boards_of

PARK = Setup("rush_hour", ("ann", "bob"), options={"board": "b.../b.../aa.c/.d.."})  # c up or down lets a out


def test_boards_are_one_for_all_seats_where_it_is_no_race():
    setup = Setup("chexers", ("ann", "bob", "cid"))
    boards = boards_of(setup)
    assert boards.of(0) is boards.of(2)
    after = boards.play(Ply(1, None, 0, None, "time"))
    assert boards.of(1) is after
    with pytest.raises(IllegalMove):
        boards.play(Ply(0, ["PASS", None], 0))


def test_in_a_race_each_entrant_has_a_board_and_a_turn_of_its_own():
    boards = boards_of(PARK)
    assert isinstance(boards, RaceBoards)
    assert boards.seats == 2
    after = boards.play(Ply(1, ["c", -1], 40))
    assert boards.of(1) is after
    assert boards.of(0) == PARK.start()
    assert [boards.to_move(seat) for seat in range(2)] == [0, None]
    assert (boards.costs(), boards.played, boards.times()) == ([None, 1], [0, 1], [0, 40])
    assert boards.ahead() == 1
    assert boards.ends() == [None, "solved"]


def test_an_entrant_that_has_left_plays_no_more_and_its_exit_is_no_move():
    boards = boards_of(PARK)
    boards.play(Ply(0, None, 0, None, "time"))
    assert (boards.out, boards.played) == (["time", None], [0, 0])
    with pytest.raises(IllegalMove, match="entrant 1 has left the race already"):
        boards.play(Ply(0, ["c", -1], 40))
    boards.play(Ply(1, ["c", -1], 40))
    with pytest.raises(IllegalMove, match="the race of entrant 2 is over already"):
        boards.play(Ply(1, None, 0, None, "time"))
