"""Bugs to be planted into the product, for as long as a context lasts: what the simulation is judged by.

Each is an edit of the product's own text. The functions that differ get the code of the edited text, wherever they are
used; so nothing in the product knows of any of this.
"""

import importlib
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

PACKAGES = ("palio_rules", "palio_db", "palio_server", "palio_clients")


class NotThere(Exception):
    """The text to edit no longer exists: the bug must be planted in another way."""


@dataclass(frozen=True, slots=True)
class Edit:
    """`old` becomes `new` in the text of a module."""

    module: str
    old: str
    new: str


class Bug:
    """`what` is wrong then, in a sentence."""

    def __init__(self, name: str, what: str, *edits: Edit) -> None:
        self.name, self.what, self.edits = name, what, edits


@contextmanager
def planted(bug: Bug) -> Iterator[None]:
    """The product with this bug. Raises NotThere if its text has changed since."""
    undone: list[Any] = []
    try:
        for name in dict.fromkeys(edit.module for edit in bug.edits):
            _edit(importlib.import_module(name), [edit for edit in bug.edits if edit.module == name], undone)
        yield
    finally:
        for undo in reversed(undone):
            undo()


def _edit(module: ModuleType, edits: list[Edit], undone: list[Any]) -> None:
    text = inspect.getsource(module)
    for edit in edits:
        if edit.old not in text:
            raise NotThere(f"{edit.module} has no {edit.old!r}")
        text = text.replace(edit.old, edit.new)
    edited = ModuleType(module.__name__)
    edited.__dict__.update(__file__=module.__file__, __package__=module.__package__)
    sys.modules[module.__name__], usual = edited, module
    try:
        exec(compile(text, str(module.__file__), "exec"), edited.__dict__)  # the product's own text
    finally:
        sys.modules[module.__name__] = usual
    _take(module, edited, module.__name__, undone)


def _take(usual: Any, edited: Any, name: str, undone: list[Any]) -> None:
    """Give what differs to the usual functions, classes and constants."""
    for key, new in list(vars(edited).items()):
        old = vars(usual).get(key)
        if isinstance(new, FunctionType) and isinstance(old, FunctionType):
            _take_code(old, new, undone)
        elif inspect.isclass(new) and inspect.isclass(old) and new.__module__ == name:
            _take(old, new, name, undone)
        elif isinstance(usual, ModuleType) and type(new).__name__ == "Sql" and new != old:
            _replace(old, new, undone)


def _take_code(old: FunctionType, new: FunctionType, undone: list[Any]) -> None:
    while hasattr(old, "__wrapped__") and hasattr(new, "__wrapped__"):
        old, new = old.__wrapped__, new.__wrapped__  # type: ignore[assignment]
    former: CodeType = old.__code__
    if former != new.__code__:
        undone.append(lambda: setattr(old, "__code__", former))
        old.__code__ = new.__code__


def _replace(old: Any, new: Any, undone: list[Any]) -> None:
    """A constant, in every module that has imported it."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in PACKAGES:
            for key in [key for key, value in vars(module).items() if value is old]:
                undone.append(lambda module=module, key=key: setattr(module, key, old))
                setattr(module, key, new)
