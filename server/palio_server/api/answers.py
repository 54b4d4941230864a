"""Answers in JSON, written by msgspec and described by it to OpenAPI."""

from collections.abc import Mapping
from typing import Any

import msgspec
from fastapi.responses import Response

_encode = msgspec.json.Encoder().encode
_REF = "#/components/schemas/{name}"

COMPONENTS: dict[str, Any] = {}  # the schemas of all structs that `shape` has seen, by name

WITH_TOKEN: list[dict[str, list[str]]] = [{"token": []}, {}]  # nothing, where the server is open

_WHEN = {
    400: "the body cannot be read",
    401: "a token is missing or wrong",
    403: "the token has not got this scope, or the request comes from another site",
    404: "there is no such thing",
    409: "not possible now",
    413: "too long",
    422: "a value does not fit",
    503: "the database does not answer",
}


class Json(Response):
    """Any struct, dataclass or list of such, as JSON; `bytes` are taken as JSON already."""

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


def shape(kind: Any) -> dict[str, Any]:
    """`kind` in JSON, as OpenAPI's `content` describes it."""
    (schema,), components = msgspec.json.schema_components([kind], ref_template=_REF)
    COMPONENTS.update(components)
    return {"application/json": {"schema": schema}}


def answers(kind: Any, *errors: int, status: int = 200, description: str = "as asked") -> dict[int | str, Any]:
    """The `responses` of a route that answers with `kind`, or with one of `errors`."""
    found: dict[int | str, Any] = {status: {"description": description, "content": shape(kind)}}
    for error in errors:
        found[error] = {"description": _WHEN[error], "content": shape(ErrorAnswer)}
    return found
