"""Where a student's program runs: a folder of links, in which it finds what it opens as it did in its course.

Some open `states.json` beside their file, others `team/states.json` from beside their package. Both are here: links to
what lies beside the file, to the folders that it lies in, by their names, and to what lies beside those up to where its
imports are looked for. What it writes anew is kept beside the file.
"""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from palio_rules.import_root import place_of

MOST = 1000  # links to what lies in one folder; of a fuller one only what leads to the file
CACHES = ("__pycache__", ".numba")


def furnish(empty: Path, file: Path) -> Path:
    """Make the working folder of the program in `file` in the folder `empty`, which stands for the one above it.

    Raises OSError where no links can be made.
    """
    folder = empty / (file.parent.name or "work")
    folder.mkdir()
    _link(folder, _targets(file))
    root = place_of(file).root
    _link(empty, [*_entries(file.parent.parent), *_entries(root.parent)])
    return folder


def _link(folder: Path, targets: Iterable[Path]) -> None:
    for target in targets:
        with suppress(FileExistsError):  # what lies nearer to the file comes first
            (folder / target.name).symlink_to(target)


def enter(folder: Path, file: Path) -> None:
    """Make `folder` this process's own, and let what is written anew in it lie beside `file` at once."""
    os.chdir(folder)
    beside = file.parent
    if folder == beside or not os.access(beside, os.W_OK):
        return

    def before(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and _makes_a_file(*arguments):
            name = str(arguments[0])
            with suppress(OSError):
                os.symlink(beside / name, folder / name)  # noqa: PTH211  # to open it makes what it leads to

    sys.addaudithook(before)


def _makes_a_file(name: object, _mode: object, flags: object) -> bool:
    """Whether a file is opened that is made thereby, by its name alone."""
    if not isinstance(name, str) or not isinstance(flags, int) or flags & (os.O_CREAT | os.O_EXCL) != os.O_CREAT:
        return False
    return not os.path.dirname(name) and not os.path.lexists(name)  # noqa: PTH120  # it is asked often


def keep(folder: Path, file: Path) -> None:
    """Move what else the program has written to beside `file`, as far as that is allowed and nothing is there yet."""
    for path in folder.iterdir() if folder != file.parent else ():
        beside = file.parent / path.name
        if path.is_symlink() or path.name in CACHES or beside.exists():
            continue
        if os.access(file.parent, os.W_OK):
            with suppress(OSError):
                shutil.move(path, beside)


def _targets(file: Path) -> Iterator[Path]:
    root = place_of(file).root
    folder = file.parent
    yield from _entries(folder)
    while folder not in (root, folder.parent):
        yield folder
        folder = folder.parent
        yield from _entries(folder)
    yield folder


def _entries(folder: Path) -> list[Path]:
    try:
        names = os.listdir(folder)  # noqa: PTH208  # one that may not be read costs nothing
    except OSError:
        return []
    return [folder / name for name in sorted(names) if name not in CACHES] if len(names) <= MOST else []
