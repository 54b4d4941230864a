"""The terms of an event: kept as plain values, and in the setups of its matches."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from palio_db.event_values import Plan
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl
from palio_server.tournament.terms import Terms

clocks = st.integers(1, 10_000)
times = st.builds(TimeControl, clocks, st.integers(0, 100), st.none() | clocks) | st.builds(
    TimeControl, clocks, margin_ms=st.integers(0, 500), moves=st.integers(1, 60)
)
odds = st.dictionaries(st.sampled_from("abc"), times)


@given(times, odds)
def test_terms_are_read_back_from_an_events_settings(time, times):
    terms = Terms(game="dominoes", time=time, times=times)
    kept = msgspec.json.decode(msgspec.json.encode(terms.settings))
    assert Terms.of("dominoes", kept) == terms


@given(odds)
def test_each_bot_takes_its_own_time_to_either_seat(times):
    terms = Terms(game="dominoes", time=TimeControl.parse("10+0.1"), times=times)
    for _, setup in terms.setups(Plan(1, 1, ("a", "d"), games=2)):
        assert setup.clocks() == tuple(times.get(bot, terms.time) for bot in setup.bots)
        assert (setup.times is UNSET) == ("a" not in times)


def test_a_race_has_time_odds_by_entrant():
    terms = Terms(game="rush_hour", times={"b": TimeControl.parse("5")})
    [(_, setup)] = terms.setups(Plan(1, 1, ("a", "b", "c")))
    assert [str(time) for time in setup.clocks()] == ["inf", "5+0", "inf"]


def test_each_match_of_a_course_says_which_submission_plays_in_which_seat():
    terms = Terms(game="dominoes", submissions={"a": "01a", "b": "01b"})
    assert Terms.of("dominoes", msgspec.json.decode(msgspec.json.encode(terms.settings))) == terms
    setups = [setup for _, setup in terms.setups(Plan(1, 1, ("a", "b"), games=2))]
    assert [dict(zip(setup.bots, setup.submissions, strict=True)) for setup in setups] == [terms.submissions] * 2
    assert [setup.submissions for _, setup in terms.setups(Plan(1, 1, ("a", "x"), games=1))] == [("01a", "")]
    assert [setup.submissions for _, setup in terms.setups(Plan(1, 1, ("x", "y"), games=1))] == [UNSET]
    with pytest.raises(ValueError, match="submissions has 1 IDs for 2 bots; give one for each"):
        Setup("dominoes", ("a", "b"), submissions=("01a",))


@pytest.mark.parametrize(
    ("seating", "lineups"),
    [("swapped", ["ba", "ab", "ba"]), ("reversed", ["ab", "ba", "ab"]), ("fixed", ["ab", "ab", "ab"])],
)
def test_seats_are_swapped_reversed_or_fixed(seating, lineups):
    terms = Terms(game="dominoes", seating=seating, order=("a", "b"))
    assert Terms.of("dominoes", msgspec.json.decode(msgspec.json.encode(terms.settings))) == terms
    setups = terms.setups(Plan(1, 1, ("b", "a"), games=3))
    assert ["".join(setup.bots) for _, setup in setups] == lineups
