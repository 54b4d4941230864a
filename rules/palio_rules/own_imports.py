"""What a student's files import by the name of a standard module, when they have a module of that name themselves.

In a course, `python hw.py` finds `random.py` beside `hw.py` before the standard library's. Here that file is found too,
but only by imports in the student's own files: Python's, Palio's and those of installed packages find what they always
do. A student's module is therefore kept under another name in `sys.modules`.
"""

import builtins
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from palio_rules.interpreter import OURS

PREFIX = "own_"  # `own_random` in `sys.modules`
# Loaded before Python runs the first line of any program: no file shadows them in a course either.
_AT_START = frozenset(sys.builtin_module_names) | {
    *("abc", "codecs", "encodings", "genericpath", "importlib", "io", "ntpath", "os", "posixpath", "runpy", "site"),
    *("stat", "zipimport"),
}


class OwnImports(MetaPathFinder):
    """The imports of the files below `root`, as far as they name a module there that is called as a standard one."""

    def __init__(self, root: Path, libraries: frozenset[str]) -> None:
        self._root = str(root)
        names = {each.stem for each in root.glob("*.py")} | {each.parent.name for each in root.glob("*/__init__.py")}
        self._names = names & (sys.stdlib_module_names | libraries) - _AT_START - OURS
        self._import = builtins.__import__

    def start(self) -> None:
        """Look at every import from now on; not at all where no module has such a name."""
        if self._names:
            sys.meta_path.insert(0, self)
            builtins.__import__ = self._imported

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        name = fullname.removeprefix(PREFIX)
        if path is not None or name == fullname or name not in self._names:
            return None
        found = PathFinder.find_spec(name, [self._root], target)
        if found is None or found.origin is None:
            return None
        inside = found.submodule_search_locations
        return spec_from_file_location(fullname, found.origin, submodule_search_locations=inside)

    def _imported(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,  # noqa: A002  # as Python calls it
        locals: Mapping[str, Any] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        if not level and name.partition(".")[0] in self._names and self._is_own(globals or {}):
            name = PREFIX + name
        return self._import(name, globals, locals, fromlist or (), level)

    def _is_own(self, importing: Mapping[str, Any]) -> bool:
        """Whether the module with these names is a file below the root, and neither ours nor an installed one."""
        file = str(importing.get("__file__") or "")
        if not file.startswith(f"{self._root}{os.sep}") or str(importing.get("__name__")).partition(".")[0] in OURS:
            return False
        below = file[len(self._root) :]
        return not any(folder in below for folder in ("/site-packages/", "/dist-packages/", "/lib/python"))
