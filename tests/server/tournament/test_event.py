"""An event gives the same answers for the same changes, in any order."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan
from palio_server.tournament.event import Encounter, Event

ENTRIES = [Entry("ann", 1, 1800), Entry("bob", 2), Entry("cid", 3, 2000), Entry("dan", 4, 1800)]
PAIR = Plan(1, 1, ("ann", "bob"), 2)
TABLE = Plan(1, 1, ("ann", "bob", "cid"), 6)


def match(game, scores=None, *, encounter=1, bots=("ann", "bob"), status="finished", **fields):
    status = status if scores is not None or status != "finished" else "scheduled"
    return EventMatch(f"m{encounter}{game}", encounter, game, bots, status, scores, **fields)


def encounter(plan, *matches, forfeits=()):
    return Encounter(1, plan, matches, frozenset(forfeits))


def test_an_encounter_is_over_when_all_its_games_are():
    won, lost = match(0, (1.0, 0.0)), match(1, (1.0, 0.0), bots=("bob", "ann"))
    assert not encounter(PAIR).over
    assert not encounter(PAIR, won).over
    assert not encounter(PAIR, won, match(1, status="running")).over
    assert encounter(PAIR, won, lost).over
    assert encounter(PAIR, won, match(1, status="aborted")).over
    assert encounter(Plan(1, 1, ("ann",), 0, kind="pairing-bye")).over


def test_a_forfeit_ends_it_when_what_has_begun_is_over():
    assert encounter(PAIR, forfeits=["bob"]).over
    assert not encounter(PAIR, match(0, status="running"), forfeits=["bob"]).over
    assert encounter(PAIR, match(0, (0.0, 1.0)), forfeits=["bob"]).over


@pytest.mark.parametrize(
    ("first", "second", "points", "shares"),
    [
        ((1.0, 0.0), (0.0, 1.0), [2.0, 0.0], [1.0, 0.0]),
        ((1.0, 0.0), (1.0, 0.0), [1.0, 1.0], [0.5, 0.5]),
        ((0.5, 0.5), (1.0, 0.0), [0.5, 1.5], [0.0, 1.0]),
    ],
)
def test_as_a_whole_a_duel_is_won_drawn_or_lost(first, second, points, shares):
    found = encounter(PAIR, match(0, first), match(1, second, bots=("bob", "ann")))
    assert list(found.game_points().values()) == points
    assert list(found.shares().values()) == shares


def test_as_a_whole_a_table_ranks_its_bots():
    wins = [("ann", 3), ("bob", 2), ("cid", 1)]
    games = [name for name, count in wins for _ in range(count)]
    matches = [
        match(game, tuple(float(bot == winner) for bot in TABLE.bots), bots=TABLE.bots)
        for game, winner in enumerate(games)
    ]
    assert encounter(TABLE, *matches).shares() == {"ann": 1.0, "bob": 0.5, "cid": 0.0}


def test_who_forfeits_leaves_the_unfinished_games_to_the_others():
    one = encounter(PAIR, match(0, (0.0, 1.0)), forfeits=["bob"])
    assert one.game_points() == {"ann": 1.0, "bob": 1.0}
    assert one.game_points(forfeits_count=False) == {"ann": 0.0, "bob": 1.0}
    assert encounter(PAIR, forfeits=["ann", "bob"]).shares() == {"ann": 0.0, "bob": 0.0}
    assert encounter(TABLE, forfeits=["cid"]).game_points() == {"ann": 3.0, "bob": 3.0, "cid": 0.0}


def test_what_was_aborted_only_counts_for_nothing():
    void = encounter(PAIR, match(0, status="aborted"), match(1, status="aborted"))
    assert void.void
    assert void.shares() == {"ann": 0.0, "bob": 0.0}
    assert not encounter(PAIR, match(0, (1.0, 0.0)), match(1, status="aborted")).void


def test_the_seeds_are_by_rating_then_by_number():
    assert [entry.bot for entry in Event("dominoes", ENTRIES).seeds()] == ["cid", "ann", "dan", "bob"]


def test_games_keep_their_numbers_however_often_they_are_scheduled():
    event = Event("dominoes", ENTRIES)
    event.add(EncounterRow(1, PAIR))
    event.add(EncounterRow(2, Plan(1, 2, ("cid",), 0, kind="pairing-bye")))
    event.add(EncounterRow(3, Plan(2, 1, ("cid", "dan"), 2)))
    third = match(0, encounter=3, bots=("cid", "dan"))
    event.note(third)
    assert event.game_number(third) == 3
    event.drop(3, [third.match])
    again = replace(third, match="other")
    event.note(again)
    assert (event.game_number(again), event.planned) == (3, 4)
    assert event.encounter(3).matches == (again,)


@given(
    st.permutations(range(6)), st.lists(st.sampled_from([(1.0, 0.0), (0.5, 0.5), (0.0, 1.0)]), min_size=6, max_size=6)
)
def test_the_order_of_the_results_makes_no_difference(order, results):
    def after(places):
        event = Event("dominoes", ENTRIES)
        for number in (1, 2, 3):
            event.add(EncounterRow(number, replace(PAIR, board=number)))
        for place in places:
            event.note(match(place % 2, results[place], encounter=place // 2 + 1))
        return event

    one, other = after(order), after(range(6))
    assert list(one.encounters) == list(other.encounters)
    assert one.all_over
    assert sorted(each.number for each in one.settled) == [1, 2, 3]
    assert [each.encounter(2).shares() for each in (one, other)] == [other.encounter(2).shares()] * 2


def test_what_was_known_before_a_round_leaves_later_ones_out():
    event = Event("dominoes", ENTRIES)
    event.add(EncounterRow(1, PAIR))
    event.add(EncounterRow(2, Plan(2, 1, ("ann", "cid"), 2)))
    event.add(EncounterRow(3, Plan(1, 2, ("cid", "dan"), 2), frozenset(["dan"])))
    event.note(match(0, (1.0, 0.0)))
    event.note(match(0, (1.0, 0.0), encounter=2, bots=("ann", "cid")))
    before = event.before(2)
    assert [(each.plan.bots, len(each.finished)) for each in before.encounters] == [
        (("ann", "bob"), 1), (("cid", "dan"), 0)
    ]  # fmt: skip
    assert before.encounter(2).forfeits == {"dan"}
    assert before.last_round == 1
    assert event.last_round == 2


def test_a_changed_match_of_what_is_over_settles_nothing_twice():
    event = Event("dominoes", ENTRIES)
    event.add(EncounterRow(1, replace(PAIR, games=1)))
    event.note(match(0, (1.0, 0.0)))
    event.note(match(0, (1.0, 0.0)))
    assert len(event.settled) == 1
    assert event.open == []
    assert event.round_over(1)


def test_the_round_that_is_being_played_is_the_first_in_which_something_has_begun():
    event = Event("dominoes", ENTRIES)
    assert event.round_now == 0
    for number in (1, 2, 3):
        event.add(EncounterRow(number, replace(PAIR, round=number, games=1)))
    assert event.round_now == 1
    event.note(match(0, (1.0, 0.0)))
    assert event.round_now == 1  # nothing of the second one has begun
    event.note(match(0, status="running", encounter=2))
    assert event.round_now == 2
    event.note(match(0, (1.0, 0.0), encounter=2))
    assert event.round_now == 2
