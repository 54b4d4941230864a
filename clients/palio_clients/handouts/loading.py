"""A student's Python file or notebook as a module with a unique name, or run as a program; both in this process.

Either may import the files beside it and those of the handout.
"""

import ast
import importlib
import importlib.machinery
import importlib.util
import json
import linecache
import re
import runpy
import sys
import traceback
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from palio_clients.handouts.coursework import FAILED_CELLS, Unfit, name_of
from palio_clients.handouts.entering import Entry, package_name
from palio_rules.errors import quoted
from palio_rules.python_file import PACKAGE, add_import_folders, parsed_text, prefer_own_modules

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


# A notebook of a course as a module: its code cells run one after the other, as far as they define something.
#
# A cell that tries something out may fail: that is reported on stderr, and only costs the match if a definition of that
# cell is needed. Lines for the notebook's own shell (`%magic`, `!command`, `name?`) are left out.

NOTEBOOK = ".ipynb"
PYTHON_BELOW = ("time", "timeit", "capture", "prun", "memit", "python", "python3", "py")  # %%magics of Python cells
_SHELL = re.compile(
    r"(?P<indent>\s*)(?:(?P<name>[\w, ]+?)\s*=\s*)?[%!](?!=)"
    r"|(?P<help>\s*)\?\??[\w.]+\s*$|(?P<asked>\s*)[\w.]+\?\??\s*$"
)


class BadNotebook(ValueError):
    """A file that is not a notebook, or has nothing to run; str() is a sentence with the remedy."""


class NotebookCell(NamedTuple):
    """A code cell: its number among all of them, from 1, and its Python."""

    number: int
    source: str


def cells_of(path: Path) -> list[NotebookCell]:
    """Return the code cells of a notebook in nbformat 4 or 3. Raises BadNotebook."""
    try:
        value = json.loads(path.read_bytes())
    except json.JSONDecodeError as error:
        reason = "it is empty" if not path.stat().st_size else f"line {error.lineno}: {error.msg}"
        raise BadNotebook(f"{path.name} is no notebook: {reason}; save it in Jupyter again") from None
    except (ValueError, RecursionError) as error:
        raise BadNotebook(f"{path.name} is no notebook: {error}; save it in Jupyter again") from None
    found = [_source(path, number, cell) for number, cell in enumerate(_cells(path, value), start=1)]
    texts = [text for text in found if text is not None]
    cells = [NotebookCell(number, python_of(text)) for number, text in enumerate(texts, start=1)]
    if not any(tree is not None and tree.body for tree in map(tree_of, cells)):
        broken = f", of {len(cells)} none is Python" if cells else ""
        raise BadNotebook(f"{path.name} has no code cells that can run{broken}; write your functions into code cells")
    return cells


def python_of(source: str) -> str:
    """Return a cell without the notebook's own syntax; lines keep their numbers."""
    lines = source.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        if lines[first][2:].split(" ")[0].strip() not in PYTHON_BELOW:
            return ""
        lines[first] = ""
    text = "\n".join(lines)
    if parsed_text(text) is not None:
        return text  # a line of a text or of a sum may begin like that
    return "\n".join(map(_cleaned, lines))


def tree_of(cell: NotebookCell) -> ast.Module | None:
    """Return the syntax tree of a cell; None if it is not Python."""
    return parsed_text(cell.source)


def run(path: Path, module: ModuleType) -> list[str]:
    """Run the cells of the notebook at `path` in `module`; return a sentence about each cell that failed.

    After a failure the later definitions of a cell still run, because a course's cells define and try out in one cell.
    """
    module.__dict__.setdefault("display", print)
    failed = []
    for cell in cells_of(path):
        if (failure := _run(path, cell, module.__dict__)) is not None:
            failed.append(f"cell {cell.number} failed: {failure}")
            print(f"{path.name}, {failed[-1]}; the cells after it run all the same", file=sys.stderr)  # noqa: T201
    return failed


def _run(path: Path, cell: NotebookCell, names: dict[str, Any]) -> str | None:
    called = f"{path}[{cell.number}]"
    linecache.cache[called] = (len(cell.source), None, cell.source.splitlines(keepends=True), called)
    try:
        tree = ast.parse(cell.source, called)
    except SyntaxError as error:
        return f"line {error.lineno}: SyntaxError: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return f"{type(error).__name__}: {error}"
    failure = None
    for node in tree.body:
        if failure is not None and not _defines(node):
            continue
        try:
            exec(compile(ast.Module([node], []), called, "exec"), names)  # noqa: S102  # runs the student's code
        except (Exception, SystemExit) as error:  # noqa: BLE001  # its author reads it
            lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == called]
            said = f"line {lines[0] if lines else node.lineno}: {type(error).__name__}: {error}".rstrip(": ")
            failure = failure or said
    return failure


def _defines(node: ast.stmt) -> bool:
    """Return whether a statement only binds a name: `Board = list[list[str]]` does, a call does not."""
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return not any(isinstance(part, ast.Call) for part in ast.walk(node))
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom)


def _cells(path: Path, value: object) -> list[Any]:
    sheets = value.get("worksheets") if isinstance(value, dict) else None
    if isinstance(sheets, list) and sheets and isinstance(sheets[0], dict):  # nbformat 3
        value = {"cells": [cell for sheet in sheets if isinstance(sheet, dict) for cell in sheet.get("cells", [])]}
    if not isinstance(value, dict) or not isinstance(value.get("cells"), list):
        raise BadNotebook(f"{path.name} is no notebook: it has no list of cells; save it in Jupyter again")
    cells: list[Any] = value["cells"]
    return cells


def _source(path: Path, number: int, cell: object) -> str | None:
    """Return the text of a code cell; None for any other cell."""
    if not isinstance(cell, dict):
        raise BadNotebook(f"{path.name}: cell {number} is {quoted(cell)}, no cell; save it in Jupyter again")
    if cell.get("cell_type") != "code":
        return None
    match cell.get("source", cell.get("input", "")):
        case str(text):
            return text
        case list(lines) if all(isinstance(line, str) for line in lines):
            return "".join(lines)
    raise BadNotebook(f"{path.name}: the source of cell {number} is no text; save it in Jupyter again")


def _cleaned(line: str) -> str:
    found = _SHELL.match(line)
    if found is None:
        return line
    indent = found["indent"] or found["help"] or found["asked"] or ""
    return f"{indent}{found['name']} = None" if found["name"] else f"{indent}pass"


MAX_PRINTED = 1_000_000  # bytes


def load(entry: Entry, handout: Path) -> ModuleType:
    """Run the entry's file as a module. Its exceptions are raised here, except those of a notebook's cells.

    Imports are searched in the entry's folder and beside the file, then in the folder `handout`, and then among
    installed packages: a student's own `breakthrough.py` comes before ours, and a `random.py` before Python's, for the
    student's own files only. Files that import each other as a package, by `from .board import Board` or by
    `from team.board import Board`, are loaded as that package, for which Python's `random` comes first.
    """
    root, file = entry
    package = package_name(entry, handout) if file.suffix == ".py" else ""
    add_import_folders(*dict.fromkeys((root, file.parent)), handout)
    if package:
        names = _free(package), *entry.module
        _run_package(names[0], root)
    else:
        prefer_own_modules(root)
        names = (_free(entry.module[-1]),) if _is_taken(entry.module[0]) else entry.module
    if file.suffix == NOTEBOOK:
        return _notebook(names[-1], file)
    above = importlib.import_module(".".join(names[:-1])) if len(names) > 1 else None
    module = _executed(".".join(names), file)
    if above is not None:
        setattr(above, names[-1], module)
    return module


def _run_package(name: str, root: Path) -> None:
    """Make the package of the files in `root`, whether it has an `__init__.py` or not."""
    if (root / PACKAGE).is_file():
        _executed(name, root / PACKAGE)
        return
    spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = [str(root)]
    sys.modules[name] = importlib.util.module_from_spec(spec)


def _free(name: str) -> str:
    return f"coursework_{name}" if _is_taken(name) else name


def _is_taken(name: str) -> bool:
    return name in sys.modules or name in sys.stdlib_module_names


def _executed(name: str, file: Path) -> ModuleType:
    if name in sys.modules:  # a parent package has imported it
        return sys.modules[name]
    inside = [str(file.parent)] if file.name == PACKAGE else None
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=inside)
    if spec is None or spec.loader is None:
        raise Unfit(f"{file.name} is no Python file; rename it to end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _notebook(name: str, file: Path) -> ModuleType:
    """Return the cells of a notebook as a module, with the list of failed cells."""
    module = sys.modules[name] = ModuleType(name)
    module.__file__ = str(file)
    try:
        failed = run(file, module)
    except BadNotebook as error:
        raise Unfit(str(error)) from None
    setattr(module, FAILED_CELLS, failed)
    return module


class _Printed(BytesIO):
    """The program's output; it is copied to stderr for the author."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file

    def write(self, data: "ReadableBuffer") -> int:
        text = bytes(data)
        if self.tell() + len(text) > MAX_PRINTED:
            raise Unfit(f"{name_of(self._file)} prints more than {MAX_PRINTED} bytes")
        sys.stderr.write(text.decode("utf-8", "backslashreplace"))
        return super().write(text)


def printed(entry: Entry, handout: Path, *arguments: str) -> str:
    """Return the output of `python FILE arguments`, run in this process, so that the program ends with this process.

    Imports are searched as by `load`. Its exceptions are raised here; raises Unfit if it exits with an error status.
    """
    file = entry.file
    add_import_folders(*dict.fromkeys((file.parent, entry.root)), handout)
    prefer_own_modules(file.parent)
    sys.argv = [str(file), *arguments]
    caught = _Printed(file)
    stdout = TextIOWrapper(caught, "utf-8", "backslashreplace", write_through=True)
    with redirect_stdout(stdout):
        try:
            runpy.run_path(str(file), run_name="__main__")
        except SystemExit as end:
            if end.code not in (None, 0):
                how = f"with status {end.code}" if isinstance(end.code, int) else f"saying {end.code}"
                raise Unfit(f"{name_of(file)} exited {how}") from None
    return caught.getvalue().decode("utf-8", "backslashreplace")
