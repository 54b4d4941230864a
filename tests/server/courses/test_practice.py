"""Practice: whom a student may name, who is asked first, and who is never disturbed."""

from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction

import pytest

from palio_db.course_values import StudentRow
from palio_server.courses.practice import chosen, first_state, opponents
from palio_server.courses.submitted_names import Refused
from palio_server.courses.values import Practice, Reference

HOUSE = (("random", "random"), ("greedy", "greedy"))


def student(number, consent=None, team="", **more):
    row = StudentRow(number, "ai", str(number), f"Name {number}", "", team, f"bot-{number}", consent, False, False)
    return replace(row, **more)


@pytest.fixture
def assignment(assignment_with):
    against = (Reference("alpha_beta:depth=2", 2, Fraction(1, 2), Fraction(1)),)
    return assignment_with(practice=Practice(), against=against)


def names(assignment, asker, *others):
    return [each.name for each in opponents(assignment, asker, [asker, *others], HOUSE)]


def test_bots_of_the_staff_come_first_and_classmates_who_do_not_refuse_last(assignment):
    others = (student(2), student(3, "all"), student(4, "nobody"), student(5, forgotten_at=datetime.now(UTC)))
    assert names(assignment, student(1), *others) == ["alpha_beta:depth=2", "random", "greedy", "bot-2", "bot-3"]
    among = opponents(assignment, student(1), [student(1), *others], HOUSE)
    assert chosen("reference", among, assignment).bot == "alpha_beta:depth=2"
    assert first_state(chosen("bot-2", among, assignment)) == "asked"  # as the assignment says
    assert first_state(chosen("bot-3", among, assignment)) == "waiting"
    assert first_state(chosen("greedy", among, assignment)) == "waiting"
    with pytest.raises(Refused, match="nobody who can be challenged is called 'bot-4'"):
        chosen("bot-4", among, assignment)


def test_the_assignment_decides_for_those_who_have_said_nothing(assignment):
    for classmates, count in (("all", 1), ("nobody", 0)):
        found = replace(assignment, practice=Practice(classmates=classmates), against=())
        assert len(opponents(found, student(1), [student(1), student(2)], ())) == count


def test_a_team_does_not_play_itself_and_a_named_student_can_be_named(assignment):
    mate, other = student(2, team="owls"), student(3, named=True)
    found = opponents(assignment, student(1, team="owls"), [mate, other], ())
    assert [each.name for each in found] == ["alpha_beta:depth=2", "bot-3"]
    assert chosen("Name 3", found, assignment).classmate == other


def test_an_assignment_without_practice_says_so(assignment_with):
    assert opponents(assignment_with(), student(1), [student(2)], HOUSE) == []
    with pytest.raises(Refused, match="dominoes has no practice games"):
        chosen("reference", [], assignment_with())
