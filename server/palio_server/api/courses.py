"""`/api/courses`: a course for its students, each of whom sees the own work only, and for its staff.

A student signs in by the secret of a personal link, the staff by a token of a name that `course.toml` lists, or of
scope `admin`. Both go into `Authorization: Bearer`; there is no way without one, also on an open server.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import IO, Annotated, cast

from msgspec import Meta
from starlette.requests import ClientDisconnect, Request

from palio_db.course_values import Kept, StudentRow, SubmissionRow
from palio_db.errors import Expired
from palio_db.values import Actor, Grant
from palio_rules.errors import BadOption
from palio_server.api.answers import ApiError, Json
from palio_server.api.course_views import (
    AssignmentItem,
    ConsentRequest,
    CourseItem,
    Distribution,
    Feedback,
    GradeItem,
    Me,
    RosterItem,
    StaffSubmission,
    SubmissionItem,
    SubmissionKept,
    assignment_item,
    distribution,
    grade_of,
    part_items,
    seen_of,
    staff_submission,
    state_of,
    status_of,
    submission_item,
)
from palio_server.api.identity import actor_of, address_of, bearer
from palio_server.api.operations import Routes
from palio_server.app_state import ServerParts
from palio_server.courses import multipart
from palio_server.courses.check_line import Place
from palio_server.courses.check_queue import CheckQueue
from palio_server.courses.gradebook import assignment_of, checks_of, decode_published, for_whom, gradebook, own_dues
from palio_server.courses.schedule import days_late
from palio_server.courses.submitted_names import Files, Refused
from palio_server.courses.submitting import CostsLate, NotNow, hand_in, late_cost, left_today
from palio_server.courses.values import Assignment, Checked, Course
from palio_server.courses.visible import seen_by_staff, seen_by_student
from palio_server.edge.budgets import TooMuch
from palio_server.lobby.access import ADMIN, AccessDenied
from palio_server.network.http_server import ARRIVED, Arrival

routes = Routes("courses")
log = logging.getLogger(__name__)

AROUND = 256 * 1024  # bytes of an upload beside its files: the form, the archive's directory
AT_ONCE = 4  # uploads that are unpacked and kept
IN_MEMORY = 64 * 1024  # bytes of an upload that waits for that
ERRORS = (401, 403, 404, 429, 503)

CourseName = Annotated[str, Meta(max_length=200)]


@dataclass(frozen=True, slots=True)
class Member:
    """The asker: a student, or one of the staff."""

    queue: CheckQueue
    course: Course  # with the student's own due dates
    student: StudentRow | None
    grant: Grant | None
    actor: Actor

    def as_student(self) -> StudentRow:
        """Return the student. Raises ApiError for the staff, who hand in by `palio submit --as`."""
        if self.student is None:
            raise ApiError(403, "no-student", "this is for students; the staff hands in by palio submit --as STUDENT")
        return self.student

    def as_staff(self) -> None:
        """Check that the staff asks. Raises AccessDenied."""
        if self.student is not None:
            raise AccessDenied("wrong-scope", "this is for the staff of the course")


async def member(request: Request, parts: ServerParts, name: str) -> Member:
    """Return the asker of a course. Raises ApiError, AccessDenied, TooMuch."""
    token = bearer(request)
    if token is None:
        remedy = "open your personal link, or give its end as `Authorization: Bearer TOKEN`"
        raise ApiError(401, "token-missing", f"a course is for its students; {remedy}", {"WWW-Authenticate": "Bearer"})
    served = None if parts.courses is None else parts.courses.by_name.get(name)
    async with parts.access.attempts.of(address_of(request), token):
        student = None if served is None else await parts.store.student_by_link(name, token)
        if served is not None and student is not None:  # a forgotten one has no link
            course = for_whom(served.course, student.id, await own_dues(parts.store, served.course))
            return Member(served.queue, course, student, None, Actor(f"student {student.pseudonym}"))
        try:
            grant = await parts.store.grant(token)
        except Expired as error:
            raise AccessDenied("token-expired", str(error)) from None
        if grant is None:
            raise AccessDenied("bad-token", "this link is unknown, or a newer one has replaced it; ask the staff")
    if served is None:
        raise ApiError(404, "unknown-course", f"this server has no course {name[:40]!r}; palio serve --course adds one")
    if grant.bot not in served.course.staff and ADMIN not in grant.scopes:
        raise AccessDenied("wrong-scope", f"this token is none of the staff of {name}; course.toml lists them", grant)
    return Member(served.queue, served.course, None, grant, actor_of(request, grant))


@routes.get("/courses/{course}", CourseItem, *ERRORS, scope=None)
async def get_course(parts: ServerParts, request: Request, course: CourseName) -> Json:
    """Return a course and its assignments, with what the asker has handed in.

    The token is the end of a personal link, or one of the staff.
    """
    asker = await member(request, parts, course)
    now = datetime.now(UTC)
    left = asker.course.late.free
    if asker.student is None:
        grant = asker.grant
        me = Me("staff", (grant.bot or grant.prefix) if grant is not None else "")
        items = [
            assignment_item(each, now, (), 0, None, published=await _is_published(parts, asker, each))
            for each in asker.course.assignments
        ]
    else:
        student = asker.student
        me = _me(student)
        used = await _free_days_used(parts, asker.course, student)
        left = _free_days_left(asker.course, used)
        items = [
            await _assignment(parts, asker, each, student, now, left + used[each.name])
            for each in asker.course.assignments
        ]
    return Json(
        CourseItem(asker.course.name, asker.course.title, asker.course.zone.key, now, me, left, items), headers=NOT_KEPT
    )


@routes.get("/courses/{course}/assignments/{assignment}/submissions", list[SubmissionItem], *ERRORS, scope=None)
async def list_own_submissions(parts: ServerParts, request: Request, course: CourseName, assignment: str) -> Json:
    """Return the asker's submissions to an assignment, and the team's, newest first."""
    asker = await member(request, parts, course)
    student, found = asker.as_student(), assignment_in(asker, assignment)
    rows = await parts.store.submissions(asker.course.name, found.name, student.id)
    checks = await checks_of(parts.store, asker.course, found, rows)
    now = datetime.now(UTC)
    free = await _free_days_for(parts, asker.course, student, found)
    line = await asker.queue.places() if len(checks) < len(rows) else {}
    items = [_item(asker, found, row, checks.get(row.id), now, student, free, line) for row in reversed(rows)]
    return Json(items, headers=NOT_KEPT)


@routes.operation(
    "POST",
    "/courses/{course}/assignments/{assignment}/submissions",
    SubmissionKept,
    *ERRORS,
    400,
    409,
    413,
    statuses=(201, 200),
    forms=(multipart.KIND, "application/octet-stream"),  # generators of clients know no other
    scope=None,
)
async def hand_in_files(
    parts: ServerParts,
    request: Request,
    course: CourseName,
    assignment: str,
    name: Annotated[str, Meta(max_length=200, description="of a body that is no form")] = "upload",
    late: Annotated[str, Meta(pattern="^(accept)?$", description="accept: take it though it is late")] = "",
) -> Json:
    """Hand in files: `multipart/form-data` with any number of them, or any other body as one file or archive.

    A later submission replaces the former one. Its time is when its last byte came. 409: not open, closed, or no
    submission is left today; with the code `late`, that it would replace one that is less late, without `late=accept`.
    """
    asker = await member(request, parts, course)
    student, found = asker.as_student(), assignment_in(asker, assignment)
    if wait := request.app.state.uploads.take(str(student.number)):
        raise TooMuch("too-many-uploads", "you have handed in very often in a moment", wait)
    async with _received(request, found) as upload:
        arrival: Arrival = request.scope.get(ARRIVED, Arrival())
        now = arrival.at or datetime.now(UTC)
        async with request.app.state.uploading:
            given = await _given(request, upload, name)
            free = await _free_days_for(parts, asker.course, student, found)
            taken = partial(hand_in, by=asker.actor, late=bool(late), free=free)
            kept = await _kept(taken(parts.store, asker.course, found, student.id, given, now))
    asker.queue.wake()
    row = kept.submission
    checks = await checks_of(parts.store, asker.course, found, [row])
    files = sorted(await parts.store.submitted_files(row.id))
    left = await left_today(parts.store, asker.course, found, student.id, now)
    status = status_of(row, checks.get(row.id), asker.queue.running)
    cost = late_cost(found.late, days_late(found, row.at), free)
    answer = SubmissionKept(row.id, kept.again, row.at, row.digest, files, left, status, cost)
    return Json(answer, 200 if kept.again else 201)


async def _kept(handing_in: Awaitable[Kept]) -> Kept:
    """Return what was kept. Raises ApiError with the sentence of a refusal."""
    try:
        return await handing_in
    except NotNow as error:
        raise ApiError(409, "not-now", str(error)) from None
    except CostsLate as error:
        raise ApiError(409, "late", str(error)) from None
    except Refused as error:
        raise ApiError(422, "refused", str(error)) from None


@routes.get("/courses/{course}/submissions/{submission}", Feedback, *ERRORS, scope=None)
async def get_feedback(parts: ServerParts, request: Request, course: CourseName, submission: str) -> Json:
    """Return what the check of one of the asker's submissions found, as far as it may be told now; to the staff all."""
    asker = await member(request, parts, course)
    row = await submission_seen(parts, asker, submission)
    student = asker.student or await parts.store.student(asker.course.name, row.student)
    own = for_whom(asker.course, student.id, await own_dues(parts.store, asker.course))
    found = assignment_of(own, assignment_in(asker, row.assignment).name)
    checked = (await checks_of(parts.store, own, found, [row])).get(row.id)
    now = datetime.now(UTC)
    free = await _free_days_for(parts, own, student, found)
    line = await asker.queue.places() if checked is None else {}
    item = _item(asker, found, row, checked, now, student, free, line)
    if checked is None:
        return Json(Feedback(item, "", "", [], 0, "", 0.0), headers=NOT_KEPT)
    whole = asker.student is None
    seen = seen_by_staff(grade_of(found, row, checked, free)) if whole else seen_of(found, row, checked, now, free)
    items = part_items(seen.parts, await parts.store.reference_games(row.id))
    told = (seen.broken, seen.unplayable, items, seen.withheld, seen.said, round(seen.seconds, 3))
    return Json(Feedback(item, *told), headers=NOT_KEPT)


@routes.operation("POST", "/courses/{course}/submissions/{submission}/choice", SubmissionItem, *ERRORS, scope=None)
async def choose_submission(parts: ServerParts, request: Request, course: CourseName, submission: str) -> Json:
    """Let a former submission of the asker, or of the team, count again until the next one."""
    asker = await member(request, parts, course)
    student = asker.as_student()
    row = await submission_seen(parts, asker, submission)
    found = assignment_in(asker, row.assignment)
    now = datetime.now(UTC)
    if state_of(found, now) not in ("open", "late"):
        raise ApiError(409, "not-now", f"{found.name} is closed; ask the staff to choose another submission")
    chosen = await parts.store.choose_submission(asker.course.name, student.id, submission, by=asker.actor)
    checked = (await checks_of(parts.store, asker.course, found, [chosen])).get(chosen.id)
    free = await _free_days_for(parts, asker.course, student, found)
    return Json(_item(asker, found, chosen, checked, now, student, free))


@routes.operation("PUT", "/courses/{course}/me", Me, *ERRORS, scope=None)
async def set_consent(parts: ServerParts, request: Request, course: CourseName, body: ConsentRequest) -> Json:
    """Set whom the asker's bot plays in practice, and whether classmates see the name instead of the pseudonym."""
    asker = await member(request, parts, course)
    student = asker.as_student()
    row = await parts.store.set_consent(
        asker.course.name, student.id, consent=body.consent, named=body.named, by=asker.actor
    )
    return Json(_me(row))


@routes.get("/courses/{course}/grades", list[GradeItem], *ERRORS, scope=None)
async def list_own_grades(parts: ServerParts, request: Request, course: CourseName) -> Json:
    """Return the asker's grades, as far as they are published."""
    asker = await member(request, parts, course)
    student = asker.as_student()
    found: list[GradeItem] = []
    for each in asker.course.assignments:
        published = await parts.store.published_grades(asker.course.name, each.name)
        entries = () if published is None else decode_published(published.body)
        for entry in entries:
            if entry.student == student.id and published is not None:
                seen = seen_by_student(entry.grade(each.name), each, datetime.now(UTC), published=True)
                found.append(
                    GradeItem(
                        each.name,
                        published.at,
                        entry.points,
                        entry.max_points,
                        entry.late_days,
                        entry.status,
                        entry.submission,
                        part_items(seen.parts),
                    )
                )
    return Json(found, headers=NOT_KEPT)


# For the staff.


@routes.get("/courses/{course}/roster", list[RosterItem], *ERRORS, scope=None)
async def get_course_roster(parts: ServerParts, request: Request, course: CourseName) -> Json:
    """Return the students, each with the assignments to which nothing was handed in. For the staff."""
    asker = await member(request, parts, course)
    asker.as_staff()
    now = datetime.now(UTC)
    open_ = [each.name for each in asker.course.assignments if state_of(each, now) != "not open"]
    rows = await parts.store.submissions(asker.course.name)
    done = {(row.assignment, row.student) for row in rows} | {(row.assignment, f"team {row.team}") for row in rows}
    items = [
        RosterItem(
            row.id,
            row.name,
            row.email,
            row.team,
            row.pseudonym,
            row.has_link,
            [each for each in open_ if not {(each, row.id), (each, f"team {row.team or None}")} & done],
        )
        for row in await parts.store.students(asker.course.name)
        if row.forgotten_at is None
    ]
    return Json(items, headers=NOT_KEPT)


@routes.get("/courses/{course}/assignments/{assignment}/all", list[StaffSubmission], *ERRORS, scope=None)
async def list_course_submissions(
    parts: ServerParts, request: Request, course: CourseName, assignment: str, *, former: bool = False
) -> Json:
    """Return the current submissions to an assignment, with `former` all of them. For the staff."""
    asker = await member(request, parts, course)
    asker.as_staff()
    found = assignment_in(asker, assignment)
    rows = [row for row in await parts.store.submissions(asker.course.name, found.name) if former or row.current]
    checks = await checks_of(parts.store, asker.course, found)
    students = {row.id: row for row in await parts.store.students(asker.course.name)}
    running = asker.queue.running
    dues = await own_dues(parts.store, asker.course)
    items = [
        staff_submission(
            assignment_of(for_whom(asker.course, row.student, dues), found.name),
            row,
            checks.get(row.id),
            running,
            students,
        )
        for row in rows
    ]
    return Json(items, headers=NOT_KEPT)


@routes.get("/courses/{course}/assignments/{assignment}/points", Distribution, *ERRORS, scope=None)
async def get_points(parts: ServerParts, request: Request, course: CourseName, assignment: str) -> Json:
    """Return the distribution of points of an assignment. For the staff."""
    asker = await member(request, parts, course)
    asker.as_staff()
    found = assignment_in(asker, assignment)
    return Json(distribution(found, await gradebook(parts.store, asker.course)), headers=NOT_KEPT)


NO_LINE: Mapping[str, Place] = {}
NOT_KEPT = {"Cache-Control": "no-store"}


@asynccontextmanager
async def _received(request: Request, assignment: Assignment) -> AsyncIterator[IO[bytes]]:
    """Yield an upload that has come whole, within the assignment's size. Raises ApiError.

    It is read as fast as it comes: a long one waits on the disk for its turn.
    """
    most = assignment.size + AROUND
    sentence = f"{assignment.name} takes {assignment.size:,} bytes at most; hand in only the files that are asked for"
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length[:20]) > most:
        raise ApiError(413, "too-long", sentence)
    with SpooledTemporaryFile(IN_MEMORY) as upload:
        try:
            async for chunk in request.stream():
                upload.write(chunk)
                if upload.tell() > most:
                    break
        except ClientDisconnect:
            raise ApiError(400, "unreadable", "the upload did not come whole; send it again") from None
        if upload.tell() > most:
            raise ApiError(413, "too-long", sentence)
        yield cast("IO[bytes]", upload)


async def _given(request: Request, upload: IO[bytes], name: str) -> Files:
    """Return the files of an upload. Raises ApiError."""
    upload.seek(0)
    body = await asyncio.to_thread(upload.read)
    kind = request.headers.get("content-type", "")
    if not kind.lower().startswith(multipart.KIND):
        return [(name, body)] if body else []
    try:
        return await asyncio.to_thread(multipart.parse, body, kind)
    except Refused as error:
        raise ApiError(422, "refused", str(error)) from None


async def _assignment(
    parts: ServerParts, asker: Member, assignment: Assignment, student: StudentRow, now: datetime, free: int
) -> AssignmentItem:
    course = asker.course
    rows = await parts.store.submissions(course.name, assignment.name, student.id)
    current = next((row for row in rows if row.current), None)
    checks: dict[str, Checked] = {} if current is None else await checks_of(parts.store, course, assignment, [current])
    item = None if current is None else _item(asker, assignment, current, checks.get(current.id), now, student, free)
    left = await left_today(parts.store, course, assignment, student.id, now)
    published = await _is_published(parts, asker, assignment)
    return assignment_item(assignment, now, rows, left, item, published=published)


async def _is_published(parts: ServerParts, asker: Member, assignment: Assignment) -> bool:
    return await parts.store.published_grades(asker.course.name, assignment.name) is not None


async def submission_seen(parts: ServerParts, asker: Member, submission: str) -> SubmissionRow:
    """Return a submission that the asker may see. Raises ApiError, as for one that does not exist."""
    whose = None if asker.student is None else asker.student.id
    rows: Sequence[SubmissionRow] = await parts.store.submissions(asker.course.name, student=whose)
    row = next((each for each in rows if each.id == submission), None)
    if row is None:
        raise ApiError(404, "unknown-submission", f"there is no submission {submission[:40]!r} of yours")
    return row


def assignment_in(asker: Member, name: str) -> Assignment:
    """Return an assignment of the asker's course. Raises ApiError."""
    try:
        return assignment_of(asker.course, name)
    except BadOption as error:
        raise ApiError(404, "unknown-assignment", str(error)) from None


def _item(
    asker: Member,
    assignment: Assignment,
    row: SubmissionRow,
    checked: Checked | None,
    now: datetime,
    student: StudentRow,
    free: int,
    line: Mapping[str, Place] = NO_LINE,
) -> SubmissionItem:
    return submission_item(assignment, row, checked, asker.queue.running, now, student, free, line.get(row.id))


async def _free_days_used(parts: ServerParts, course: Course, student: StudentRow) -> dict[str, int]:
    """Return the late days without penalty that a student's assignments have used, by assignment."""
    grades = await gradebook(parts.store, course, only=student.id)
    return {each.name: grades[student.id][each.name].free_days for each in course.assignments}


def _free_days_left(course: Course, used: dict[str, int]) -> int:
    most = max((each.late.free for each in course.assignments), default=course.late.free)
    return max(0, most - sum(used.values()))


async def _free_days_for(parts: ServerParts, course: Course, student: StudentRow, assignment: Assignment) -> int:
    """Return the late days without penalty that other assignments leave to this one."""
    if student.forgotten_at is not None:
        return 0
    used = await _free_days_used(parts, course, student)
    return _free_days_left(course, used) + used[assignment.name]


def _me(student: StudentRow) -> Me:
    return Me("student", student.name, student.shown_as, student.team, student.consent, student.named)
