"""The OpenAPI document: what can be asked, described by the types that read and write it."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from palio_server.api.answers import ErrorAnswer
from palio_server.api.asking import SESSION
from palio_server.api.operations import Operation
from palio_server.lobby.access import WATCH

SCHEMES = {
    "token": {"type": "http", "scheme": "bearer"},
    "session": {"type": "apiKey", "in": "cookie", "name": SESSION},
}

_WHEN = {
    200: "as asked",
    201: "it is under way",
    202: "it is in the queue, under way, or done",
    400: "the body cannot be read",
    401: "a token is missing or wrong",
    403: "the token has not got this scope, or the request comes from another site",
    404: "there is no such thing",
    409: "not possible now",
    413: "too long",
    422: "a value does not fit",
    429: "too many at once; later",
    503: "the database does not answer",
}


def document(operations: Sequence[Operation], server: str, **info: Any) -> dict[str, Any]:
    """`operations` of the server at that address, as OpenAPI 3.1 describes them; `info` says what they are."""
    kinds = [ErrorAnswer, *(kind for each in operations for kind in (each.answer, each.body) if kind is not None)]
    # msgspec names structs apart only if it sees them together
    schemas, components = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    contents = {kind: {"application/json": {"schema": schema}} for kind, schema in zip(kinds, schemas, strict=True)}
    paths: dict[str, dict[str, Any]] = {}
    for each in operations:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each, contents)
    return {
        "openapi": "3.1.0",
        "info": info,
        "servers": [{"url": server}],
        "paths": paths,
        "components": {"schemas": _for_generators(components), "securitySchemes": SCHEMES},
    }


def _operation(operation: Operation, contents: Mapping[Any, Any]) -> dict[str, Any]:
    name = operation.endpoint.__name__
    answers = dict.fromkeys(operation.statuses, operation.answer) | dict.fromkeys(_errors(operation), ErrorAnswer)
    found: dict[str, Any] = {
        "operationId": name,
        "summary": name.replace("_", " ").capitalize(),
        "description": inspect.getdoc(operation.endpoint) or "",
        "tags": [operation.tag],
        "parameters": _parameters(operation),
        "responses": {
            str(status): {"description": _WHEN[status], "content": contents[kind]} for status, kind in answers.items()
        },
    }
    for status in operation.statuses if operation.texts else ():
        found["responses"][str(status)]["content"] = contents[operation.answer] | {
            kind: {"schema": {"type": "string"}} for kind in operation.texts
        }
    if operation.body is not None:
        found["requestBody"] = {"required": operation.default is None, "content": contents[operation.body]}
    found["x-scope"] = operation.scope or "none"  # of the token that is asked for
    if operation.scope is None:
        found["security"] = []  # said explicitly: a generator takes silence for an oversight
    elif operation.scope == WATCH:
        found["security"] = [{}, {"token": []}, {"session": []}]  # one of them, where the server is private
    else:
        found["security"] = [{"token": []}, {}]  # nothing, where the server is open
    return found


def _for_generators(schema: Any) -> Any:
    """`schema` with arrays as generators of clients read them; it allows what it did.

    They cannot read `"items": false` beside `prefixItems`, where `maxItems` says the same, nor a list without `items`.
    """
    match schema:
        case list():
            return [_for_generators(each) for each in schema]
        case dict():
            found = {name: _for_generators(value) for name, value in schema.items()}
        case _:
            return schema
    match found:
        case {"prefixItems": _, "items": False, "maxItems": _}:
            del found["items"]
        case {"type": "array"} if not found.keys() & {"items", "prefixItems"}:
            found["items"] = {}
    return found


def _errors(operation: Operation) -> list[int]:
    with_body = (400, 413) if operation.body is not None else ()
    with_token = {None: (), WATCH: (401,)}.get(operation.scope, (401, 403))
    return sorted({422, *operation.errors, *with_body, *with_token})  # 422 always: an unknown parameter


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    (_,), components = msgspec.json.schema_components([operation.parameters])
    schema = components[operation.parameters.__name__]
    return [
        {
            "name": name,
            "in": "path" if f"{{{name}}}" in operation.path else "query",
            "required": name in schema["required"],
            "schema": shape,
        }
        for name, shape in schema["properties"].items()
    ]
