"""An author's Python file, run as a module: for bots and games that are one file and no package."""

import importlib
import importlib.util
import os
import re
import sys
import sysconfig
import traceback
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from palio_rules.errors import BadOption, quoted
from palio_rules.extras import missing_part
from palio_rules.interpreter import OURS
from palio_rules.own_imports import OwnImports


def module_of_file(path: Path, kind: str) -> ModuleType:
    """Run the file at `path` as a module of a name of its own, so that neither its names nor ours shadow the other's.

    `kind` begins that name: "palio_bot". Files beside it can be imported. Raises BadOption, with the line that fails.
    """
    path = existing(path)
    name = f"{kind}_{re.sub(r'[^0-9A-Za-z_]', '_', path.stem)}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BadOption(f"{path.name} is no Python file; rename it to end in .py")
    _look_beside(path)
    return _run(spec, path)


def module_by_import(path: Path, kind: str) -> ModuleType:
    """The same, but what imports the file by its own name gets this very module, wherever nothing shadows it.

    A bot that says `from mygame import Nim` then means the class that the referee plays by. Raises BadOption.
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
    """`path`, absolute. Raises BadOption where there is no such file."""
    if not os.path.isfile(path):  # noqa: PTH113  # False where a name is too long to be one
        raise BadOption(f"there is no file {quoted(str(path), 300)}; check the path (here is {Path.cwd()})")
    return path.resolve()


# What our own processes import while an author's folder is on the path, some of it only when it is needed.
LIBRARIES = frozenset(
    ("aiomqtt", "click", "llvmlite", "msgspec", "numba", "numpy", "paho", "rich", "uvloop", "websockets")
)


class _OwnFirst(MetaPathFinder):
    """Finds what Palio itself imports where it is installed, whatever files of that name an author has."""

    def __init__(self) -> None:
        self.folders: set[str] = set()  # of authors

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is not None or fullname not in OURS | LIBRARIES:
            return None
        return PathFinder.find_spec(fullname, [entry for entry in sys.path if entry not in self.folders], target)


_own_first = _OwnFirst()


def look_in(*folders: Path) -> None:
    """Let files import those in `folders`, which come after the standard library and before installed packages.

    What Palio itself imports comes before them, too: a `websockets.py` beside a bot is not ours.
    """
    if _own_first not in sys.meta_path:
        sys.meta_path.insert(0, _own_first)
    _own_first.folders.update(map(str, folders))
    library = {sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib")}
    places = [i for i, entry in enumerate(sys.path) if entry in library or entry.endswith("lib-dynload")]
    after = max(places, default=-1) + 1
    sys.path[after:after] = [str(folder) for folder in folders]


def look_in_first(root: Path) -> None:
    """Let the files below `root` find each other before standard modules of the same names, as `python file.py` does.

    Python itself, Palio and installed packages do not see them. Call it once, in a process that runs one file.
    """
    OwnImports(root, LIBRARIES).start()


def place(error: BaseException, path: str) -> str:
    """What went wrong, and in which line of the author's file."""
    text = (missing_part(error) if isinstance(error, ImportError) else None) or f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError):
        return text.splitlines()[0]
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    return f"line {lines[-1]}: {text}" if lines else text


def _look_beside(path: Path) -> None:
    if str(path.parent) not in sys.path:
        look_in(path.parent)


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
            told += f"; is it installed in {sys.prefix}?"  # there may be many Pythons on this machine
        raise BadOption(f"{path.name} cannot be loaded: {told}") from error
    return module
