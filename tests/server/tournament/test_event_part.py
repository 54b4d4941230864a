"""A part of an event is an event by itself, and what it plans comes back to where it belongs."""

from hypothesis import given
from hypothesis import strategies as st

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan
from palio_server.tournament.event import Event
from palio_server.tournament.group_stage import GroupCopies, by_group, group_part, in_group, later, later_part

ENTRIES = [Entry(bot, number) for number, bot in enumerate("abcdefgh", 1)]


def whole(*plans, entries=ENTRIES):
    event = Event("breakthrough", entries)
    for number, plan in enumerate(plans, 1):
        event.add(EncounterRow(number, plan))
    return event


def group(event, name, number, bots, groups=2, copies=None):
    entries = [entry for entry in event.entries if entry.bot in bots]
    return group_part(event, by_group(event).get(name, ()), entries, name, (number, groups), copies or GroupCopies())


@given(st.integers(1, 5), st.integers(1, 9), st.integers(0, 3))
def test_a_groups_plan_comes_back_as_it_was_planned(round_, board, number):
    plan = Plan(round_, board, ("a", "b"), 2, 3, part="bye")
    placed = in_group([plan], "group A", (number, 4))
    part = group(whole(*placed), "group A", number, "abcdefgh", groups=4)
    assert part.event.encounter(1).plan == plan


def test_boards_of_all_groups_differ():
    plans = [Plan(1, board, ("a", "b"), 2) for board in (1, 2, 4)]
    boards = [plan.board for number in range(3) for plan in in_group(plans, "group A", (number, 3))]
    assert sorted(boards) == [1, 2, 3, 4, 5, 6, 10, 11, 12]


def test_a_group_sees_its_own_encounters_and_results_only():
    a, b = Plan(1, 1, ("a", "b"), 1, part="group A"), Plan(1, 2, ("c", "d"), 1, part="group B")
    event = whole(a, b, Plan(2, 1, ("a", "c"), 1, part="final"))
    event.note(EventMatch("m", 2, 0, ("c", "d"), "finished", (1.0, 0.0)))
    part = group(event, "group B", 1, "cd")
    assert [each.bots for each in part.event.encounters] == [("c", "d")]
    assert part.event.all_over
    assert part.numbers == {1: 2}
    assert part.here(event.encounter(2)).plan.board == 1
    assert group(event, "group A", 0, "ab").event.open[0].bots == ("a", "b")


def test_an_encounter_that_has_changed_is_copied_anew_and_no_other():
    copies = GroupCopies()
    event = whole(Plan(1, 1, ("a", "b"), 1, part="group A"), Plan(1, 3, ("c", "d"), 1, part="group A"))
    first, second = group(event, "group A", 0, "abcd", copies=copies).event.encounters
    event.note(EventMatch("m", 2, 0, ("c", "d"), "finished", (1.0, 0.0)))
    same, changed = group(event, "group A", 0, "abcd", copies=copies).event.encounters
    assert same is first
    assert changed.over
    assert changed.plan == second.plan


def test_where_the_groups_are_others_encounters_are_copied_anew():
    copies = GroupCopies()
    event = whole(Plan(1, 5, ("a", "b"), 1, part="group A"))
    boards = [group(event, "group A", 0, "ab", n, copies).event.encounter(1).plan.board for n in (2, 4, 2)]
    assert boards == [3, 2, 3]


def test_who_has_left_is_gone_from_the_next_round_of_its_group():
    a = Plan(1, 1, ("a", "b"), 1, part="group A")
    ahead = [Plan(round_, 2, ("c", "d"), 1, part="group B") for round_ in (1, 2, 3)]
    entries = [Entry("a", 1, left=4), Entry("b", 2, left=9), Entry("c", 3), Entry("d", 4)]
    part = group(whole(a, *ahead, entries=entries), "group A", 0, "ab")
    assert part.event.entry("a").left == 2
    assert part.event.entry("b").left == 9, "it will leave later, as was said beforehand"


@given(st.integers(1, 20), st.integers(0, 50))
def test_a_later_part_counts_rounds_and_openings_from_the_start(round_, opening):
    first = Plan(round_, 1, (), opening=opening)
    plans = [Plan(1, 1, ("a", "b"), 2, 0, part="final"), Plan(2, 1, ("a",), kind="pairing-bye", part="x")]
    placed = later(plans, first)
    assert [(plan.round, plan.opening) for plan in placed] == [(round_, opening), (round_ + 1, 0)]
    event = whole(*placed)
    part = later_part(event, ENTRIES, first, event.encounters)
    assert [each.plan for each in part.event.encounters] == plans
