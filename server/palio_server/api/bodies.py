"""What is wrong with the body of a request, in a sentence: the place, what came there, and what to write instead."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar, get_args

import msgspec

from palio_rules.errors import nearest, quoted

_TOLD = re.compile(r"(?P<fault>.*?)(?: - at (?P<key>`key` in )?`\$(?P<path>[^`]*)`)?", re.DOTALL)
_EXPECTED = re.compile(r"Expected `(?P<types>[^`]*)`(?P<rest>.*?)(?:, got `[^`]*`)?", re.DOTALL)
_FIELD = re.compile(r"Object (?P<fault>contains unknown|missing required) field `(?P<name>.*)`", re.DOTALL)
_STEP = re.compile(r"\.(?P<name>[^.\[]+)|\[(?P<index>\d+)\]|(?P<lost>\[\.\.\.\])")
_WORDS = {
    "array": "a list",
    "object": "an object",
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "null",
}


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


def complaint(error: msgspec.ValidationError, body: object, kind: type[msgspec.Struct]) -> str:
    """The sentence about `body`, which cannot be converted to a `kind`.

    >>> try:
    ...     msgspec.convert({"reason": 5}, kind := msgspec.defstruct("Stop", [("reason", str)]))
    ... except msgspec.ValidationError as error:
    ...     print(complaint(error, {"reason": 5}, kind))
    reason: a text is wanted, got 5; write one as /api/docs describes it
    """
    told = _TOLD.fullmatch(str(error))
    assert told is not None  # it matches any text
    path = (told["path"] or "").lstrip(".")
    write: Mapping[str, str] = getattr(kind, "WRITE", {})
    if (field := _FIELD.fullmatch(told["fault"])) and field["fault"].startswith("missing"):
        place = f"{path}.{field['name']}" if path else field["name"]
        return _joined(f"{place} is missing", "" if path else write.get(field["name"], ""))
    remedy = write.get(re.split(r"[.\[]", path, maxsplit=1)[0], "one as /api/docs describes it")
    if field:
        return f"{path}: unknown key {quoted(field['name'])}; {nearest(field['name'], _keys(kind, path))}"
    wanted = _EXPECTED.fullmatch(told["fault"])
    place = path or "the body"
    if wanted is None:
        return _joined(f"{place}: {told['fault'][:1].lower()}{told['fault'][1:]}", remedy)
    types = [_WORDS.get(name, name) for name in wanted["types"].split(" | ") if name != "null" or path == ""]
    found = _at(body, told["path"] or "")
    literal = {None: "null", True: "true", False: "false"}.get(found) if isinstance(found, bool | None) else None
    got = "" if told["key"] or found is _LOST else f", got {literal or quoted(found)}"
    return _joined(f"{place}: {' or '.join(types)}{wanted['rest']} is wanted{got}", remedy)


def _joined(fault: str, remedy: str) -> str:
    return f"{fault}; write {remedy}" if remedy else fault


_LOST = object()


def _at(body: Any, path: str) -> Any:
    """The value at a path like `.bots[1]`; `_LOST` if the path does not tell, or leads nowhere."""
    for step in _STEP.finditer(path):
        try:
            body = body[step["name"] if step["name"] is not None else int(step["index"])]
        except (TypeError, LookupError):
            return _LOST
    return body


def _keys(kind: Any, path: str) -> list[str]:
    """The keys of the object at `path`, as far as structs go."""
    for step in _STEP.finditer(f".{path}"):
        fields = {} if kind is None else {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
        kind = _struct_in(fields.get(step["name"] or ""))
    return [] if kind is None else [field.encode_name for field in msgspec.structs.fields(kind)]


def _struct_in(kind: Any) -> Any:
    """The struct within a type, as in `TimeControl | None`; None if there is none."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind
    return next(filter(None, map(_struct_in, get_args(kind))), None)
