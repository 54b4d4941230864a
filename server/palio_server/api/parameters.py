"""What the address and the headers of a request say: parameters of the path and of the query, and the token."""

import re
from typing import Annotated, Any

import msgspec
from msgspec.inspect import BoolType, IntType, Metadata, Type, UnionType, type_info
from starlette.requests import Request

from palio_rules.errors import nearest
from palio_server.api.answers import ApiError
from palio_server.api.mismatch import mismatch

Number = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]  # of a tournament: what every database can compare with

_INTEGER = re.compile(r"-?[0-9]{1,100}")
_BOOL = {"true": True, "1": True, "false": False, "0": False}


def read_parameters(request: Request, kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The parameters of path and query by name, as the fields of `kind` want them. Raises ApiError.

    A misspelt filter must not quietly give the unfiltered list; what no database can compare with is refused.
    """
    in_path, in_query = request.path_params, request.query_params
    fields = {field.name: field.type for field in msgspec.structs.fields(kind)}
    for name in in_query:
        if name in in_path or name not in fields:
            known = fields.keys() - in_path.keys()
            raise ApiError(422, "unknown-parameter", f"unknown parameter {name[:80]!r}; {nearest(name, known)}")
    values = {}
    for name, text in (*in_query.items(), *in_path.items()):
        if "\0" in text:
            raise ApiError(422, "bad-value", f"{name}: a NUL character stands in no name and no identity")
        values[name] = _value(text, type_info(fields[name]))
    try:
        return msgspec.structs.asdict(msgspec.convert(values, kind))
    except msgspec.ValidationError:
        found = mismatch(values, kind) or "a parameter does not fit"
        raise ApiError(422, "bad-value", f"{found}; /api/docs describes the parameters") from None


def _value(text: str, kind: Type) -> Any:
    """`text` as JSON would have it, where a number or a truth value is wanted and `text` is one."""
    match kind:
        case Metadata():
            return _value(text, kind.type)
        case UnionType():
            return next((value for each in kind.types if (value := _value(text, each)) is not text), text)
        case IntType() if _INTEGER.fullmatch(text):
            return int(text)
        case BoolType():
            return _BOOL.get(text.lower(), text)
    return text


def bearer(request: Request) -> str | None:
    """The token of `Authorization: Bearer TOKEN`, if there is one. Raises ApiError for any other scheme."""
    header = request.headers.get("authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise ApiError(401, "bad-token", "write `Authorization: Bearer TOKEN`", {"WWW-Authenticate": "Bearer"})
    return token.strip()
