"""Exactly the bots that do not come to their matches are found."""

from datetime import UTC, datetime, timedelta

import pytest

from palio_rules.contract.messages import Finish, Result
from palio_rules.records.record import Ply, Record, Setup
from palio_server.processes.lost_matches import Appearances

MOMENT = datetime(2026, 11, 1, tzinfo=UTC)
BOTS = ("ada", "bob", "cat")


def match(number, result, plies=(), *, bots=BOTS[:2], game="breakthrough", lasted=30):
    began = MOMENT + timedelta(minutes=number)
    setup = Setup(game, bots)
    return Record(f"m{number}", setup, tuple(plies), result, began, began + timedelta(seconds=lasted))


def lost(termination, seat=0):
    return Result(termination, "x", [0.0, 1.0], seat)


MOVES = (Ply(0, [], 1), Ply(1, [], 1))
NEVER = lost("stalled")


@pytest.mark.parametrize("termination", ["stalled", "disconnected", "crashed"])
def test_a_bot_that_misses_three_in_a_row_is_given_up_once(termination):
    appearances = Appearances()
    noted = [appearances.note(match(number, lost(termination))) for number in range(5)]
    assert noted == [([], []), ([], []), ([], ["ada"]), ([], []), ([], [])]


def test_a_match_for_which_nobody_was_ready_is_missed_by_both():
    appearances = Appearances()
    nobody = Result("adjudicated", "nobody-ready", [0.5, 0.5])
    noted = [appearances.note(match(number, nobody)) for number in range(3)]
    assert noted[-1] == ([], ["ada", "bob"])


def test_a_move_ends_the_row_whatever_happens_then():
    appearances = Appearances()
    for number in (0, 1):
        appearances.note(match(number, NEVER))
    assert appearances.note(match(2, lost("crashed"), MOVES)) == (["bob"], [])
    noted = [appearances.note(match(number, NEVER)) for number in (3, 4)]
    assert noted == [([], []), ([], [])]
    assert appearances.note(match(5, NEVER)) == ([], ["ada"])


@pytest.mark.parametrize("termination", ["time", "illegal", "resigned"])
def test_who_loses_by_what_it_does_has_played(termination):
    assert Appearances().note(match(0, lost(termination), MOVES)) == (["ada", "bob"], [])


def test_who_wins_since_the_other_one_never_came_has_neither_played_nor_missed():
    appearances = Appearances()
    for number in range(9):
        played, given_up = appearances.note(match(number, NEVER))
        assert "bob" not in played + given_up


def test_matches_that_were_lost_together_count_once():
    appearances = Appearances()
    together = [match(0, NEVER, lasted=seconds) for seconds in (30, 31, 32, 33)]
    assert [appearances.note(each)[1] for each in together] == [[], [], [], []]
    assert [appearances.note(match(number, NEVER))[1] for number in (1, 2)] == [[], ["ada"]]


def test_at_a_table_that_plays_on_the_seat_that_was_out_is_known_by_its_ply():
    appearances = Appearances()
    plies = (Ply(0, None, 0, None, "stalled"), Ply(1, [], 1), Ply(2, [], 1))
    record = match(0, Result("rule", "x", [0.0, 1.0, 0.0]), plies, bots=BOTS, game="chexers")
    assert appearances.note(record) == (["bob", "cat"], [])
    assert [appearances.note(match(number, NEVER))[1] for number in (1, 2)] == [[], ["ada"]]


def test_in_a_race_each_has_an_end_of_its_own():
    finishes = [Finish("stalled", "never-ready", None), Finish("rule", "solved", 8.0)]
    result = Result("rule", "ranked", [0.0, 1.0], finishes=finishes)
    plies = (Ply(0, None, 0, None, "stalled"), Ply(1, [], 1))
    appearances = Appearances()
    noted = [appearances.note(match(number, result, plies, game="rush_hour")) for number in range(3)]
    assert noted == [(["bob"], []), (["bob"], []), (["bob"], ["ada"])]
