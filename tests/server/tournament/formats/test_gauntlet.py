"""Challengers meet only the field: in pairs, at tables of three with every two of it, in heats of two."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_db.event_values import EncounterRow, Entry
from palio_rules.errors import BadOption
from palio_server.tournament.event import Event
from palio_server.tournament.format import format_from_spec, format_of


def event_of(size, game="breakthrough"):
    return Event(game, [Entry(f"b{number}", number) for number in range(1, size + 1)])


def bots(event):
    return [entry.bot for entry in event.entries]


def met(event):
    return Counter(frozenset(each.bots) for each in event.encounters if each.plan.kind == "played")


@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 2), st.integers(1, 9), st.integers(0, 999))
def test_each_challenger_meets_each_of_the_field_in_each_cycle(play_out, challengers, field, cycles, most, seed):
    event = event_of(challengers + field)
    format_ = format_of("gauntlet", {"challengers": challengers, "rounds": cycles})
    play_out(format_, event, most=most, seed=seed)
    names = bots(event)
    assert met(event) == {frozenset((a, b)): cycles for a in names[:challengers] for b in names[challengers:]}
    assert (
        format_.total(event) == 2 * cycles * challengers * field == sum(len(each.matches) for each in event.encounters)
    )


@pytest.mark.slow
@given(st.integers(1, 3), st.integers(2, 5), st.integers(0, 999))
def test_at_a_table_of_three_a_challenger_meets_every_two_of_the_field(play_out, challengers, field, seed):
    event = event_of(challengers + field, "chexers")
    play_out(format_of("gauntlet", {"challengers": challengers}), event, seed=seed)
    names = bots(event)
    others = list(combinations(names[challengers:], 2))
    assert met(event) == {frozenset((a, *two)): 1 for a in names[:challengers] for two in others}
    assert all(each.plan.games == 6 for each in event.encounters)


def test_races_are_heats_of_two_on_the_same_instance_in_each_cycle(play_out):
    event = event_of(4, "tsp")
    play_out(format_of("gauntlet", {"rounds": 2}), event)
    plans = [each.plan for each in event.encounters]
    assert [plan.opening for plan in plans] == [0, 0, 0, 1, 1, 1]
    assert all(plan.games == 1 and "b1" in plan.bots and len(plan.bots) == 2 for plan in plans)


@given(st.integers(1, 4), st.integers(1, 6))
def test_in_every_round_each_bot_meets_at_most_one_other(challengers, field):
    plans = format_of("gauntlet", {"challengers": challengers}).next(event_of(challengers + field), 1000)
    seated = Counter((plan.round, bot) for plan in plans for bot in plan.bots)
    assert set(seated.values()) == {1}
    assert max(plan.round for plan in plans) <= challengers + field


def test_a_challenger_has_the_first_seat_in_every_other_encounter():
    plans = format_of("gauntlet", {"games_per_encounter": 1}).next(event_of(9), 1000)
    assert Counter(plan.bots[0] == "b1" for plan in plans) == {True: 4, False: 4}


def test_a_late_bot_joins_the_field(play_out):
    event = event_of(5)

    def meddle(played, step):
        if step == 3:
            played.enter(Entry("late", 6, joined=event.last_round + 1))

    play_out(format_of("gauntlet", {"challengers": 2, "rounds": 2}), event, meddle=meddle)
    assert {bot for group in met(event) if "late" in group for bot in group} == {"b1", "b2", "late"}
    assert met(event)[frozenset(("b1", "late"))] == 2


def test_a_pair_is_told_who_of_it_is_the_challenger():
    event, format_ = event_of(3), format_of("gauntlet")
    for number, plan in enumerate(format_.next(event, 100), 1):
        event.add(EncounterRow(number, plan))
    sentence = (
        "b1 is a challenger, and meets every bot of the field once in each cycle; this is cycle 1 of 1, against b2."
    )
    assert format_.why(event, event.encounter(1)) == [sentence]


def test_it_needs_a_field():
    with pytest.raises(BadOption, match="three bots at least; name one more"):
        format_of("gauntlet", {"challengers": 2}).check(event_of(2))
    with pytest.raises(BadOption, match="--challengers 0 is out of range; give 1 or more"):
        format_from_spec("gauntlet:challengers=0")
