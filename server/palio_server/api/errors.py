"""How the server says no: always `{"error": {"code", "reason"}}`, the reason one sentence with the remedy."""

import http
import logging
from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request

from palio_db.errors import LeaseLost, NameTaken, NotFound, StoreError, Unavailable, WrongDatabase
from palio_rules.errors import BadOption
from palio_server.api.answers import ErrorAnswer, Fault, Json
from palio_server.lobby.access import AccessDenied

log = logging.getLogger(__name__)


class ApiError(Exception):
    """A request that is refused with `status`."""

    def __init__(self, status: int, code: str, reason: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(reason)
        self.status, self.code, self.headers = status, code, headers


def unknown_match(match: str) -> ApiError:
    return ApiError(404, "unknown-match", f"there is no match {match[:40]!r}; /api/matches lists them")


def error_answer(status: int, code: str, reason: str, headers: Mapping[str, str] | None = None) -> Json:
    return Json(ErrorAnswer(Fault(code, reason)), status, headers)


async def _api_error(_request: Request, error: Exception) -> Json:
    assert isinstance(error, ApiError)
    return error_answer(error.status, error.code, str(error), error.headers)


async def _access_denied(_request: Request, error: Exception) -> Json:
    assert isinstance(error, AccessDenied)
    if error.code == "wrong-scope":
        return error_answer(403, error.code, str(error))
    return error_answer(401, error.code, str(error), {"WWW-Authenticate": "Bearer"})


async def _bad_option(_request: Request, error: Exception) -> Json:
    return error_answer(422, "bad-option", str(error))


async def _store_error(_request: Request, error: Exception) -> Json:
    match error:
        case Unavailable() | WrongDatabase():
            log.error("the store failed: %s", error)  # the sentence says it all, and names the remedy
            return error_answer(503, "store-unavailable", "the database does not answer now; try again in a while")
        case NotFound():
            return error_answer(404, "not-found", str(error))
        case NameTaken() | LeaseLost():
            return error_answer(409, "conflict", str(error))
        case _:
            return error_answer(422, "bad-value", str(error))


async def _http_error(request: Request, error: Exception) -> Json:
    assert isinstance(error, HTTPException)
    status = error.status_code
    reason = {
        404: f"there is nothing at {request.url.path}; /api/docs lists what there is",
        405: f"{request.method} does not work on {request.url.path}; /api/docs says what does",
    }.get(status, str(error.detail))
    code = http.HTTPStatus(status).phrase.lower().replace(" ", "-")
    return error_answer(status, code, reason, error.headers)


async def _our_fault(_request: Request, _error: Exception) -> Json:
    return error_answer(500, "internal", "the server made a mistake; its log has the details")


HANDLERS = {  # every error that leaves an endpoint ends as an ErrorAnswer
    ApiError: _api_error,
    AccessDenied: _access_denied,
    BadOption: _bad_option,
    StoreError: _store_error,
    HTTPException: _http_error,
    Exception: _our_fault,
}
