"""How a match ended, for each of its bots."""

import pytest

from palio_db.counters import outcomes_of
from palio_db.values import Claim
from palio_rules.contract.messages import Finish
from palio_rules.records.record import Setup


@pytest.fixture
def record(make):
    def made(scores, termination="rule", seat=None, *, rated=True, bots=("anna", "ben", "cleo", "dot")):
        setup = Setup("nim", tuple(bots[: len(scores)]), rated=rated)
        return make.record(Claim("m", 1, setup), scores, termination=termination, seat=seat)

    return made


@pytest.mark.parametrize(
    ("scores", "termination", "seat", "outcomes"),
    [
        ((1, 0), "rule", None, ["won", "lost"]),
        ((0.5, 0.5), "rule", None, ["drawn", "drawn"]),
        ((1, 0), "time", 1, ["won", "time"]),
        ((0, 1), "crashed", 0, ["crashed", "won"]),
        ((0.5, 0.5), "adjudicated", None, ["adjudicated", "adjudicated"]),
        ((0.5, 0.5, 0), "illegal", 2, ["drawn", "drawn", "illegal"]),
        ((1, 0, 0), "illegal", 2, ["won", "lost", "illegal"]),
        ((1,), "rule", None, ["played"]),
    ],
)
def test_a_fault_is_that_of_the_seat_at_fault(record, scores, termination, seat, outcomes):
    assert outcomes_of(record(scores, termination, seat)) == outcomes


def test_in_a_race_each_has_its_own_end(record):
    played = record((1, 0.5, 0))
    finishes = [Finish("rule", "solved", 3), Finish("resigned", "resigned", None), Finish("time", "flag-fell", None)]
    ended = type(played.result)("rule", "ranked", [1, 0.5, 0], finishes=finishes)
    raced = type(played)(played.match, played.setup, (), ended, played.started_at, played.finished_at)
    assert outcomes_of(raced) == ["won", "resigned", "time"]


def test_a_match_that_is_not_rated_has_none(record):
    assert outcomes_of(record((1, 0), "time", 1, rated=False)) == [None, None]
