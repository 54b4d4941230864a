"""The operations of the HTTP API: one a function, its parameters and its body read off the function's signature.

    routes = Routes("leaderboard")

    @routes.get("/leaderboard/{game}", Leaderboard, 404)
    async def get_leaderboard(parts: ServerParts, game: str) -> Json: ...

An endpoint names its arguments: `parts` is the running server, `request` the request itself, `body` the struct that
its JSON must be, `actor` the asker, for the audit. Every other parameter is in the path or in the query, with the type
that it must have.
"""

import inspect
import logging
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec.inspect import BoolType, FloatType, IntType, Metadata, Type, UnionType, type_info
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from palio_db.errors import StoreError
from palio_db.store import Store
from palio_db.values import Act, Actor, Grant
from palio_rules.contract import endpoints
from palio_rules.contract.messages import SERVER_STOPPING
from palio_rules.errors import nearest
from palio_server.api.answers import ApiError, ErrorAnswer
from palio_server.api.bodies import MAX_BODY, mismatch, read_body
from palio_server.api.compression import compressed
from palio_server.api.identity import SESSION, actor_of, address_of, admit_reader, permitted
from palio_server.app_state import ServerParts
from palio_server.lobby.access import WATCH, AccessDenied
from palio_server.lobby.programs import retry_after_s

# Requests refused for lack of a token or a scope, in the audit, limited so that they cannot fill a disk.

log = logging.getLogger(__name__)

SPAN_S = 60.0
MOST = 60  # lines in one span; repeated refusals of one asker are one line


class RefusedActs:
    """The refused requests, each kind noted once a minute for each asker."""

    def __init__(self, store: Store, now: Callable[[], float] = time.monotonic) -> None:
        self._store, self._now = store, now
        self._since = now()
        self._noted: set[tuple[str, str, str, str]] = set()

    async def note(self, act: Act, by: Actor) -> None:
        """Note it, unless that was done a moment ago. The request is refused even if this fails."""
        if self._now() - self._since >= SPAN_S:
            self._since, self._noted = self._now(), set()
        key = (by.who, by.address, act.name, act.detail)
        if key in self._noted or len(self._noted) >= MOST:
            return
        self._noted.add(key)
        try:
            await self._store.log_act(act, by)
        except StoreError as error:
            log.warning("a refused request could not be noted in the audit: %s", error)


Endpoint = Callable[..., Awaitable[Response]]
E = TypeVar("E", bound=Endpoint)

BotFilter = Annotated[str, msgspec.Meta(min_length=1, description="all of a bot's name; an unknown one has no entries")]
Number = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]  # of a tournament: within the range of every database

_INTEGER = re.compile(r"-?[0-9]{1,100}")
_DECIMAL = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?([eE][-+]?[0-9]{1,3})?")
_BOOL = {"true": True, "1": True, "false": False, "0": False}
_GIVEN = ("parts", "request", "body", "actor")  # the parameters of an endpoint that are not parameters of the request


@dataclass(frozen=True, slots=True)
class Operation:
    """One method on one path."""

    method: str
    path: str
    tag: str
    endpoint: Endpoint
    answer: Any  # the type whose JSON is the answer
    errors: tuple[int, ...]
    statuses: tuple[int, ...]  # that go with `answer`
    texts: tuple[str, ...]  # kinds of text that may replace `answer`, as "text/csv"
    scope: str | None  # the scope that a token must have, unless the server is open; None: no token needed
    cost: float  # of the work, in the units of `quotas.py`
    most: int  # bytes of the body
    parameters: type[msgspec.Struct]
    given: tuple[str, ...]
    body: type[msgspec.Struct] | None
    forms: tuple[str, ...]  # kinds of a body that the endpoint reads itself, the kind of a form with files among them
    default: msgspec.Struct | None  # the value for an absent body

    async def respond(self, request: Request) -> Response:
        """Return the answer to `request`. Raises ApiError, AccessDenied, BadOption or StoreError."""
        parts: ServerParts = request.app.state.parts
        if self.method != "GET" and (said := parts.lobby.stopping) is not None:
            raise ApiError(503, SERVER_STOPPING, said.reason, {"Retry-After": str(retry_after_s(said))})
        values = read_parameters(request, self.parameters)
        grant = request.state.grant = await self._admitted(request, parts)
        if self.method != "GET":
            parts.access.check_may_act(address_of(request), grant)
        if self.cost:
            request.app.state.work.pay(request, self.cost)
        given: dict[str, Any] = {"parts": parts, "request": request, "actor": actor_of(request, grant)}
        if self.body is not None:
            given["body"] = await read_body(request, self.body, default=self.default, most=self.most)
        answer = await self.endpoint(**values, **{name: given[name] for name in self.given})
        return await compressed(request, answer)

    async def _admitted(self, request: Request, parts: ServerParts) -> Grant | None:
        """Return the grant of the asker's token. Raises AccessDenied, which is noted in the audit."""
        if self.scope is None:
            return None
        if self.scope == WATCH:
            await admit_reader(request, parts.access)
            return None
        try:
            return await permitted(request, parts.access, self.scope)
        except AccessDenied as error:
            refused: RefusedActs = request.app.state.refused
            act = Act(f"{self.method} {self.path}", request.url.path, error.code, "refused")
            await refused.note(act, actor_of(request, error.grant, error.code))
            raise


class Routes:
    """The operations of one noun, in order."""

    def __init__(self, tag: str) -> None:
        self._tag = tag
        self.operations: list[Operation] = []

    def get(
        self, path: str, answer: Any, *errors: int, texts: Iterable[str] = (), scope: str | None = WATCH
    ) -> Callable[[E], E]:
        """Let the decorated function answer GET on `path` below /api, with `answer` or one of `errors`.

        `texts` are kinds of text that may replace `answer`.
        """
        return self.operation("GET", path, answer, *errors, texts=texts, scope=scope)

    def operation(
        self,
        method: str,
        path: str,
        answer: Any,
        *errors: int,
        statuses: tuple[int, ...] = (200,),
        texts: Iterable[str] = (),
        forms: Iterable[str] = (),
        scope: str | None = WATCH,
        cost: float = 0.0,
        most: int = MAX_BODY,
    ) -> Callable[[E], E]:
        """Let the decorated function answer `method`; `statuses` go with `answer`, `scope` is a token's, the body has
        `most` bytes.

        `cost` is charged to the asker's address for the work, see `quotas.py`; then 429 is one of the errors. By
        default the operation is for all readers; an endpoint with further conditions checks them itself.
        """

        def add(endpoint: E) -> E:
            wanted = inspect.signature(endpoint, eval_str=True).parameters
            fields: list[Any] = [
                (each.name, each.annotation, msgspec.NODEFAULT if each.default is each.empty else each.default)
                for each in wanted.values()
                if each.name not in _GIVEN
            ]
            body = wanted.get("body")
            self.operations.append(
                Operation(
                    method=method,
                    path=endpoints.API + path,
                    tag=self._tag,
                    endpoint=endpoint,
                    answer=answer,
                    errors=errors,
                    statuses=statuses,
                    texts=tuple(sorted({*texts})),
                    scope=scope,
                    cost=cost,
                    most=most,
                    parameters=msgspec.defstruct(endpoint.__name__, fields, kw_only=True),
                    given=tuple(name for name in wanted if name in _GIVEN),
                    body=None if body is None else body.annotation,
                    forms=tuple(forms),
                    default=None if body is None or body.default is body.empty else body.default,
                )
            )
            return endpoint

        return add


def read_parameters(request: Request, kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the parameters of path and query by name, as the fields of `kind` want them. Raises ApiError.

    A misspelt filter must not silently return the unfiltered list, nor one that is given twice the list of the last
    one; values beyond the range of a database are refused.
    """
    in_path, in_query = request.path_params, request.query_params
    fields = {field.name: field.type for field in msgspec.structs.fields(kind)}
    for name in in_query:
        if name in in_path or name not in fields:
            known = fields.keys() - in_path.keys()
            raise ApiError(422, "unknown-parameter", f"unknown parameter {name[:80]!r}; {nearest(name, known)}")
        if len(in_query.getlist(name)) > 1:
            raise ApiError(422, "bad-value", f"{name}: it is given more than once; give it once")
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
    """Return `text` in JSON's type, if a number or a truth value is wanted and `text` is one."""
    match kind:
        case Metadata():
            return _value(text, kind.type)
        case UnionType():
            return next((value for each in kind.types if (value := _value(text, each)) is not text), text)
        case IntType() if _INTEGER.fullmatch(text):
            return int(text)
        case FloatType() if _DECIMAL.fullmatch(text):
            return float(text)
        case BoolType():
            return _BOOL.get(text.lower(), text)
    return text


@dataclass(frozen=True, slots=True)
class Resource:
    """ASGI endpoint: the functions that answer a request, by method. Any other method is a 405 that names these.

    HEAD is answered as GET, with the same headers and without the body (RFC 9110, section 9.3.2).
    """

    methods: Mapping[str, Callable[[Request], Awaitable[Response]]]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        method = scope["method"]
        as_get = method == "HEAD" and "HEAD" not in self.methods
        respond = self.methods.get("GET" if as_get else method)
        if respond is None:
            allowed = {*self.methods, *(("HEAD",) if "GET" in self.methods else ())}
            raise HTTPException(405, headers={"Allow": ", ".join(sorted(allowed))})
        response = await respond(Request(scope, receive, send))
        await response(scope, receive, _without_body(send) if as_get else send)


def _without_body(send: Send) -> Send:
    async def send_head(message: Message) -> None:
        await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

    return send_head


# The OpenAPI document: all operations, described by the types that read and write them.

SCHEMES = {
    "token": {"type": "http", "scheme": "bearer"},
    "session": {"type": "apiKey", "in": "cookie", "name": SESSION},
}

_WHEN = {
    200: "as asked",
    201: "it is under way",
    202: "it is in the queue, under way, or done",
    308: "it has another address, which the header `Location` has",
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
    """Return `operations` of the server at that address in OpenAPI 3.1; `info` describes them."""
    kinds = [ErrorAnswer, *(kind for each in operations for kind in (each.answer, each.body) if kind is not None)]
    # msgspec gives structs of the same name different ones only if it sees them together
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
    if operation.forms:
        found["requestBody"] = {
            "required": True,
            "content": {kind: {"schema": _form(kind)} for kind in operation.forms},
        }
    found["x-scope"] = operation.scope or "none"  # of the token that is needed
    if operation.scope is None:
        found["security"] = []  # stated explicitly: a generator takes silence for an oversight
    elif operation.scope == WATCH:
        found["security"] = [{}, {"token": []}, {"session": []}]  # one of them, where the server is private
    else:
        found["security"] = [{"token": []}, {}]  # nothing, where the server is open
    return found


def _for_generators(schema: Any) -> Any:
    """Return `schema` with arrays in a form for generators of clients; it allows the same values.

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


def _form(kind: str) -> dict[str, Any]:
    """Return the schema of a body of bytes: in a form, any number of files."""
    binary = {"type": "string", "contentMediaType": "application/octet-stream"}
    if not kind.startswith("multipart/"):
        return binary
    return {"type": "object", "properties": {"files": {"type": "array", "items": binary}}}


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
