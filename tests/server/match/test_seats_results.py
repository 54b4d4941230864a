"""The end of a match: scores, reason, and the details of each seat that was out before."""

import pytest

from palio_rules.game import Outcome
from palio_rules.records.record import Setup
from palio_server.match.seats import MAX_DETAIL, Fault, ResultWriter, Seats

pytestmark = pytest.mark.usefixtures("small_games")

THREE = Setup(game="heap3", bots=("ann", "bob", "cid"), options={"stones": 9})
CRASH = Fault(1, "crashed", "bot-crashed", "ZeroDivisionError: division by zero")


@pytest.fixture
def seats():
    return Seats("m", THREE, lambda seat, message: None, lambda seat: ())


def test_by_rule(seats):
    result = ResultWriter(seats).by_rule(Outcome("last-stone", (1.0, 0.0, 0.0)))
    assert (result.termination, result.reason, result.scores, result.seat) == (
        "rule",
        "last-stone",
        [1.0, 0.0, 0.0],
        None,
    )
    assert result.detail == ""


def test_a_fault_that_ends_the_game_names_its_seat_and_says_more(seats):
    result = ResultWriter(seats).forfeited(CRASH, Outcome("last-seat", (1.0, 0.0, 0.0)))
    assert (result.termination, result.reason, result.seat) == ("crashed", "bot-crashed", 1)
    assert result.detail == CRASH.detail


def test_an_adjudicated_match_is_a_draw_of_those_who_still_play(seats):
    seats.remove(1)
    result = ResultWriter(seats).adjudicated("ply-cap")
    assert (result.termination, result.reason, result.scores) == ("adjudicated", "ply-cap", [0.5, 0.0, 0.5])


def test_a_reason_is_not_said_twice(seats):
    assert ResultWriter(seats).adjudicated("closing", "closing").detail == ""
    assert ResultWriter(seats).adjudicated("closing", "closing time").detail == "closing time"


def test_what_is_known_of_seats_that_were_out_before_stands_under_their_names(seats):
    results = ResultWriter(seats)
    results.seat_out(CRASH)
    results.seat_out(Fault(2, "time", "flag-fell"))
    assert results.by_rule(Outcome("last-seat", (1.0, 0.0, 0.0))).detail == f"green: {CRASH.detail}"
    assert results.adjudicated("closing", "closing time").detail == f"closing time\ngreen: {CRASH.detail}"


def test_long_details_share_the_room_and_keep_their_ends(seats):
    results = ResultWriter(seats)
    results.seat_out(CRASH._replace(detail="x" * MAX_DETAIL + "end"))
    detail = results.by_rule(Outcome("last-seat", (1.0, 0.0, 0.0))).detail
    assert len(detail) == len("green: ") + MAX_DETAIL // 2
    assert detail.endswith("xend")
