"""Regrading: the difference to before, by published grades or former checks; the same again gives the same."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest

from palio_db.course_values import NewSubmission, RosterEntry
from palio_db.store import Store
from palio_server.courses.check_queue import CheckQueue
from palio_server.courses.gradebook import encode_published, gradebook
from palio_server.courses.regrade import before, changes, numbered_revision
from palio_server.courses.revision import revision_of
from palio_server.courses.values import Checked, Course, Part

NOON = datetime(2026, 1, 20, 12, tzinfo=UTC)


@pytest.fixture
async def store():
    async with await Store.open("sqlite://") as opened:
        await opened.set_roster("ai", [RosterEntry(str(number), f"Student {number}") for number in range(3)])
        for number in range(2):
            files = {"bot.py": b"x" * (number + 1)}
            await opened.keep_submission(NewSubmission("ai", "dominoes", str(number), NOON, str(number), files))
        yield opened


@pytest.fixture
def course(tmp_path, assignment_with):
    folder = tmp_path / "ai" / "assignments" / "dominoes"
    folder.mkdir(parents=True)
    (folder / "test_it.py").write_text("x = 1\n")
    return Course("ai", tmp_path / "ai", "AI", ZoneInfo("UTC"), assignments=(assignment_with(folder=folder),))


def checker(bonus=0, *, late=False):
    async def check(_assignment, folder, *, records):
        size = len((folder / "bot.py").read_bytes())
        parts = (Part("size", Fraction(size), Fraction(5)), Part("bonus", Fraction(bonus), Fraction(5), timed_out=late))
        return Checked(parts)

    return check


async def regraded(store, course, check, revision=revision_of):
    assignment = course.assignments[0]
    former = await before(store, course, assignment, revision(assignment))
    assert await CheckQueue(store, course, check, revision=revision).check_all() == 0
    return former.what, changes(former, await gradebook(store, course), "dominoes")


async def test_other_tests_give_a_table_of_what_changed(store, course):
    what, found = await regraded(store, course, checker())
    assert (what, [each.before for each in found]) == ("nothing", [None, None, None])
    (course.assignments[0].folder / "test_it.py").write_text("x = 2\n")
    what, found = await regraded(store, course, checker(bonus=3, late=True))
    assert what == "former checks"
    assert [(each.student, each.before, each.after) for each in found] == [("0", 1, 4), ("1", 2, 5), ("2", 0, 0)]
    [part] = found[0].parts
    assert (part.name, part.before, part.after, part.timed_out) == ("bonus", 0, 3, True)
    assert not found[2].changed
    assert await store.published_grades("ai", "dominoes") is None


async def test_the_same_submissions_and_tests_give_the_same_points_when_regraded_twice(store, course):
    await regraded(store, course, checker(1))
    for expected in (".2", ".3"):
        revision = await numbered_revision(store, course, course.assignments[0])
        assert revision(course.assignments[0]).endswith(expected)
        what, found = await regraded(store, course, checker(1), revision)
        assert (what, [each.changed for each in found]) == ("former checks", [False] * 3)
    revision = await numbered_revision(store, course, course.assignments[0])
    _, found = await regraded(store, course, checker(2), revision)
    assert [each.student for each in found if each.changed] == ["0", "1"]


async def test_an_interrupted_regrade_goes_on_under_its_number(store, course):
    await regraded(store, course, checker())
    assignment = course.assignments[0]
    revision = await numbered_revision(store, course, assignment)
    calls = 0

    async def fails_once(found, folder, *, records):
        nonlocal calls
        calls += 1
        if calls == 2:
            raise RuntimeError("killed")
        return await checker()(found, folder, records=records)

    await CheckQueue(store, course, fails_once, 1, revision=revision).check_all()
    again = await numbered_revision(store, course, assignment)
    assert again(assignment) == revision(assignment)
    assert len(await CheckQueue(store, course, checker(), revision=again).unchecked()) == 1


async def test_published_grades_are_what_students_have_seen_so_they_are_compared(store, course):
    await regraded(store, course, checker(bonus=Fraction(1, 3)))
    book = await gradebook(store, course)
    body = encode_published({student: each["dominoes"] for student, each in book.items()})
    await store.publish_grades("ai", "dominoes", body)
    what, found = await regraded(store, course, checker(bonus=Fraction(1, 3)))
    assert (what, [each.changed for each in found]) == ("published grades", [False] * 3)
    (course.assignments[0].folder / "test_it.py").write_text("x = 3\n")
    _, found = await regraded(store, course, checker(bonus=1))
    assert [(each.student, each.after - each.before) for each in found] == [
        ("0", Fraction(67, 100)),
        ("1", Fraction(67, 100)),
        ("2", 0),
    ]
    kept = json.loads((await store.published_grades("ai", "dominoes")).body)
    assert kept[0]["points"] == pytest.approx(1.33)


async def test_other_assignments_keep_their_late_days(store, course, assignment_with):
    other = assignment_with(name="other", folder=course.assignments[0].folder)
    both = replace(course, assignments=(*course.assignments, other))
    await regraded(store, both, checker())
    (course.assignments[0].folder / "test_it.py").write_text("x = 4\n")
    _, found = await regraded(store, both, checker(1))
    assert [each.student for each in found if each.changed] == ["0", "1"]
