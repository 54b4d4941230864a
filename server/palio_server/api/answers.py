"""Answers in JSON. A refusal is always `{"error": {"code", "reason"}}`, the reason one sentence with the remedy."""

import http
import logging
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from palio_db.errors import Archived, LeaseLost, NameTaken, NotFound, StoreError, Unavailable, WrongDatabase
from palio_rules.errors import BadOption
from palio_server.edge.budgets import TooMuch
from palio_server.lobby.access import AccessDenied
from palio_server.network.handshake import SECURITY

log = logging.getLogger(__name__)

_encode = msgspec.json.Encoder().encode


class Json(Response):
    """Any struct, dataclass or list of such, as JSON; `bytes` are already JSON."""

    media_type = "application/json"

    def __init__(self, content: Any, status_code: int = 200, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(content if isinstance(content, bytes) else _encode(content), status_code, dict(headers or {}))


class Fault(msgspec.Struct, frozen=True):
    """`code` is for programs, `reason` is a sentence for people."""

    code: str
    reason: str


class ErrorAnswer(msgspec.Struct, frozen=True):
    """Every answer with a status of 400 or more."""

    error: Fault


class ApiError(Exception):
    """A request that is refused with `status`."""

    def __init__(self, status: int, code: str, reason: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(reason)
        self.status, self.code, self.headers = status, code, headers


def next_page(request: Request, **changed: str) -> dict[str, str]:
    """Return the `Link` header with the address of the next page: the request's own with `changed` parameters."""
    following = dict(request.query_params) | changed
    return {"Link": f'<{request.url.path}?{urlencode(following)}>; rel="next"'}


def unknown_match(match: str) -> ApiError:
    return ApiError(404, "unknown-match", f"there is no match {match[:40]!r}; /api/matches lists them")


def error_answer(status: int, code: str, reason: str, headers: Mapping[str, str] | None = None) -> Json:
    return Json(ErrorAnswer(Fault(code, reason)), status, headers)


async def answer_error(request: Request, error: Exception) -> Json:
    """Turn an error that leaves an endpoint into an ErrorAnswer."""
    match error:
        case ApiError():
            return error_answer(error.status, error.code, str(error), error.headers)
        case AccessDenied(code="wrong-scope" | "banned"):
            return error_answer(403, error.code, str(error))
        case AccessDenied():
            return error_answer(401, error.code, str(error), {"WWW-Authenticate": "Bearer"})
        case TooMuch():
            return error_answer(429, error.code, str(error), {"Retry-After": str(error.retry_s)})
        case BadOption():
            return error_answer(422, "bad-option", str(error))
        case Unavailable() | WrongDatabase():
            log.error("the store failed: %s", error)  # the sentence is complete, and names the remedy
            return error_answer(503, "store-unavailable", "the database does not answer now; try again in a while")
        case StoreError():
            return _store_error(error)
        case HTTPException():
            return _http_error(request, error)
        case _:
            internal = "the server made a mistake; its log has the details"
            return error_answer(500, "internal", internal, SECURITY)  # it does not pass through the guard


def _store_error(error: StoreError) -> Json:
    match error:
        case Archived():
            return error_answer(410, "archived", str(error))
        case NotFound():
            return error_answer(404, "not-found", str(error))
        case NameTaken() | LeaseLost():
            return error_answer(409, "conflict", str(error))
        case _:
            return error_answer(422, "bad-value", str(error))


def _http_error(request: Request, error: HTTPException) -> Json:
    reason = {
        404: f"there is nothing at {request.url.path}; /api/docs lists what there is",
        405: f"{request.method} does not work on {request.url.path}; /api/docs says what does",
    }.get(error.status_code, str(error.detail))
    code = http.HTTPStatus(error.status_code).phrase.lower().replace(" ", "-")
    return error_answer(error.status_code, code, reason, error.headers)


_ERRORS = (ApiError, AccessDenied, TooMuch, BadOption, StoreError, HTTPException, Exception)
HANDLERS = dict.fromkeys(_ERRORS, answer_error)
