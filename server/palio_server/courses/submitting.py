"""Handing in: whether an assignment takes a submission now, and how many are left today."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from palio_db.course_values import SERVER, Kept, NewSubmission
from palio_db.errors import DayLimit
from palio_db.store import Store
from palio_db.values import Actor
from palio_server.courses.inspection import take
from palio_server.courses.schedule import frozen_at, is_frozen
from palio_server.courses.submitted_names import Refused
from palio_server.courses.values import Assignment, Course


class NotNow(Refused):
    """The assignment takes nothing now, or nothing more today."""


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
) -> Kept:
    """Keep what a student hands in now. Raises Refused with a sentence for the student, StoreError."""
    if why := refusal(assignment, now):
        raise NotNow(f"{assignment.name} takes no submission now: {why}")
    files = await take(given, assignment)
    new = NewSubmission(course.name, assignment.name, student, now, files.digest, files.files, clock=SERVER)
    try:
        since = day_began(now, course.zone)
        return await store.keep_submission(new, since=since, most=assignment.submissions_a_day, by=by)
    except DayLimit as error:
        raise NotNow(f"{error}; hand in again tomorrow") from None


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
