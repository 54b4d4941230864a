"""The line of checks: fair between students, short checks first, and none waits without end."""

from hypothesis import given
from hypothesis import strategies as st

from palio_server.courses.check_line import LONGEST_S, PATIENCE, Waiting, in_order, places

owners = st.sampled_from("abc")
waiting = st.lists(
    st.builds(Waiting, st.uuids().map(str), owners, st.floats(0, 1e5), st.floats(0, 1e4), st.booleans()),
    max_size=12,
    unique_by=lambda each: each.id,
)
running = st.lists(owners, max_size=4)


@given(waiting, running)
def test_each_submission_has_one_place_and_the_newest_of_a_student_is_the_first_of_its_own(all_, under_way):
    line = in_order(all_, under_way)
    assert sorted(line) == sorted(all_)
    for owner in "abc":
        own = [(each.current, each.at) for each in line if each.whose == owner]
        assert own == sorted(own, reverse=True)


@given(waiting, running)
def test_no_student_waits_for_a_further_check_of_another(all_, under_way):
    line = in_order(all_, under_way)
    had = {owner: under_way.count(owner) for owner in "abc"}
    for place, each in enumerate(line):
        for later in line[place:]:
            assert had[each.whose] <= had[later.whose]
        had[each.whose] += 1


@given(st.floats(0, 1e5), st.floats(0, 1e4), st.floats(0, 1e5), st.floats(0, 1e4))
def test_of_two_students_the_shorter_check_is_first_unless_the_other_has_waited_long(at, seconds, later_by, others):
    first, second = Waiting("1", "a", at, seconds), Waiting("2", "b", at + later_by, others)
    line = in_order([second, first])
    if others >= seconds or later_by > PATIENCE * LONGEST_S:  # the latter: it ages
        assert line[0] is first
    elif PATIENCE * (min(seconds, LONGEST_S) - others) > later_by + 1e-6:
        assert line[0] is second


@given(waiting, st.integers(1, 4), st.lists(st.floats(0, 1e4), max_size=4))
def test_places_are_in_order_and_begin_when_a_slot_is_free(all_, slots, under_way):
    line = in_order(all_)
    found = places(line, slots, under_way)
    assert [found[each.id].number for each in line] == list(range(1, len(line) + 1))
    begins = [found[each.id].begins_in_s for each in line]
    assert begins == sorted(begins)
    assert all(each == 0 for each in begins[: max(0, slots - len(under_way))])
