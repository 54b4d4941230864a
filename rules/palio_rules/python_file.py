"""An author's Python file, run as a module: for bots and games that are one file and not a package."""

import ast
import builtins
import importlib
import importlib.util
import os
import re
import sys
import sysconfig
import traceback
import warnings
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from palio_rules.errors import BadOption, quoted
from palio_rules.extras import missing_part
from palio_rules.interpreter import OURS

# Imports of a student's own modules that have the name of a standard module.
#
# In a course, `python hw.py` finds `random.py` beside `hw.py` before the standard library's. Palio finds that file too,
# but only for imports in the student's own files: Python, Palio and installed packages still import the standard
# module. A student's module is therefore stored under another name in `sys.modules`.

PREFIX = "own_"  # `own_random` in `sys.modules`
# Loaded before Python runs the first line of any program: no file shadows these in a course either.
_AT_START = frozenset(sys.builtin_module_names) | {
    *("abc", "codecs", "encodings", "genericpath", "importlib", "io", "ntpath", "os", "posixpath", "runpy", "site"),
    *("stat", "zipimport"),
}


class OwnImports(MetaPathFinder):
    """An import hook for the files below `root`, which finds modules there that have the name of a standard module."""

    def __init__(self, root: Path, libraries: frozenset[str]) -> None:
        self._root = str(root)
        names = {each.stem for each in root.glob("*.py")} | {each.parent.name for each in root.glob("*/__init__.py")}
        self._names = names & (sys.stdlib_module_names | libraries) - _AT_START - OURS
        self._import = builtins.__import__

    def start(self) -> None:
        """Install the hook, unless no module below `root` has such a name."""
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
        """Return whether a module, given by its globals, is a file below the root, not Palio's and not installed."""
        file = str(importing.get("__file__") or "")
        if not file.startswith(f"{self._root}{os.sep}") or str(importing.get("__name__")).partition(".")[0] in OURS:
            return False
        below = file[len(self._root) :]
        return not any(folder in below for folder in ("/site-packages/", "/dist-packages/", "/lib/python"))


def module_of_file(path: Path, kind: str) -> ModuleType:
    """Run the file at `path` as a module with a unique name, so that its names and Palio's do not shadow each other.

    `kind` is the prefix of that name: "palio_bot". Files beside it can be imported. Raises BadOption, with the line
    that fails.
    """
    path = existing(path)
    name = f"{kind}_{re.sub(r'[^0-9A-Za-z_]', '_', path.stem)}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BadOption(f"{path.name} is no Python file; rename it to end in .py")
    _look_beside(path)
    return _run(spec, path)


def module_by_import(path: Path, kind: str) -> ModuleType:
    """Run the file at `path` so that an import of it by its own name gets the same module, unless another shadows it.

    A bot that says `from mygame import Nim` then uses the class that the referee plays by. Raises BadOption.
    """
    path = existing(path)
    _look_beside(path)
    try:
        found = importlib.util.find_spec(path.stem) if path.stem.isidentifier() else None
    except (ImportError, ValueError):
        found = None
    if found is None or found.loader is None or found.origin is None or Path(found.origin).resolve() != path:
        return module_of_file(path, kind)
    return sys.modules.get(path.stem) or _run(found, path)


def existing(path: Path) -> Path:
    """Return `path`, absolute. Raises BadOption if there is no such file."""
    if os.path.isdir(path):  # noqa: PTH112  # as below
        raise BadOption(f"{quoted(str(path), 300)} is a folder; name a file in it: {path / 'mine.py'}")
    if not os.path.isfile(path):  # noqa: PTH113  # False where a name is too long to be one
        raise BadOption(f"there is no file {quoted(str(path), 300)}; check the path (here is {Path.cwd()})")
    return path.resolve()


# Palio's own imports while an author's folder is on the path, some of them late.
LIBRARIES = frozenset(
    ("aiomqtt", "click", "llvmlite", "msgspec", "numba", "numpy", "paho", "rich", "uvloop", "websockets")
)


class _PalioFirst(MetaPathFinder):
    """An import hook that finds Palio's own imports where they are installed, before an author's files of that name."""

    def __init__(self) -> None:
        self.folders: set[str] = set()  # of authors

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is not None or fullname not in OURS | LIBRARIES:
            return None
        return PathFinder.find_spec(fullname, [entry for entry in sys.path if entry not in self.folders], target)


_own_first = _PalioFirst()


def add_import_folders(*folders: Path) -> None:
    """Let files import modules in `folders`, which come after the standard library and before installed packages.

    Palio's own imports come before them, too: Palio never imports a `websockets.py` beside a bot.
    """
    if _own_first not in sys.meta_path:
        sys.meta_path.insert(0, _own_first)
    _own_first.folders.update(map(str, folders))
    library = {sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib")}
    places = [i for i, entry in enumerate(sys.path) if entry in library or entry.endswith("lib-dynload")]
    after = max(places, default=-1) + 1
    sys.path[after:after] = [str(folder) for folder in folders]


def prefer_own_modules(root: Path) -> None:
    """Let files below `root` import each other before standard modules of the same names, as `python file.py` does.

    Python, Palio and installed packages do not see them. Call it once, in a process that runs one file.
    """
    OwnImports(root, LIBRARIES).start()


def place(error: BaseException, path: str) -> str:
    """Return the error and its line in the author's file."""
    text = (missing_part(error) if isinstance(error, ImportError) else None) or f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError):
        return text.splitlines()[0]
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    return f"line {lines[-1]}: {text}" if lines else text


def _look_beside(path: Path) -> None:
    if str(path.parent) not in sys.path:
        add_import_folders(path.parent)


def _run(spec: ModuleSpec, path: Path) -> ModuleType:
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[spec.name]
        told = place(error, str(path))
        if isinstance(error, ModuleNotFoundError) and missing_part(error) is None:
            told += f"; is it installed in {sys.prefix}?"  # this machine may have many Pythons
        raise BadOption(f"{path.name} cannot be loaded: {told}") from error
    return module


PACKAGE = "__init__.py"  # a folder that has this file is a package


def parsed(path: Path) -> ast.Module | None:
    """Return the syntax tree of a file; None if it is not Python, or cannot be read."""
    try:
        return parsed_text(path.read_bytes())
    except OSError:
        return None


def parsed_text(text: str | bytes) -> ast.Module | None:
    """Return the syntax tree of a text; None if it is not Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # do not report the author's stray backslashes
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
