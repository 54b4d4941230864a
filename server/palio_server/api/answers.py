"""Answers in JSON, written by msgspec."""

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

_encode = msgspec.json.Encoder().encode


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
