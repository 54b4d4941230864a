"""Missing imports of a student's file, found before it runs; and how to install them.

Only certain imports count: no import in a function, behind a condition, or in a `try` that handles its failure; and
none if `sys.path` is changed, because then it is unknown what is found.
"""

import ast
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from importlib.machinery import PathFinder
from pathlib import Path
from typing import NamedTuple

from palio_rules.python_file import PACKAGE, parsed

PIP = {  # modules whose distribution has another name
    "Crypto": "pycryptodome",
    "OpenGL": "PyOpenGL",
    "PIL": "pillow",
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "guppy": "guppy3",
    "heapy": "guppy3",
    "igraph": "python-igraph",
    "IPython": "ipython",
    "line_profiler": "line-profiler",
    "memory_profiler": "memory-profiler",
    "mpl_toolkits": "matplotlib",
    "pkg_resources": "setuptools",
    "pylab": "matplotlib",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "stopit": "stopit",
    "timeout_decorator": "timeout-decorator",
    "typing_extensions": "typing-extensions",
    "wrapt_timeout_decorator": "wrapt-timeout-decorator",
    "yaml": "pyyaml",
}
KNOWN = frozenset(  # distributions with the name of their module
    """
    colorama cython func_timeout gym gymnasium hypothesis joblib jax keras matplotlib more_itertools mypy networkx
    nltk nose numba numexpr numpy ortools pandas plotly psutil pulp pydot pygame pympler pytest requests rich scipy
    seaborn simpy sortedcontainers statsmodels sympy tabulate tensorflow termcolor torch torchvision tqdm xgboost
    """.split()  # noqa: SIM905  # a list of words reads better than a list of strings
)
_FAILURES = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}


class _Unknowable(Exception):  # not an error: there is no answer
    """The sign that the import path is changed."""


_PYTHON_2 = re.compile(
    r"""\s*(?:print\s+["'\w]|print$|exec\s+["'\w]|except\s+[\w.]+\s*,\s*\w+\s*:|raise\s+\w+\s*,\s*["'\w])"""
)


class Missing(NamedTuple):
    """A missing module, and the file that imports it."""

    name: str
    path: Path
    line: int


class ImportPath(NamedTuple):
    """The folders in which a student's files find modules. `package` is their own package in the first one, or ""."""

    folders: tuple[Path, ...]
    package: str = ""

    def place(self, path: Path, level: int, dotted: tuple[str, ...]) -> tuple[Path, tuple[str, ...]] | None:
        """Return where the file at `path` imports a module, and the module's name from there.

        Returns None if it is in none of the folders; dots lead out of none of them.
        """
        if level:
            base = path.parents[min(level, len(path.parents)) - 1]
            return (base, dotted) if any(base.is_relative_to(each) for each in self.folders) else None
        if self.package and dotted[0] == self.package:
            return self.folders[0], dotted[1:]
        return next(((each, dotted) for each in self.folders if is_module(each, dotted[0])), None)


def missing_imports(
    file: Path,
    trees: Iterable[ast.Module],
    places: ImportPath,
    *,
    program: bool = False,
    needing: Callable[[str], str] = lambda _: "",
) -> str:
    """Return a sentence about missing imports of `file`, with the remedy; "" if nothing is missing.

    `trees` are its syntax trees. `program`: the block below `if __name__ == "__main__":` runs, too. `needing` returns a
    better remedy for a module of that name, or "".
    """
    trees = list(trees)
    try:
        found = list(_missing(file, trees, places, program=program))
    except _Unknowable:
        return ""
    if not found:
        return ""
    unused = [each for each in found if each.path == file and _is_unused(each, trees)]
    if len(unused) == len(found):
        first = found[0]
        where = f"{first.path.name}, line {first.line} imports {first.name!r}"
        return f"{where}, which nothing in it uses and which is not installed in {sys.prefix}; delete line {first.line}"
    found = [each for each in found if each not in unused]
    first = found[0]
    beside = {path.stem for place in places.folders if place.is_dir() for path in place.glob("*.py")} - {PACKAGE[:-3]}
    said = f"{first.path.name}, line {first.line} imports {first.name!r}, which is not installed in {sys.prefix}"
    if len(found) > 1:
        said += f", nor is {' or '.join(repr(each.name) for each in found[1:])}"
    if not is_known(first.name):
        if instead := needing(first.name):
            return f"{said}; {instead}"
        if close := get_close_matches(first.name, beside, n=1):
            return f"{said}; did you mean {close[0]!r}?"
        said += f"; put {first.name}.py beside it"
        return f"{said}, or {install(found)}"
    return f"{said}; {install(found)}"


def is_python_2(line: str) -> bool:
    """Return whether a line that Python 3 cannot read is Python 2."""
    return _PYTHON_2.match(line) is not None


def _is_unused(missing: Missing, trees: Iterable[ast.Module]) -> bool:
    """Return whether no name that the import binds is read anywhere in the file. A star's names are not known."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    given = {
        (each.asname or each.name).partition(".")[0]
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for each in node.names
        if (node.module or "" if isinstance(node, ast.ImportFrom) else each.name).partition(".")[0] == missing.name
    }
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    read = {node.id for node in nodes if isinstance(node, ast.Name)}
    return "*" not in given and not given & read and not any(name in text for name in given for text in texts)


def install(found: Iterable[Missing]) -> str:
    """Return the command that installs modules."""
    return f"pip install {' '.join(dict.fromkeys(PIP.get(each.name, each.name) for each in found))}"


def is_known(name: str) -> bool:
    """Return whether the distribution of the module called `name` is known."""
    return name in PIP or name in KNOWN


def remedy(error: BaseException) -> str:
    """Return the command to type after a failed import; "" if it is unknown."""
    name = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if name in ("tkinter", "_tkinter"):  # of the standard library, but missing in some Pythons
        return "install Tk for this Python (Debian: apt install python3-tk)"
    return f"pip install {PIP.get(name, name)}" if is_known(name) else ""


def _missing(file: Path, trees: Iterable[ast.Module], places: ImportPath, *, program: bool) -> Iterator[Missing]:
    waiting: list[tuple[Path, ast.Module]] = [(file, tree) for tree in trees]
    seen: set[Path] = {file}
    told: set[str] = set()
    while waiting:
        path, tree = waiting.pop(0)
        if any(isinstance(node, ast.Attribute) and node.attr == "path" and _is_sys(node) for node in ast.walk(tree)):
            raise _Unknowable
        for node in _certain(tree.body, program=program and path == file):
            for level, dotted in imported(node):
                own = _own(path, level, dotted, places)
                for module in own or ():
                    if module not in seen and (below := parsed(module)) is not None:
                        seen.add(module)
                        waiting.append((module, below))
                if own is None and dotted[0] not in told and not is_installed(dotted[0]):
                    told.add(dotted[0])
                    yield Missing(dotted[0], path, node.lineno)


def _is_sys(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "sys"


def _certain(body: Iterable[ast.stmt], *, program: bool) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports that certainly run with the file."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.ClassDef | ast.With):
            yield from _certain(node.body, program=program)
        elif isinstance(node, ast.Try) and not any(map(_is_prepared, node.handlers)):
            yield from _certain([*node.body, *node.finalbody], program=program)
        elif program and isinstance(node, ast.If) and "__main__" in ast.dump(node.test):
            yield from _certain(node.body, program=program)


def _is_prepared(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or (isinstance(kind, ast.Name) and kind.id in _FAILURES) for kind in kinds)


def imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the modules that an import may load: for `from a import b` also a.b, which may be a module."""
    if isinstance(node, ast.Import):
        for each in node.names:
            yield 0, tuple(each.name.split("."))
    else:
        stem = tuple(node.module.split(".")) if node.module else ()
        for each in node.names:
            yield node.level, (*stem, each.name)


def _own(path: Path, level: int, dotted: tuple[str, ...], places: ImportPath) -> list[Path] | None:
    """Return the student's and the handout's files that an import loads; None if it imports other modules."""
    if not level and dotted[0] in sys.stdlib_module_names:
        return []
    found = places.place(path, level, dotted)
    return _files(*found) if found is not None else [] if level else None


def is_module(folder: Path, name: str) -> bool:
    """Return whether a folder has a module or a folder of modules called `name`."""
    return (folder / name).is_dir() or (folder / f"{name}.py").is_file()


def _files(place: Path, dotted: tuple[str, ...]) -> list[Path]:
    found = []
    for part in dotted:
        place /= part
        found += [each for each in (place / PACKAGE, place.with_name(f"{part}.py")) if each.is_file()]
    return found


def is_installed(name: str) -> bool:
    """Return whether an installed package has it; our own folder does not count, because the file runs elsewhere."""
    here = {"", str(Path.cwd())}
    path = [entry for entry in sys.path if entry not in here]
    try:
        for finder in sys.meta_path:
            look = PathFinder.find_spec if finder is PathFinder else getattr(finder, "find_spec", None)
            if look is not None and look(name, path if finder is PathFinder else None) is not None:
                return True
        return name in sys.modules and importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        return True  # in any case the import itself will report it
