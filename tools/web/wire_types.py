"""Write `server/palio_server/web/types/wire.d.ts`: what the server sends to the page, as TypeScript's checker reads it.

    python tools/web/wire_types.py

The types come from the structs that write the JSON, so that a field which is renamed there is a mistake here. All
fields of an answer are there, but those that may be unset; a request may leave out what has a default.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import inspect

from palio_rules.contract import endpoints
from palio_server import live
from palio_server.api.answers import ErrorAnswer
from palio_server.api.app import OPERATIONS
from palio_server.api.bodies import Body
from palio_server.api.operations import Operation

FILE = Path(__file__).parents[2] / "server" / "palio_server" / "web" / "types" / "wire.d.ts"

UNIONS = {
    "MatchMessage": live.MatchSnapshot
    | live.Started
    | live.Played
    | live.Rejected
    | live.Absent
    | live.Back
    | live.Finished
    | live.Analysed
    | live.Viewers,
    "LobbyMessage": live.LobbySnapshot | live.LobbyUpdate,
}
LINKED = ("get_record", "export_tournament")  # operations whose answers the page only links to


Fields = inspect.StructType | inspect.DataclassType

_PLAIN = {
    inspect.AnyType: "unknown",
    inspect.BoolType: "boolean",
    inspect.DateTimeType: "string",
    inspect.FloatType: "number",
    inspect.IntType: "number",
    inspect.NoneType: "null",
    inspect.StrType: "string",
}


def wire_types() -> str:
    """The whole file."""
    asked = [each for each in OPERATIONS if each.endpoint.__name__ not in LINKED]
    unions = {name: inspect.type_info(union) for name, union in UNIONS.items()}
    bodies = [operation.body for operation in asked if operation.body is not None]
    structs: dict[str, Fields] = {}
    for kind in (*unions.values(), *map(inspect.type_info, (ErrorAnswer, *(each.answer for each in asked), *bodies))):
        _collect(kind, structs)
    requests = [body for body in bodies if issubclass(body, Body)]
    parts = ["// Written by tools/web/wire_types.py from the structs that write the JSON; do not edit."]
    parts += [_interface(structs[name], request=structs[name].cls in requests) for name in sorted(structs)]
    parts += [f"export type {name} = {_written(union)};" for name, union in unions.items()]
    parts.append("/** What GET answers, by the path below api/. */\n" + _answers("Answer", "GET", asked))
    parts.append("/** What POST answers, by the path below api/. */\n" + _answers("Posted", "POST", asked))
    return "\n\n".join(parts) + "\n"


def _answers(name: str, method: str, operations: Iterable[Operation]) -> str:
    """A type function from paths to answers; longer paths first, as `${string}` takes slashes too."""
    found = {_pattern(operation): operation.answer for operation in operations if operation.method == method}
    cases = {pattern: _written(inspect.type_info(answer)) for pattern, answer in found.items()}
    lines = [f"  Path extends {pattern} ? {cases[pattern]} :" for pattern in sorted(cases, key=_depth)]
    return "\n".join([f"export type {name}<Path extends string> =", *lines, "  unknown;"])


def _pattern(operation: Operation) -> str:
    path = re.sub(r"\{\w+\}", "${string}", operation.path.removeprefix(f"{endpoints.API}/"))
    has_query = operation.path.count("{") < len(operation.parameters.__struct_fields__)
    return f"`{path}`" + (f" | `{path}?${{string}}`" if has_query else "")


def _depth(pattern: str) -> tuple[int, str]:
    return -pattern.partition(" ")[0].count("/"), pattern


def _collect(kind: inspect.Type, found: dict[str, Fields]) -> None:
    """Put every struct in `kind` into `found`, by name."""
    if isinstance(kind, Fields):
        name = kind.cls.__name__
        if name in found:
            if found[name].cls is not kind.cls:
                raise ValueError(f"two structs are named {name}: {found[name].cls} and {kind.cls}")
            return
        found[name] = kind
    for part in _parts(kind):
        _collect(part, found)


def _parts(kind: inspect.Type) -> Iterable[inspect.Type]:
    match kind:
        case inspect.StructType() | inspect.DataclassType():
            return [field.type for field in kind.fields]
        case inspect.Metadata():
            return [kind.type]
        case inspect.UnionType():
            return kind.types
        case inspect.ListType() | inspect.VarTupleType():
            return [kind.item_type]
        case inspect.TupleType():
            return kind.item_types
        case inspect.DictType():
            return [kind.value_type]
    return []


def _interface(kind: Fields, *, request: bool) -> str:
    name = kind.cls.__name__
    doc = (kind.cls.__doc__ or "").strip().partition("\n")[0]
    head = f"/** {doc} */\n" if doc else ""
    if isinstance(kind, inspect.DataclassType):
        lines = [f"  {field.encode_name}: {_written(field.type)};" for field in kind.fields]
        return "\n".join([f"{head}export interface {name} {{", *lines, "}"])
    if kind.array_like:
        parts = [f"{field.encode_name}: {_written(field.type)}" for field in kind.fields]
        return f"{head}export type {name} = [{', '.join(parts)}];"
    lines = [f'  {kind.tag_field}: "{kind.tag}";'] if kind.tag_field else []
    unset = {field.encode_name for field in msgspec.structs.fields(kind.cls) if field.default is msgspec.UNSET}
    for field in kind.fields:
        left_out = field.encode_name in unset or (request and not field.required)
        lines.append(f"  {field.encode_name}{'?' if left_out else ''}: {_written(field.type)};")
    return "\n".join([f"{head}export interface {name} {{", *lines, "}"])


def _written(kind: inspect.Type) -> str:
    match kind:
        case inspect.StructType() | inspect.DataclassType():
            return kind.cls.__name__
        case inspect.Metadata():
            return _written(kind.type)
        case inspect.UnionType():
            return " | ".join(dict.fromkeys(map(_written, kind.types)))  # int and float are one there
        case inspect.LiteralType():
            return " | ".join(msgspec.json.encode(value).decode() for value in kind.values)
        case inspect.ListType() | inspect.VarTupleType():
            return f"{_grouped(kind.item_type)}[]"
        case inspect.TupleType():
            return f"[{', '.join(map(_written, kind.item_types))}]"
        case inspect.DictType():
            return f"Record<string, {_written(kind.value_type)}>"
    return _PLAIN[type(kind)]


def _grouped(kind: inspect.Type) -> str:
    written = _written(kind)
    return f"({written})" if " | " in written else written


def main() -> None:
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(wire_types())


if __name__ == "__main__":
    main()
