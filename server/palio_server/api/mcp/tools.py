"""What a tool is: a name, words for a model, arguments as a struct, and a function that answers. No protocol."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
from starlette.requests import Request

from palio_rules.errors import BadOption, sentence
from palio_server.api.mcp.own_api import OwnApi
from palio_server.api.mcp.players import Players
from palio_server.api.mismatch import Mismatch, mismatch
from palio_server.parts import ServerParts


class Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of a tool; a field's description is for the model."""


class ToolFailed(Exception):
    """A call that cannot be answered as asked: the sentence, and what else a program may want to know."""

    def __init__(self, reason: str, **more: Any) -> None:
        super().__init__(reason)
        self.more = more


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls a tool, and the server that is asked."""

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
    """`value` is a struct or a dictionary for programs, `text` the same for whoever reads."""

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
