"""Every bot meets every other by the Berger tables, in cycles; late entrants make up, those who left
are not planned.
"""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_db.event_values import EncounterRow, Entry, EventMatch
from palio_rules.errors import BadOption
from palio_server.tournament.event import Event
from palio_server.tournament.format import format_of


def event_of(size, game="breakthrough"):
    return Event(game, [Entry(f"b{number}", number) for number in range(1, size + 1)])


def planned(event):
    return [encounter.plan for encounter in event.encounters if encounter.plan.kind == "played"]


@given(st.integers(2, 7), st.integers(1, 3), st.integers(1, 30), st.integers(0, 1000))
def test_every_pair_meets_once_in_each_cycle_whatever_the_portions(play_out, size, cycles, most, seed):
    event = event_of(size)
    play_out(format_of("round_robin", {"rounds": cycles}), event, most=most, seed=seed, absences=0.1)
    met = Counter((frozenset(plan.bots), plan.opening) for plan in planned(event))
    assert met == Counter(
        (frozenset(pair), c) for pair in combinations(event_of(size)._entries, 2) for c in range(cycles)
    )
    assert all(plan.games == 2 for plan in planned(event))
    assert event.last_round == cycles * (size - 1 + size % 2)


def test_the_table_of_four_is_the_one_that_fide_prints():
    plans = format_of("round_robin").next(event_of(4), 100)
    assert [(plan.round, plan.board, *plan.bots) for plan in plans] == [
        (1, 1, "b1", "b4"),
        (1, 2, "b2", "b3"),
        (2, 1, "b4", "b3"),
        (2, 2, "b1", "b2"),
        (3, 1, "b2", "b4"),
        (3, 2, "b3", "b1"),
    ]


def test_with_an_odd_number_one_has_a_bye_in_each_round_which_is_worth_nothing(play_out):
    event = event_of(5)
    format_ = format_of("round_robin")
    play_out(format_, event)
    byes = [plan for plan in (each.plan for each in event.encounters) if plan.kind != "played"]
    assert [plan.round for plan in byes] == [1, 2, 3, 4, 5]
    assert sorted(plan.bots[0] for plan in byes) == [f"b{number}" for number in range(1, 6)]
    assert sum(line.points for line in format_.standings(event)) == 2 * comb(5, 2)


def test_in_a_double_round_robin_of_single_games_colours_are_turned_round():
    plans = format_of("round_robin", {"rounds": 2, "games_per_encounter": 1}).next(event_of(6), 1000)
    assert len({plan.bots for plan in plans}) == len(plans) == 6 * 5
    assert max(plan.round for plan in plans) == 10


def test_all_pairs_of_a_cycle_play_the_same_opening():
    plans = format_of("round_robin", {"rounds": 3}).next(event_of(4), 1000)
    assert all(plan.opening == (plan.round - 1) // 3 for plan in plans)


@pytest.mark.slow
@given(st.integers(3, 6), st.integers(1, 2), st.integers(0, 100))
def test_at_tables_of_three_every_combination_meets_in_six_games(play_out, size, cycles, seed):
    event = event_of(size, "chexers")
    format_ = format_of("round_robin", {"rounds": cycles})
    total = format_.total(event)
    play_out(format_, event, seed=seed)
    met = Counter(frozenset(plan.bots) for plan in planned(event))
    assert len(met) == comb(size, 3)
    assert set(met.values()) == {cycles}
    assert total == 6 * cycles * comb(size, 3) == sum(len(encounter.matches) for encounter in event.encounters)


def test_a_race_is_one_heat_a_round_of_all_who_are_here(play_out):
    event = event_of(4, "tsp")
    format_ = format_of("round_robin", {"rounds": 5})

    def meddle(played, step):
        if step == 1:
            played.enter(replace(event.entry("b2"), left=event.last_round + 1))
            played.enter(Entry("b5", 5, joined=event.last_round + 1))

    play_out(format_, event, most=1, meddle=meddle)
    assert [plan.bots for plan in planned(event)] == [("b1", "b2", "b3", "b4")] * 2 + [("b1", "b3", "b4", "b5")] * 3
    assert [plan.opening for plan in planned(event)] == [0, 1, 2, 3, 4]
    assert format_.total(event) == 5


@pytest.mark.slow
@given(st.integers(3, 6), st.integers(1, 3), st.integers(1, 9), st.integers(0, 40), st.integers(0, 1000))
def test_a_late_bot_meets_everybody_as_often_as_all_others_do(play_out, size, cycles, most, when, seed):
    event = event_of(size)
    format_ = format_of("round_robin", {"rounds": cycles})
    when = min(when, format_.total(event) - 1)

    def meddle(played, step):
        if step == when:
            played.enter(Entry("late", size + 1, joined=event.last_round + 1))
        if step == when + 2:
            played.enter(Entry("later", size + 2, joined=event.last_round + 1))

    play_out(format_, event, most=most, meddle=meddle, seed=seed)
    if "later" in event._entries:
        met = Counter((frozenset(plan.bots), plan.opening) for plan in planned(event))
        assert set(met.values()) == {1}
        assert len(met) == cycles * comb(size + 2, 2)


@given(st.integers(3, 6), st.integers(1, 3), st.integers(1, 9), st.integers(0, 12), st.integers(0, 1000))
def test_who_has_left_is_planned_no_more_and_all_others_still_meet(play_out, size, cycles, most, when, seed):
    event = event_of(size)
    format_ = format_of("round_robin", {"rounds": cycles})

    def meddle(played, step):
        if step == min(when, 2):
            played.enter(replace(event.entry("b2"), left=event.last_round + 1))
            for encounter in event.open:
                if "b2" in encounter.bots:
                    played.forfeit(encounter.number, "b2")

    play_out(format_, event, most=most, meddle=meddle, seed=seed)
    met = Counter(frozenset(plan.bots) for plan in planned(event) if "b2" not in plan.bots)
    assert len(met) == comb(size - 1, 2)
    assert set(met.values()) == {cycles}
    assert format_.total(event) == sum(len(encounter.matches) for encounter in event.encounters)
    points = sum(line.points for line in format_.standings(event))
    assert points == format_.total(event), "what was given up counts for nobody"


def test_a_portion_of_which_only_a_part_was_stored_is_planned_to_its_end():
    format_, event = format_of("round_robin"), event_of(6)
    wanted = format_.next(event, 1000)
    for number, plan in enumerate(wanted[:4], 1):
        event.add(EncounterRow(number, plan))
    assert format_.next(event, 1000) == wanted[4:]


def test_a_round_is_never_cut_and_portions_are_about_as_large_as_wanted():
    format_, event = format_of("round_robin", {"rounds": 50}), event_of(8)
    assert len(format_.next(event, 1)) == 4
    assert len(format_.next(event, 5)) == 8


def test_more_cycles_may_be_asked_for_and_fewer_than_are_planned_are_refused():
    format_, event = format_of("round_robin", {"rounds": 2}), event_of(4)
    plans = format_.next(event, 1000)
    for number, plan in enumerate(plans, 1):
        event.add(EncounterRow(number, plan))
    longer = format_.extended(event, 3)
    assert [plan.round for plan in longer.next(event, 1000)] == [7, 7, 8, 8, 9, 9]
    assert longer.total(event) == 3 * 6 * 2
    with pytest.raises(BadOption, match=r"--rounds 1 cannot be: 2 rounds are planned already; give 2 to 10000"):
        format_.extended(event, 1)


def test_a_pair_is_told_why_it_meets():
    format_, event = format_of("round_robin", {"rounds": 2}), event_of(3)
    for number, plan in enumerate(format_.next(event, 1000), 1):
        event.add(EncounterRow(number, plan))
    first, second = format_.why(event, event.encounter(1))
    assert (
        first
        == "Every bot meets every other: b2 and b3 meet in round 1, by the Berger table of 3 entrants; cycle 1 of 2."
    )
    assert second == "b2 has the first seat in the first game."
    assert format_.why(event, event.encounter(2)) == ["b1 has a bye in round 1: of 3 entrants one sits out."]


@pytest.mark.parametrize(
    ("size", "game", "rules", "sentence"),
    [
        (1, "breakthrough", {}, "two bots at least; name one more"),
        (2, "chexers", {}, "three bots at least; name one more"),
        (65, "tsp", {}, "at most 64 entrants, 65 are named"),
        (2, "breakthrough", {"rounds": 0}, "--rounds 0 is out of range; give 1 to 10000"),
        (2, "breakthrough", {"games_per_encounter": 3}, "--games-per-encounter 3 is out of range; give 1 to 2"),
        (2, "tsp", {"games_per_encounter": 2}, "a heat is run once; leave it out"),
    ],
)
def test_what_cannot_be_played_is_refused_with_the_remedy(size, game, rules, sentence):
    with pytest.raises(BadOption, match=sentence):
        format_of("round_robin", rules).check(event_of(size, game))


def test_an_unknown_tie_break_is_refused_with_the_nearest_one():
    with pytest.raises(BadOption, match=r"unknown tie-break 'bucholz'; did you mean 'buchholz'\?"):
        format_of("round_robin", {"tie_breaks": "wins,bucholz"})


def test_the_standings_are_by_points_then_sonneborn_berger_then_wins():
    event, format_ = event_of(3), format_of("round_robin", {"games_per_encounter": 1})
    for number, plan in enumerate(format_.next(event, 100), 1):
        event.add(EncounterRow(number, plan))
        if plan.kind == "played":
            event.note(EventMatch(f"m{number}", number, 0, plan.bots, "finished", (0.5, 0.5)))
    assert format_.tie_breaks(event) == ("sonneborn_berger", "wins")
    assert [(line.rank, line.points, line.draws, line.tie_breaks) for line in format_.standings(event)] == [
        (1, 1.0, 2, (1.0, 0.0))
    ] * 3


@pytest.mark.parametrize("size", [2, 3, 6, 7])
def test_only_encounters_with_some_bots_are_played(size):
    bots = [f"bot{number}" for number in range(size)]
    for game, seats in (("breakthrough", 2), ("chexers", 3)):
        if size < seats:
            continue
        event = Event(game, [Entry(bot, number) for number, bot in enumerate(bots, 1)])
        some = format_of("round_robin", {"only": bots[:2]})
        plans = some.next(event, 10_000)
        groups = {frozenset(plan.bots) for plan in plans}
        assert groups == {frozenset(group) for group in combinations(bots, seats) if {*bots[:2]} & {*group}}
        assert all(plan.kind == "played" for plan in plans)
        assert some.total(event) == sum(plan.games for plan in plans)
