"""The bodies of requests: JSON within a limit of bytes; a refusal names the place, the value, and the remedy."""

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, NamedTuple, TypeVar

import msgspec
from msgspec import inspect
from starlette.requests import ClientDisconnect, Request

from palio_rules.contract.names import NAME_PATTERN, no_name
from palio_rules.errors import nearest, quoted
from palio_server.api.answers import ApiError

# The first place where a value differs from its type: the place, the expected type, and the value.


class Mismatch(NamedTuple):
    """A difference. `str()` is the sentence; `key` is the first step of the path to it, if there is one."""

    path: tuple[str | int, ...]
    problem: str
    remedy: str = ""

    @property
    def key(self) -> str | None:
        return str(self.path[0]) if self.path else None

    def __str__(self) -> str:
        steps = (f"[{step}]" if isinstance(step, int) else f".{quoted(step)[1:-1]}" for step in self.path)
        return f"{''.join(steps).lstrip('.') or 'the body'}{self.problem}"


def mismatch(value: object, kind: type) -> Mismatch | None:
    """Return the first place in `value`, as decoded from JSON, that a `kind` cannot have there; None if it is one.

    >>> print(mismatch(["ann", 7], list[str]))
    [1]: a text is wanted, got 7
    """
    return next(_in(value, inspect.type_info(kind), ()), None)


_WORDS: dict[type[inspect.Type], tuple[str, type | tuple[type, ...]]] = {  # our name for it, its type in JSON
    inspect.StrType: ("a text", str),
    inspect.IntType: ("a whole number", int),
    inspect.FloatType: ("a number", (int, float)),
    inspect.BoolType: ("true or false", bool),
    inspect.NoneType: ("null", type(None)),
    inspect.ListType: ("a list", list),
    inspect.VarTupleType: ("a list", list),
    inspect.TupleType: ("a list", list),
    inspect.DictType: ("an object", dict),
    inspect.StructType: ("an object", dict),
    inspect.DateTimeType: ("a date and time as 2027-02-01T09:00:00Z", str),
}

_BOUNDS: tuple[tuple[str, str, Callable[[Any, Any], bool]], ...] = (
    ("gt", "> {}", operator.gt),
    ("ge", ">= {}", operator.ge),
    ("lt", "< {}", operator.lt),
    ("le", "<= {}", operator.le),
    ("min_length", "of length >= {}", lambda value, least: len(value) >= least),
    ("max_length", "of length <= {}", lambda value, most: len(value) <= most),
)

_Path = tuple[str | int, ...]


def _in(value: Any, kind: inspect.Type, path: _Path) -> Iterator[Mismatch]:
    match kind:
        case inspect.AnyType():
            pass
        case inspect.Metadata():
            yield from _in(value, kind.type, path)
        case inspect.UnionType():
            yield from _in_union(value, kind.types, path)
        case _ if not _alike(value, kind):
            yield _wanted([kind], value, path)
        case inspect.StrType(pattern=str(pattern)) if re.search(pattern, value) is None:
            words = no_name(value) if pattern == NAME_PATTERN else f"{quoted(value)} has not the form that is wanted"
            yield Mismatch(path, f": {words}")
        case _:
            yield from _out_of_bounds(value, kind, path)
            yield from _within(value, kind, path)


def _out_of_bounds(value: Any, kind: inspect.Type, path: _Path) -> Iterator[Mismatch]:
    for name, words, holds in _BOUNDS:
        limit = getattr(kind, name, None)
        if limit is not None and not holds(value, limit):
            yield _wanted([kind], value, path, f" {words.format(limit)}")


def _within(value: Any, kind: inspect.Type, path: _Path) -> Iterator[Mismatch]:
    match kind:
        case inspect.StructType():
            yield from _in_struct(value, kind, path)
        case inspect.DictType():
            for name, each in value.items():
                yield from _in(each, kind.value_type, (*path, name))
        case inspect.ListType() | inspect.VarTupleType():
            for index, each in enumerate(value):
                yield from _in(each, kind.item_type, (*path, index))
        case inspect.TupleType() if len(value) != len(kind.item_types):
            yield _wanted([kind], value, path, f" of length {len(kind.item_types)}")
        case inspect.TupleType():
            for index, (each, item) in enumerate(zip(value, kind.item_types, strict=True)):
                yield from _in(each, item, (*path, index))


def _in_struct(value: dict[str, Any], kind: inspect.StructType, path: _Path) -> Iterator[Mismatch]:
    fields = {field.encode_name: field for field in kind.fields}
    for name in value if kind.forbid_unknown_fields else ():
        if name not in fields:
            yield Mismatch(path, f": unknown key {quoted(name)}", nearest(name, fields))
    for name, field in fields.items():
        if name in value:
            yield from _in(value[name], field.type, (*path, name))
        elif field.required:
            yield Mismatch((*path, name), " is missing")


def _in_union(value: Any, kinds: Sequence[inspect.Type], path: _Path) -> Iterator[Mismatch]:
    """Yield nothing if one of `kinds` takes `value`, otherwise the differences from the most similar one."""
    alike = [kind for kind in kinds if _alike(value, kind)]
    if not alike:
        yield _wanted([kind for kind in kinds if not isinstance(kind, inspect.NoneType)], value, path)
    elif all(found := [list(_in(value, kind, path)) for kind in alike]):
        yield from found[0]


def _alike(value: Any, kind: inspect.Type) -> bool:
    match kind:
        case inspect.Metadata():
            return _alike(value, kind.type)
        case inspect.LiteralType():
            return value in kind.values and not isinstance(value, bool)
        case inspect.DateTimeType():
            return _is_time(value)
    _, json = _WORDS[type(kind)]
    return isinstance(value, json) and isinstance(value, bool) == isinstance(kind, inspect.BoolType)


def _is_time(value: Any) -> bool:
    try:
        return bool(msgspec.convert(value, datetime))
    except msgspec.ValidationError:
        return False


def _wanted(kinds: Iterable[inspect.Type], value: object, path: _Path, bound: str = "") -> Mismatch:
    constant = {None: "null", True: "true", False: "false"}.get(value) if isinstance(value, bool | None) else None
    return Mismatch(path, f": {' or '.join(map(_words, kinds))}{bound} is wanted, got {constant or quoted(value)}")


def _words(kind: inspect.Type) -> str:
    match kind:
        case inspect.Metadata():
            return _words(kind.type)
        case inspect.LiteralType():
            return " or ".join(map(repr, kind.values))
    return _WORDS[type(kind)][0]


MAX_BODY = 64 * 1024  # bytes

S = TypeVar("S", bound=msgspec.Struct)


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a request. A subclass gives for each key an example, and common wrong names."""

    WRITE: ClassVar[Mapping[str, str]] = {}  # by key: an example, or another remedy
    MEANT: ClassVar[Mapping[str, str]] = {}  # by a name that is often tried: the key

    @classmethod
    def unknown(cls, name: str, body: Mapping[str, Any]) -> str:  # noqa: ARG003  # a subclass may look into it
        """Return the remedy for an unknown key."""
        known = [field.encode_name for field in msgspec.structs.fields(cls)]
        meant = cls.MEANT.get(name.lower().replace("-", "_"))
        return nearest(name, known) if meant is None else f"write {cls.WRITE[meant]}"


async def read_body(request: Request, kind: type[S], *, default: S | None = None, most: int = MAX_BODY) -> S:
    """Return the request's JSON, of at most `most` bytes, as a `kind`; `default` if there is no body.
    Raises ApiError.
    """
    data = bytearray()
    try:
        async for part in request.stream():
            data += part
            if len(data) > most:
                raise ApiError(413, "too-long", f"a request has at most {most} bytes; send less")
    except ClientDisconnect:  # the client is gone; not a server error, so it is not logged
        raise ApiError(400, "unreadable", "the body did not come whole") from None
    if default is not None and not data:
        return default
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ApiError(400, "unreadable", f"the body is no JSON ({error}); send an object") from None
    return as_struct(value, kind)


def as_struct(value: object, kind: type[S]) -> S:
    """Return `value`, as decoded from JSON, as a `kind`. Raises ApiError.

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
    """Return the sentence about `body`, which is not a `kind`."""
    found = mismatch(body, kind)
    if found is None:  # a constraint that `mismatch` does not check yet
        return "the body does not fit; write one as /api/docs describes it"
    if found.remedy:
        return f"{found}; {found.remedy}"
    write = (kind.WRITE if issubclass(kind, Body) else {}).get(found.key or "")
    return f"{found}; write {write or 'one as /api/docs describes it'}"


# Days in addresses: `since=2026-05-01`, `until=2026-05-31`, both included, in UTC.

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].*)?")  # `fromisoformat` would read any row of digits


def first_moment(name: str, day: str) -> datetime:
    """Return the first moment of a day, or the moment itself if one is given. Raises ApiError 422."""
    try:
        found = datetime.fromisoformat(day if _DAY.fullmatch(day) else "")
    except ValueError:
        raise ApiError(422, "bad-value", f"{name}: {day[:40]!r} is no day; write it as 2026-05-31") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def moment_after(name: str, day: str) -> datetime:
    """Return the first moment after a day; of a moment, itself. Raises ApiError 422."""
    found = first_moment(name, day)
    try:
        return found + timedelta(days=1) if len(day) <= len("2026-05-31") else found
    except OverflowError:
        raise ApiError(422, "bad-value", f"{name}: {day[:40]!r} is the last day there is; leave it out") from None
