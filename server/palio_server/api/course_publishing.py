"""`/api/courses/NAME/assignments/NAME/publish`: the staff publishes grades from the page."""

from datetime import UTC, datetime

import msgspec
from starlette.requests import Request

from palio_server.api.answers import Json
from palio_server.api.courses import ERRORS, CourseName, assignment_in, member
from palio_server.api.operations import Routes
from palio_server.app_state import ServerParts
from palio_server.courses.gradebook import publish

routes = Routes("courses")


class Published(msgspec.Struct, frozen=True):
    """The answer to publishing grades: of how many students, and when."""

    assignment: str
    students: int
    at: datetime


@routes.operation("POST", "/courses/{course}/assignments/{assignment}/publish", Published, *ERRORS, scope=None)
async def publish_grades(parts: ServerParts, request: Request, course: CourseName, assignment: str) -> Json:
    """Publish the grades of an assignment as they are now: from then on each student sees the own one. For the staff.

    422 while submissions are unchecked.
    """
    asker = await member(request, parts, course)
    asker.as_staff()
    found = assignment_in(asker, assignment)
    students = await publish(parts.store, asker.course, found, by=asker.actor)
    return Json(Published(found.name, students, datetime.now(UTC)))
