"""The form of a tool: a name, words for a model, arguments as a struct, and a function that answers. No protocol."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from starlette.requests import Request
from starlette.types import Message

from palio_rules.contract.endpoints import API
from palio_rules.errors import BadOption, sentence
from palio_server.addons.mcp.players import Players
from palio_server.api.bodies import Mismatch, mismatch
from palio_server.app_state import ServerParts

# The server's own API, asked from within, on behalf of the caller of a tool.
#
# The request goes through the same application as one from outside, from the caller's address and with its token: what
# may be read or done, how often, and the sentence of a refusal are decided in one place.

CARRIED = (b"authorization", b"host")  # headers of the caller that go along


class Refusal(Exception):
    """The API says no: its sentence, the code for programs, and the seconds after which to try again, or 0."""

    def __init__(self, status: int, code: str, reason: str, retry_s: int = 0) -> None:
        super().__init__(reason)
        self.status, self.code, self.retry_s = status, code, retry_s


class OwnApi:
    """The API as the sender of `request` sees it."""

    def __init__(self, request: Request, *, token: str | None = None) -> None:
        """`token` in the place of the caller's: a guest's."""
        self._request, self._token = request, token

    async def get(self, *path: str, **query: object) -> Any:
        """The answer to GET, decoded; a query that is None is left out. Raises Refusal."""
        return await self._ask("GET", path, query, None)

    async def text(self, *path: str, **query: object) -> str:
        """The same for an answer that is text. Raises Refusal."""
        return (await self._answer("GET", path, query, None)).decode()

    async def post(self, *path: str, body: object) -> Any:
        """The answer to POST, decoded. Raises Refusal."""
        return await self._ask("POST", path, {}, msgspec.json.encode(body))

    async def _ask(self, method: str, path: tuple[str, ...], query: dict[str, object], body: bytes | None) -> Any:
        return msgspec.json.decode(await self._answer(method, path, query, body))

    async def _answer(self, method: str, path: tuple[str, ...], query: dict[str, object], body: bytes | None) -> bytes:
        address = "/".join([API, *(quote(part, safe="") for part in path)])
        asked = {name: _text(value) for name, value in query.items() if value is not None}
        status, headers, answer = await self._call(method, address, urlencode(asked), body)
        if status >= 400:
            fault = msgspec.json.decode(answer)["error"]
            raise Refusal(status, fault["code"], fault["reason"], int(headers.get(b"retry-after", b"0")))
        return answer

    async def _call(
        self, method: str, address: str, query: str, body: bytes | None
    ) -> tuple[int, dict[bytes, bytes], bytes]:
        outer = self._request.scope
        headers = [(name, value) for name, value in outer["headers"] if name in CARRIED]
        if self._token is not None:
            headers = [pair for pair in headers if pair[0] != b"authorization"]
            headers.append((b"authorization", f"Bearer {self._token}".encode()))
        if body is not None:
            headers += [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        kept = {name: outer[name] for name in ("type", "asgi", "http_version", "scheme", "server", "client")}
        scope = kept | {
            "method": method,
            "root_path": "",
            "path": address,
            "raw_path": address.encode(),
            "query_string": query.encode(),
            "headers": headers,
            "state": {},
        }
        said = iter([{"type": "http.request", "body": body or b"", "more_body": False}])
        status, answered, parts = 0, {}, []

        async def receive() -> Message:
            if (message := next(said, None)) is not None:
                return message
            await asyncio.Event().wait()  # the caller is there for as long as we are not cancelled
            raise AssertionError

        async def send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                answered.update(message["headers"])
            else:
                parts.append(message.get("body", b""))

        await self._request.app(scope, receive, send)
        return status, answered, b"".join(parts)


def _text(value: object) -> str:
    return ("false", "true")[value] if isinstance(value, bool) else str(value)


class Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of a tool; a field's description is for the model."""


class ToolFailed(Exception):
    """A call that cannot be answered as asked: the sentence, and what else a program may want to know."""

    def __init__(self, reason: str, **more: Any) -> None:
        super().__init__(reason)
        self.more = more


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a tool, and the server that is asked."""

    request: Request
    parts: ServerParts
    players: Players
    owner: str  # the session or the token by which a player is found; "": by its handle alone
    token: str | None  # as it was sent
    address: str

    @property
    def api(self) -> OwnApi:
        return OwnApi(self.request)


@dataclass(frozen=True, slots=True)
class Answer:
    """`value` is a struct or a dictionary for programs, `text` the same for a reader."""

    value: Any
    text: str


Run = Callable[[Caller, Any], Awaitable[Answer]]


@dataclass(frozen=True)
class Tool:
    """One tool, as `tools/list` has it."""

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    answer: type[msgspec.Struct]
    run: Run
    reads: bool  # changes nothing
    destroys: bool = False  # gives something up for good
    repeats: bool = False  # to call it twice changes no more than once

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        return schema_of(self.arguments)

    @cached_property
    def output_schema(self) -> dict[str, Any]:
        return schema_of(self.answer)

    def read(self, arguments: Any) -> Arguments:
        """The arguments. Raises BadOption, naming what does not fit."""
        given = {} if arguments is None else arguments
        try:
            return msgspec.convert(given, self.arguments)
        except (msgspec.ValidationError, RecursionError, UnicodeError) as error:
            found = None if isinstance(error, RecursionError) else mismatch(given, self.arguments)
            raise BadOption(f"{self.name}: {_words(found, error)}") from None


def _words(found: Mismatch | None, error: Exception) -> str:
    if found is None:
        return sentence(error)
    words = str(found).replace("the body", "the arguments")
    return f"{words}; {found.remedy}" if found.remedy else words


def schema_of(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """JSON Schema with an object at its root, as the protocol wants it."""
    schema = msgspec.json.schema(kind)
    definitions = schema.pop("$defs")
    root = definitions.pop(schema["$ref"].rpartition("/")[2])
    if definitions:
        root["$defs"] = definitions
    if not root.get("required"):
        root.pop("required", None)
    return dict(root)


class Toolbox:
    """Tools by name, in order."""

    def __init__(self) -> None:
        self.tools: dict[str, Tool] = {}

    def add(
        self,
        arguments: type[Arguments],
        answer: type[msgspec.Struct],
        title: str,
        *,
        reads: bool = False,
        destroys: bool = False,
        repeats: bool = False,
    ) -> Callable[[Run], Run]:
        """Let the function that follows be a tool of its own name; its docstring is what a model reads."""

        def register(run: Run) -> Run:
            name: str = getattr(run, "__name__")  # noqa: B009  # a Callable has none, for mypy
            words = " ".join((run.__doc__ or "").split())
            self.tools[name] = Tool(
                name, title, words, arguments, answer, run, reads=reads, destroys=destroys, repeats=repeats or reads
            )
            return run

        return register
