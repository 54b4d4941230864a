"""A check that a student's code has not replaced parts of pytest, of this package, or of Python's builtins.

It notices what replaces a function, a class or a method, and code that was exchanged. It is no proof: code of a student
runs in the same process as its test.
"""

import builtins
import sys
from types import FunctionType, ModuleType
from typing import Any

WATCHED = ("_pytest", "pluggy", "pytest", "palio_clients.grading", "unittest")


class Unchanged:
    """The parts at the time of its creation."""

    def __init__(self) -> None:
        names = [name for name in sys.modules if name.split(".")[0] in WATCHED or name.startswith(WATCHED[3])]
        self._modules = {name: sys.modules[name] for name in names} | {"builtins": builtins}
        self._parts = self._now()

    def replaced(self) -> str:
        """Return the name of a part that is another one now; "" if there is none."""
        for name, module in self._modules.items():
            if sys.modules.get(name) is not module:
                return name
        now = self._now()
        return next((".".join(name) for name, part in self._parts.items() if now.get(name) != part), "")

    def _now(self) -> dict[tuple[str, ...], tuple[int, int]]:
        found: dict[tuple[str, ...], tuple[int, int]] = {}
        for name, module in self._modules.items():
            for key, value in _watched(module):
                found[name, key] = _identity(value)
                if isinstance(value, type) and value.__module__ == name:
                    for inner, part in list(vars(value).items()):
                        if callable(part) or isinstance(part, property | staticmethod | classmethod):
                            found[name, key, inner] = _identity(part)
        return found


def _watched(module: ModuleType) -> list[tuple[str, Any]]:
    return [(key, value) for key, value in list(vars(module).items()) if callable(value) and key != "_"]


def _identity(value: Any) -> tuple[int, int]:
    return id(value), id(value.__code__) if isinstance(value, FunctionType) else 0
