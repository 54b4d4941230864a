"""`/api/courses/NAME/submissions/ID/matches/ID`: games against bots of the staff, for the author and the staff."""

import asyncio
from datetime import UTC, datetime

import msgspec
from starlette.requests import Request

from palio_server.api.answers import ApiError, Json
from palio_server.api.course_views import seen_of
from palio_server.api.courses import ERRORS, NOT_KEPT, CourseName, assignment_in, member, submission_seen
from palio_server.api.operations import Routes
from palio_server.app_state import ServerParts
from palio_server.courses.gradebook import checks_of
from palio_server.live.replay import Replay, replay_record

routes = Routes("courses")


@routes.get("/courses/{course}/submissions/{submission}/matches/{match}", Replay, *ERRORS, scope=None)
async def get_reference_game(
    parts: ServerParts, request: Request, course: CourseName, submission: str, match: str
) -> Json:
    """Return every position of a game that the check of one of the asker's submissions played; to the staff of any.

    A student sees those of parts that may be told now.
    """
    asker = await member(request, parts, course)
    row = await submission_seen(parts, asker, submission)
    told = True
    if asker.student is not None:
        assignment = assignment_in(asker, row.assignment)
        checked = (await checks_of(parts.store, asker.course, assignment, [row])).get(row.id)
        seen = seen_of(assignment, row, checked, datetime.now(UTC))
        told = any(match in part.matches for part in seen.parts)
    record = await parts.store.reference_game(row.id, match) if told else None
    if record is None:
        raise ApiError(404, "unknown-match", f"there is no match {match[:40]!r} of this submission's check")
    return Json(await asyncio.to_thread(lambda: msgspec.json.encode(replay_record(record))), headers=NOT_KEPT)
