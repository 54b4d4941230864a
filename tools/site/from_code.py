"""Parts of the documentation that are made from the code: options, settings, the HTTP API, public names."""

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import click
import msgspec

from palio_rules.addons.encodings import encoding_of
from palio_rules.registry import game, game_from_spec, games
from palio_server.addons.transfer.tables import TABLES, columns_of
from palio_server.api.app import ABOUT, LICENSE, OPERATIONS
from palio_server.api.operations import document
from palio_server.cli.palio import palio
from palio_server.cli.serve import serve
from palio_server.sandbox.binds import KINDS as HIDDEN
from palio_server.settings import PREFIX, Settings


def options() -> str:
    """Each command with its usage, arguments and options, as `--help` prints them."""
    return "\n".join(_help_of(palio, "palio"))


def _help_of(command: click.Command, path: str) -> Iterator[str]:
    context = click.Context(command, info_name=path)
    if not isinstance(command, click.Group):
        yield f"### {path}\n\n```text\n{command.get_help(context).rstrip()}\n```\n"
        return
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        if below is not None and not below.hidden:
            yield from _help_of(below, f"{path} {name}")


OPTIONS = {  # of `palio serve`, that are called otherwise than their settings
    "anchor": "anchors", "course": "courses", "forwarded_from": "proxies", "ladder_games": "games", "origin": "origins",
}  # fmt: skip


def settings() -> str:
    """The environment variables of a server, with their defaults, and what their options' help says."""
    said = {str(option.name): getattr(option, "help", "") or "" for option in serve.params}
    rows = ["| variable | default | what it is |", "|---|---|---|"]
    for field in msgspec.structs.fields(Settings):
        default = {True: "true", False: "false", None: ""}.get(field.default, field.default)
        about = said.get(OPTIONS.get(field.name, field.name), "").replace("|", "\\|")
        rows.append(f"| `{PREFIX}{field.name.upper()}` | {f'`{default}`' if default != '' else ''} | {about} |")
    return "\n".join(rows)


def operations() -> str:
    """The operations of the HTTP API, then the values that they take and give."""
    described = document(OPERATIONS, "/", title="Palio", version="", description=ABOUT, license=LICENSE)
    parts = []
    for path, methods in described["paths"].items():
        for method, each in methods.items():
            parts.append("\n".join(_operation(f"{method.upper()} {path}", each)))
    parts.append("## Values\n\nWhat operations take and give.\n")
    for name, schema in sorted(described["components"]["schemas"].items()):
        parts.append("\n".join(_value(name, schema)))
    return "\n".join(parts)


def _operation(heading: str, each: dict[str, Any]) -> Iterator[str]:
    yield f"### `{heading}`\n\n{each.get('description') or each['summary']}\n"
    facts = [f"scope `{each['x-scope']}`"] if each.get("x-scope") else []
    body = each.get("requestBody", {}).get("content", {}).get("application/json")
    facts += [f"body {_type(body['schema'])}"] if body else []
    for status, answer in each["responses"].items():
        found = answer.get("content", {}).get("application/json")
        if status.startswith("2"):
            facts.append(f"answer {status}{' ' + _type(found['schema']) if found else ''}")
    said = "; ".join(facts)
    yield f"{said[:1].upper()}{said[1:]}.\n"
    if each.get("parameters"):
        yield "| parameter | in | type | what it is |\n|---|---|---|---|"
        for parameter in each["parameters"]:
            schema = parameter["schema"]
            yield f"| `{parameter['name']}` | {parameter['in']} | {_type(schema)} | {_about(schema)} |"
        yield ""


def _value(name: str, schema: dict[str, Any]) -> Iterator[str]:
    yield f"### {name}\n"
    if schema.get("description"):
        yield f"{schema['description']}\n"
    needed = schema.get("required", ())
    yield "| field | type | what it is |\n|---|---|---|"
    for field, kind in schema.get("properties", {}).items():
        yield f"| `{field}{'' if field in needed else '?'}` | {_type(kind)} | {_about(kind)} |"
    yield ""


def _type(schema: dict[str, Any]) -> str:
    """A schema in a few words; a value that has a name is linked."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"])
    match schema.get("type"):
        case "array":
            return f"list of {_type(schema['items'])}" if schema.get("items") else "list"
        case "object" if isinstance(schema.get("additionalProperties"), dict):
            return f"object of {_type(schema['additionalProperties'])}"
        case str() as kind:
            return kind
    return "any"


def _about(schema: dict[str, Any]) -> str:
    """The description of a value, its bounds and its default."""
    alternatives = [schema, *schema.get("anyOf", ())]
    said = [each["description"] for each in alternatives if "description" in each]
    bounds = [
        f"{word} {each[key]}"
        for each in alternatives
        for key, word in (("minimum", "from"), ("maximum", "to"), ("maxLength", "characters at most"))
        if key in each
    ]
    default = schema.get("default")
    usual = [f"default `{msgspec.json.encode(default).decode()}`"] if default not in (None, "", [], {}) else []
    return "; ".join([*said, *([" ".join(bounds)] if bounds else []), *usual]).replace("|", "\\|").replace("\n", " ")


def names_of(package: str) -> str:
    """A directive for each public name of a package, at the module that defines it."""
    door = import_module(package)
    modules = {name: str(getattr(getattr(door, name), "__module__", "")) for name in door.__all__}
    return "\n".join(f"::: {module}.{name}\n" for name, module in modules.items() if module.startswith("palio"))


def positions() -> str:
    """Return a table of the contents of each game's position: the paragraphs of its docstring."""
    rows = ["| game | |", "|---|---|"]
    for name in games():
        rules = game(name)
        kind = type(rules.start(rules.parse_options({})))
        told = " ".join((inspect.getdoc(kind) or "").split()).replace("|", "\\|")
        rows.append(f"| `{name}` | {told} |")
    return "\n".join(rows)


TYPES = {"texts": "list of texts", "ints": "list of ints", "floats": "list of floats", "json": "JSON"}


def columns() -> str:
    """Each table that is exported, with its columns."""
    parts = []
    for table in TABLES:
        rows = [f"| `{each.name}` | {TYPES.get(each.kind, each.kind)} | {each.about} |" for each in columns_of(table)]
        parts.append("\n".join([f"### {table}\n", "| column | type | meaning |", "|---|---|---|", *rows, ""]))
    return "\n".join(parts)


def planes() -> str:
    """The planes of each game's observations, from plane 0."""
    rows = ["| game | planes |", "|---|---|"]
    for name in games():
        told = enumerate(encoding_of(*game_from_spec(name)).planes)
        rows.append(f"| `{name}` | {'<br>'.join(f'{at}: {plane}' for at, plane in told)} |")
    return "\n".join(rows)


def hidden() -> str:
    """Return a table of the files that no bot may read in its own folder."""
    rows = ["| hidden | by the names | by what is in it |", "|---|---|---|"]
    for kind in HIDDEN:
        names = " ".join(f"`{each}`" for each in dict.fromkeys((*kind.names.split(), *kind.folders.split())))
        rows.append(f"| {kind.what} | {names} | {kind.contents} |")
    return "\n".join(rows)


MADE: dict[str, Callable[[], str]] = {
    "options": options,
    "settings": settings,
    "operations": operations,
    "columns": columns,
    "hidden files": hidden,
    "planes": planes,
    "contents of positions": positions,
    "names of palio": lambda: names_of("palio"),
    "names of palio plugins": lambda: names_of("palio.plugins"),
}
