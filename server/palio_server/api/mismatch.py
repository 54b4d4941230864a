"""Where a value first differs from the type it should have: the place, what is wanted there, and what came."""

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from msgspec import inspect

from palio_rules.contract.names import NAME_PATTERN, no_name
from palio_rules.errors import nearest, quoted


class Mismatch(NamedTuple):
    """`str()` is the sentence; `key` is the first step of the way there, if there is any."""

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
    """The first place in `value`, as decoded from JSON, that a `kind` cannot have there; None if it is one.

    >>> print(mismatch(["ann", 7], list[str]))
    [1]: a text is wanted, got 7
    """
    return next(_in(value, inspect.type_info(kind), ()), None)


_WORDS: dict[type[inspect.Type], tuple[str, type | tuple[type, ...]]] = {  # how we call it, what JSON has for it
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
    """Nothing if one of `kinds` takes `value`, else what the one that it is most like says."""
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
    _, json = _WORDS[type(kind)]
    return isinstance(value, json) and isinstance(value, bool) == isinstance(kind, inspect.BoolType)


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
