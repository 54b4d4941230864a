"""A notebook of a course as a module: its code cells run one after the other, as far as they define something.

What a cell tries out may fail: that is told on stderr, and costs nobody a match who does not need what it has defined.
Lines for the notebook's own shell (`%magic`, `!command`, `name?`) are left out.
"""

import ast
import json
import linecache
import re
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from palio_rules.errors import quoted
from palio_rules.import_root import parsed_text

NOTEBOOK = ".ipynb"
PYTHON_BELOW = ("time", "timeit", "capture", "prun", "memit", "python", "python3", "py")  # %%magics of Python cells
_SHELL = re.compile(
    r"(?P<indent>\s*)(?:(?P<name>[\w, ]+?)\s*=\s*)?[%!](?!=)"
    r"|(?P<help>\s*)\?\??[\w.]+\s*$|(?P<asked>\s*)[\w.]+\?\??\s*$"
)


class BadNotebook(ValueError):
    """A file that is no notebook, or has nothing to run; str() is a sentence with the remedy."""


class Cell(NamedTuple):
    """A code cell: its number among all of them, from 1, and its Python."""

    number: int
    source: str


def cells_of(path: Path) -> list[Cell]:
    """The code cells of a notebook in nbformat 4 or 3. Raises BadNotebook."""
    try:
        value = json.loads(path.read_bytes())
    except json.JSONDecodeError as error:
        reason = "it is empty" if not path.stat().st_size else f"line {error.lineno}: {error.msg}"
        raise BadNotebook(f"{path.name} is no notebook: {reason}; save it in Jupyter again") from None
    except (ValueError, RecursionError) as error:
        raise BadNotebook(f"{path.name} is no notebook: {error}; save it in Jupyter again") from None
    found = [_source(path, number, cell) for number, cell in enumerate(_cells(path, value), start=1)]
    texts = [text for text in found if text is not None]
    cells = [Cell(number, python_of(text)) for number, text in enumerate(texts, start=1)]
    if not any(tree is not None and tree.body for tree in map(tree_of, cells)):
        broken = f", of {len(cells)} none is Python" if cells else ""
        raise BadNotebook(f"{path.name} has no code cells that can run{broken}; write your functions into code cells")
    return cells


def python_of(source: str) -> str:
    """A cell without what only a notebook understands; lines keep their numbers."""
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


def tree_of(cell: Cell) -> ast.Module | None:
    """The syntax tree of a cell; None if it is no Python."""
    return parsed_text(cell.source)


def run(path: Path, module: ModuleType) -> list[str]:
    """Run the cells of the notebook at `path` in `module`; a sentence about each cell that has failed.

    Of a cell that fails its later definitions still run: what a course hands out defines and tries out in one cell.
    """
    module.__dict__.setdefault("display", print)
    failed = []
    for cell in cells_of(path):
        if (failure := _run(path, cell, module.__dict__)) is not None:
            failed.append(f"cell {cell.number} failed: {failure}")
            print(f"{path.name}, {failed[-1]}; the cells after it run all the same", file=sys.stderr)  # noqa: T201
    return failed


def _run(path: Path, cell: Cell, names: dict[str, Any]) -> str | None:
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
            exec(compile(ast.Module([node], []), called, "exec"), names)  # noqa: S102  # what the student wrote
        except (Exception, SystemExit) as error:  # noqa: BLE001  # its author reads it
            lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == called]
            said = f"line {lines[0] if lines else node.lineno}: {type(error).__name__}: {error}".rstrip(": ")
            failure = failure or said
    return failure


def _defines(node: ast.stmt) -> bool:
    """Whether a statement only gives something a name: `Board = list[list[str]]` does, a call tries something out."""
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
    """The text of a code cell; None of any other one."""
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
