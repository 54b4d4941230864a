"""From which folder a student's Python file is imported: server and clients must agree on what belongs to it.

A file in nested packages says so by its imports. `from player.board import Board` in `course/player/greedy/agent.py`
works if `course` is where imports are looked for, and `from ..board import Board` if `player.greedy` is a package.
So does `import mechanics` there, of `course/mechanics.py`.
"""

import ast
import sys
import warnings
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

PACKAGE = "__init__.py"  # a folder whose file this is, is a package
HIGHEST = 6  # folders above a file that are looked at
NEAR = 3  # of these, so many in which something else is looked for than what leads to the file
MOST = 200  # files of a package that are read


class Place(NamedTuple):
    """`root` is where imports are looked for, `name` how the file is imported from there: `player.greedy`."""

    root: Path
    name: str
    whole: bool = False  # it needs what lies in `root` beside its outermost package

    @property
    def top(self) -> Path:
        """What belongs together in `root`: the outermost package, or the folder of a file that is in none."""
        if self.whole:
            return self.root
        head, dot, _ = self.name.partition(".")
        return self.root / head if dot or (self.root / head).is_dir() else self.root


def usual_place(file: Path) -> Place:
    """A package is imported from beside its folder, any other file from its own folder."""
    package = file.name == PACKAGE
    return Place(file.parent.parent, file.parent.name) if package else Place(file.parent, file.stem)


def place_of(file: Path) -> Place:
    """The highest folder that makes the imports of `file` work, and of what it imports from its own folders.

    That is the usual one, unless an import names one of the folders above by which the file itself is reached, or what
    is found in one of them only.
    """
    usual = usual_place(file)
    if file.suffix != ".py":
        return usual
    root, beside = usual.root, None
    for path, tree in _modules(file):
        for level, dotted in imported(tree):
            found = _climbed(path, level) if level else _named(usual.root, dotted)
            if found is None and not level and not _is_there(path.parent, dotted[:1]):
                found = beside = _above(usual.root, dotted) or beside
            if found is not None and len(found.parts) < len(root.parts):
                root = found
    if root == usual.root:
        return usual
    inner = file.parent if file.name == PACKAGE else file.with_suffix("")
    return Place(root, ".".join(inner.relative_to(root).parts), whole=beside is not None)


def imported(tree: ast.AST) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Every import in `tree`, wherever: how many dots it begins with, and the module's name in parts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                yield 0, tuple(each.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            yield node.level, tuple((node.module or "").split(".")) if node.module else ()


def parsed(path: Path) -> ast.Module | None:
    """The syntax tree of a file; None if it is no Python, or cannot be read."""
    try:
        return parsed_text(path.read_bytes())
    except OSError:
        return None


def parsed_text(text: str | bytes) -> ast.Module | None:
    """The syntax tree of a text; None if it is no Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a stray backslash is the author's business
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _modules(file: Path) -> Iterator[tuple[Path, ast.Module]]:
    """The file, what lies in its package, and what it imports from its own folder."""
    package = file.name == PACKAGE
    waiting = [file, *(sorted(islice(file.parent.rglob("*.py"), MOST)) if package else [])]
    seen: set[Path] = set()
    while waiting:
        path = waiting.pop(0)
        if path in seen or len(seen) == MOST or (tree := parsed(path)) is None:
            continue
        seen.add(path)
        yield path, tree
        for level, dotted in imported(tree):
            beside = path.parent / f"{dotted[0]}.py" if dotted else None
            if level <= 1 and beside is not None and beside.is_file():
                waiting.append(beside)


def _climbed(path: Path, level: int) -> Path | None:
    """Where imports are looked for, if `level` dots in the file at `path` lead to a package."""
    folders = path.parents
    return folders[level] if level < len(folders) - 1 else None


def _named(root: Path, dotted: tuple[str, ...]) -> Path | None:
    """The highest folder above `root` in which `dotted` is one of the folders that lead to `root`, and is there."""
    if _is_there(root, dotted[:1]):
        return None  # it works as it is
    chain = [root, *list(root.parents)[:HIGHEST]]
    found = [above for below, above in pairwise(chain) if below.name == dotted[0]]
    return next((above for above in reversed(found) if _is_there(above, dotted)), None)


def _above(root: Path, dotted: tuple[str, ...]) -> Path | None:
    """The nearest folder above `root` that has `dotted`, which is nowhere below; None for the standard library's."""
    if dotted[0] in sys.stdlib_module_names or _is_there(root, dotted[:1]):
        return None
    near = [above for above in list(root.parents)[:NEAR] if not _is_everybodys(above)]
    return next((above for above in near if _is_there(above, dotted)), None)


def _is_everybodys(folder: Path) -> bool:
    """Whether far more lies in a folder than what belongs to a file: somebody's home, /tmp, and all that is above."""
    try:
        home = Path.home()
    except RuntimeError:
        home = Path("/")
    return len(folder.parts) <= len(Path("/tmp").parts) or folder == home or folder in home.parents  # noqa: S108


def _is_there(root: Path, dotted: tuple[str, ...]) -> bool:
    """Whether a module, or a folder with some, is found in `root` by that name."""
    place = root
    try:
        for part in dotted:
            place /= part
            if not place.is_dir():
                return place.with_name(f"{part}.py").is_file()
        return any(each.suffix == ".py" for each in place.iterdir())
    except OSError:  # it is nobody's business here
        return False
