"""What a request may send: JSON within a limit of bytes; a refusal names the place, what came, and what to write."""

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request

from palio_rules.errors import nearest
from palio_server.api.answers import ApiError
from palio_server.api.mismatch import mismatch

MAX_BODY = 64 * 1024  # bytes

S = TypeVar("S", bound=msgspec.Struct)


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a request may send. A subclass says for each key how it is written, and what others may call it."""

    WRITE: ClassVar[Mapping[str, str]] = {}  # by key: an example, or another remedy
    MEANT: ClassVar[Mapping[str, str]] = {}  # by a name that is often tried: the key

    @classmethod
    def unknown(cls, name: str, body: Mapping[str, Any]) -> str:  # noqa: ARG003  # a subclass may look into it
        """The remedy for a key that there is none of."""
        known = [field.encode_name for field in msgspec.structs.fields(cls)]
        meant = cls.MEANT.get(name.lower().replace("-", "_"))
        return nearest(name, known) if meant is None else f"write {cls.WRITE[meant]}"


async def read_body(request: Request, kind: type[S], *, default: S | None = None, most: int = MAX_BODY) -> S:
    """The request's JSON, of so many bytes at `most`, as a `kind`; `default` if there is no body. Raises ApiError."""
    data = bytearray()
    try:
        async for part in request.stream():
            data += part
            if len(data) > most:
                raise ApiError(413, "too-long", f"a request has at most {most} bytes; send less")
    except ClientDisconnect:  # nobody will read the answer; no fault of ours, so that the log needs not hear of it
        raise ApiError(400, "unreadable", "the body did not come whole") from None
    if default is not None and not data:
        return default
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ApiError(400, "unreadable", f"the body is no JSON ({error}); send an object") from None
    return as_struct(value, kind)


def as_struct(value: object, kind: type[S]) -> S:
    """`value`, as decoded from JSON, as a `kind`. Raises ApiError.

    >>> as_struct({"reason": 5}, msgspec.defstruct("Stop", [("reason", str)]))
    Traceback (most recent call last):
    palio_server.api.answers.ApiError: reason: a text is wanted, got 5; write one as /api/docs describes it
    """
    if isinstance(value, dict):
        known = [field.encode_name for field in msgspec.structs.fields(kind)]
        for name in (name for name in value if name not in known):
            remedy = kind.unknown(name, value) if issubclass(kind, Body) else nearest(name, known)
            raise ApiError(422, "unknown-key", f"unknown key {name[:80]!r}; {remedy}")
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        raise ApiError(422, "bad-value", complaint(value, kind)) from None


def complaint(body: object, kind: type[msgspec.Struct]) -> str:
    """The sentence about `body`, which is no `kind`."""
    found = mismatch(body, kind)
    if found is None:  # a constraint that `mismatch` does not know yet
        return "the body does not fit; write one as /api/docs describes it"
    if found.remedy:
        return f"{found}; {found.remedy}"
    write = (kind.WRITE if issubclass(kind, Body) else {}).get(found.key or "")
    return f"{found}; write {write or 'one as /api/docs describes it'}"
