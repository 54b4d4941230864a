"""What comes in: JSON bodies within a limit, no unknown keys, no unknown query parameters."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import msgspec
from fastapi import Depends, Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Query
from fastapi.routing import APIRoute
from starlette.requests import ClientDisconnect

from palio_rules.errors import nearest
from palio_server.api.bodies import Body, complaint
from palio_server.api.errors import ApiError

MAX_BODY = 64 * 1024  # bytes
MAX_NUMBER = 2**31 - 1  # of a tournament: what every database can compare with

S = TypeVar("S", bound=msgspec.Struct)
T = TypeVar("T")


async def read_body(request: Request, kind: type[S], *, optional: bool = False, most: int = MAX_BODY) -> S:
    """The request's JSON, of so many bytes at `most`, as a `kind`. Raises ApiError.

    With `optional`, no body at all is an empty object.
    """
    data = bytearray()
    try:
        async for part in request.stream():
            data += part
            if len(data) > most:
                raise ApiError(413, "too-long", f"a request has at most {most} bytes; send less")
    except ClientDisconnect:  # nobody will read the answer; no fault of ours, so that the log needs not hear of it
        raise ApiError(400, "unreadable", "the body did not come whole") from None
    try:
        value = {} if optional and not data else msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ApiError(400, "unreadable", f"the body is no JSON ({error}); send an object") from None
    known = [field.encode_name for field in msgspec.structs.fields(kind)]
    for name in value if isinstance(value, dict) else ():
        if name not in known:
            remedy = kind.unknown(name, value) if issubclass(kind, Body) else nearest(name, known)
            raise ApiError(422, "unknown-key", f"unknown key {name[:80]!r}; {remedy}")
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise ApiError(422, "bad-value", complaint(error, value, kind)) from None


async def while_here(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """What `work` gives, unless the client hangs up before: then it is cancelled. Its body must have been read."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():  # nobody will read this either
            raise ApiError(400, "unreadable", "the client hung up before there was an answer")
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.wait({working, leaving})


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _check_query(request: Request) -> None:
    """A misspelt filter must not quietly give the unfiltered list; what no database can compare with is refused."""
    route = request.scope["route"]
    assert isinstance(route, APIRoute)
    known = [field.alias for field in get_flat_params(route.dependant) if isinstance(field.field_info, Query)]
    for name in request.query_params:
        if name not in known:
            raise ApiError(422, "unknown-parameter", f"unknown parameter {name[:80]!r}; {nearest(name, known)}")
    for name, value in (*request.query_params.items(), *request.path_params.items()):
        if "\0" in value:
            raise ApiError(422, "bad-value", f"{name}: a NUL character stands in no name and no identity")


CheckedQuery = Depends(_check_query)


def bearer(request: Request) -> str | None:
    """The token of `Authorization: Bearer TOKEN`, if there is one. Raises ApiError for any other scheme."""
    header = request.headers.get("authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise ApiError(401, "bad-token", "write `Authorization: Bearer TOKEN`", {"WWW-Authenticate": "Bearer"})
    return token.strip()
