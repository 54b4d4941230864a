"""Handing in: whether an assignment takes a submission now, and how many are left today."""

from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction
from zoneinfo import ZoneInfo

from palio_db.course_values import SERVER, Kept, NewSubmission
from palio_db.errors import DayLimit
from palio_db.store import Store
from palio_db.values import Actor
from palio_server.courses.grading import shown
from palio_server.courses.inspection import take
from palio_server.courses.schedule import days_late, frozen_at, is_frozen
from palio_server.courses.submitted_names import Refused
from palio_server.courses.values import Assignment, Course, LateRule

UNCHANGED = "Nothing was changed"


class NotNow(Refused):
    """The assignment takes nothing now, or nothing more today."""


class CostsLate(Refused):
    """A late submission would replace one that costs less; the message says what it costs."""


def refusal(assignment: Assignment, now: datetime) -> str:
    """Return why an assignment takes no submission now; "" if it does."""
    if now < assignment.opens:
        return f"it opens at {moment(assignment.opens)}; hand in after that"
    if is_frozen(assignment, now):
        return f"it closed at {moment(frozen_at(assignment))}; ask the staff"
    return ""


def day_began(now: datetime, zone: ZoneInfo) -> datetime:
    """Return the beginning of today in the course's zone."""
    return now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)


def moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} {at.tzname() or ''}".strip()


async def left_today(store: Store, course: Course, assignment: Assignment, student: str, now: datetime) -> int:
    """Return how many submissions a student has left today."""
    used = await store.count_submissions(course.name, assignment.name, student, day_began(now, course.zone))
    return max(0, assignment.submissions_a_day - used)


async def hand_in(
    store: Store,
    course: Course,
    assignment: Assignment,
    student: str,
    given: Sequence[tuple[str, bytes]],
    now: datetime,
    *,
    by: Actor,
    late: bool = False,
    free: int = 0,
) -> Kept:
    """Keep what a student hands in now; `now` is when its last byte came.

    One that is later than the current one, and would count in its place, is taken with `late` only; `free` late days
    are left to it. Raises Refused with a sentence for the student, StoreError.
    """
    if why := refusal(assignment, now):
        raise NotNow(f"{assignment.name} takes no submission now: {why}")
    files = await take(given, assignment)
    if not late:
        await _check_late(store, course, assignment, student, files.digest, now, free)
    new = NewSubmission(course.name, assignment.name, student, now, files.digest, files.files, clock=SERVER)
    try:
        since = day_began(now, course.zone)
        return await store.keep_submission(new, since=since, most=assignment.submissions_a_day, by=by)
    except DayLimit as error:
        raise NotNow(f"{error}; hand in again tomorrow") from None


async def _check_late(
    store: Store, course: Course, assignment: Assignment, student: str, digest: str, now: datetime, free: int
) -> None:
    """Raise CostsLate if a late submission would replace an earlier one that is less late."""
    days = days_late(assignment, now)
    if not days or assignment.grading.submission == "best":
        return
    rows = await store.submissions(course.name, assignment.name, student)
    current = next((row for row in rows if row.current), None)
    if current is None or current.digest == digest or days_late(assignment, current.at) >= days:
        return
    former = f"your submission of {moment(current.at.astimezone(course.zone))}, which would no longer count"
    cost = late_cost(assignment.late, days, free)
    raise CostsLate(f"{cost}; it would replace {former}. {UNCHANGED}: hand it in late if you want that (--late)")


def late_cost(rule: LateRule, days: int, free: int) -> str:
    """Return what so many late days cost, of which `free` ones may cost nothing; "" for none.

    >>> late_cost(LateRule(5), 3, 1)
    'this is 3 days late: 20 % of its points are taken, and 1 free late day is used'
    """
    if not days:
        return ""
    used = min(days, free)
    share = min(Fraction(1), rule.penalty * (days - used))
    spent = f"{used} free late day{' is' if used == 1 else 's are'} used" if used else ""
    costs = f"{shown(share * 100)} % of its points are taken" if share or not used else ""
    return f"this is {days} day{'' if days == 1 else 's'} late: {', and '.join(filter(None, (costs, spent)))}"


async def hand_in_for(
    store: Store,
    course: Course,
    assignment: Assignment,
    student: str,
    given: Sequence[tuple[str, bytes]],
    at: datetime,
    *,
    by: Actor,
) -> Kept:
    """Keep what the staff hands in for a student, at any time and as often as needed. Raises Refused, StoreError."""
    files = await take(given, assignment)
    new = NewSubmission(course.name, assignment.name, student, at, files.digest, files.files, clock="staff", who=by.who)
    return await store.keep_submission(new, by=by)
