"""The entry of a student's files: which file plays, in which folder, and by which name its files import each other.

Bots and the staff's tests enter files by this module alone. The folder is decided by the path that a SPEC names: that
folder, or the folder of a named file. It is the only one on the import path, and all that a sandbox shows. No file can
widen it by what it imports; its imports decide only the name of the package in that folder.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePath
from typing import NamedTuple

from palio_clients.handouts.imports import imported, is_installed, is_known, is_module
from palio_clients.sdk.failures import BadBot
from palio_rules.errors import quoted
from palio_rules.python_file import PACKAGE, parsed

FILE = "file"  # the setting of a SPEC that names a file or package below the folder
MOST = 200  # files of a package that are read
BEYOND = "attempted relative import"  # Python's words for dots that lead out of a package


class Entry(NamedTuple):
    """The file that plays, and `root`: the folder that its SPEC names, in which it lies."""

    root: Path
    file: Path

    @property
    def module(self) -> tuple[str, ...]:
        """The file's name as a module of `root`, in parts; () for the package in `root` itself."""
        inner = self.file.relative_to(self.root)
        return inner.parent.parts if inner.name == PACKAGE else (*inner.parent.parts, inner.stem.replace(".", "_"))


def entry_of(path: Path, usual: str, below: str = "") -> Entry | None:
    """Return the entry for a SPEC's `path`; None for a folder in which no file is the one that plays.

    `usual` is the name of the handout's file. `below` names a file or package in the folder `path`. Raises BadBot if
    `below` does not.
    """
    found = Path(path.parent.resolve(), path.name) if path.name not in ("", "..") else path.resolve()
    if not below:
        file = _in_folder(found, usual) if found.is_dir() else found
        return None if file is None else Entry(found if found.is_dir() else found.parent, file)
    inner = PurePath(below)
    if not found.is_dir():
        raise BadBot(f"{FILE}={below} names a file in a folder, and {quoted(str(path), 300)} is none; name the folder")
    if inner.is_absolute() or ".." in inner.parts:
        raise BadBot(f"{FILE}={below} leads out of {path}; name a file or package in it")
    file = _in_folder(found / inner, usual) if (found / inner).is_dir() else found / inner
    if file is None or not file.is_file():
        raise BadBot(f"there is no file or package {below!r} in {path}; check {FILE}={below}")
    return Entry(found, file)


def _in_folder(folder: Path, usual: str) -> Path | None:
    """Return the file that plays: of a package, the `usual` file, or of the only package in the folder.

    A package whose `__init__.py` defines nothing stands for its `usual` file.
    """
    package, file = folder / PACKAGE, folder / usual
    if package.is_file() and not (file.is_file() and _is_blank(package)):
        return package
    if file.is_file():
        return file
    found = [each for each in folder.iterdir() if (each / PACKAGE).is_file() and not each.is_symlink()]
    if len(found) > 1:
        found = [each for each in found if (each / usual).is_file()]
    return _in_folder(found[0], usual) if len(found) == 1 else None


def _is_blank(file: Path) -> bool:
    tree = parsed(file)
    return tree is not None and all(isinstance(node, ast.Expr | ast.Pass) for node in tree.body)


def package_name(entry: Entry, handout: Path) -> str:
    """Return the name by which the files in `root` import each other as one package; "" if they do not.

    A package that was handed in without its folder has the name that its own imports say: `team` for
    `from team.board import Board` where `board.py` is in `root`, and no module `team` is anywhere.
    """
    names: Counter[str] = Counter()
    relative = not entry.module
    for path, tree in _modules(entry):
        depth = len(path.parent.relative_to(entry.root).parts)
        for level, dotted in all_imports(tree):
            relative |= level == depth + 1
            if not level and len(dotted) > 1 and is_module(entry.root, dotted[1]):
                names[dotted[0]] += 1
    own = entry.root.name
    others = [name for name, _ in names.most_common() if name != own and _is_nowhere(name, entry.root, handout)]
    if own in names and not is_module(entry.root, own):
        return own
    return others[0] if others else own.replace(".", "_") if relative else ""


def _is_nowhere(name: str, *folders: Path) -> bool:
    return not (any(is_module(folder, name) for folder in folders) or is_known(name) or is_installed(name))


def all_imports(tree: ast.Module) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the imports in `tree` at any depth: the number of leading dots, and the module's name in parts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from imported(node)


def _modules(entry: Entry) -> Iterator[tuple[Path, ast.Module]]:
    """Yield the file, the modules that it imports from beside itself, and all modules of a package in `root`."""
    package = (entry.root / PACKAGE).is_file() or entry.file.name == PACKAGE
    waiting = [entry.file, *(sorted(islice(entry.root.rglob("*.py"), MOST)) if package else [])]
    seen: set[Path] = set()
    while waiting:
        path = waiting.pop(0)
        if path in seen or len(seen) == MOST or path.suffix != ".py" or (tree := parsed(path)) is None:
            continue
        seen.add(path)
        yield path, tree
        for level, dotted in all_imports(tree):
            if level <= 1:
                waiting += [path.parent / f"{part}.py" for part in dotted[:2]]


def spec_of_root(error: BaseException, entry: Entry, course: str) -> str:
    """Return the SPEC to type when an import asks for a package that is above the entry's folder; "" for other errors.

    The folder is known by its name in the path alone; nothing in it is looked for.
    """
    if not isinstance(error, ImportError):
        return ""
    above = entry.root.parent if BEYOND in str(error) else None
    return needing(entry, course, (error.name or "").partition(".")[0], above)


def needing(entry: Entry, course: str, name: str, above: Path | None = None) -> str:
    """Return the same for the import of a package called `name`, or of the package in the folder `above`."""
    above = above or next((each for each in entry.root.parents if name and each.name == name), None)
    if above is None:
        return ""
    inner = entry.file.parent if entry.file.name == PACKAGE else entry.file
    spec = f"handout:{course}:{above}:{FILE}={inner.relative_to(above)}"
    return f"a bot sees the folder that its SPEC names; to play a file in a larger package, name the package: {spec}"
