"""Files of this machine that are handed in: names below the paths that were given, without following links."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from palio_rules.errors import quoted
from palio_server.courses.submitted_names import ENVIRONMENT, JUNK_FOLDERS, MOST_ENTRIES, Files, Refused, is_junk


def read_files(paths: Iterable[Path], most: int) -> Files:
    """Return files, and files below folders, of `most` bytes together. Raises Refused, OSError."""
    found: Files = []
    size = 0
    for path, name in _named(paths):
        if is_junk(name):
            continue
        if path.is_symlink():
            raise Refused(f"{quoted(name)} is a link, no file; hand in the file itself")
        if not path.is_file():
            raise Refused(f"{quoted(name)} is no file; hand in files and folders")
        size += path.stat().st_size
        if size > most:
            raise Refused(f"the files have more than {most:,} bytes together, which is the limit")
        if len(found) >= MOST_ENTRIES:
            raise Refused(f"there are more than {MOST_ENTRIES} files; hand in only those that are asked for")
        with path.open("rb") as file:
            found.append((name, file.read(most + 1)))
    return found


def _named(paths: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            yield from _below(path)
        elif not path.exists() and not path.is_symlink():
            raise Refused(f"there is no file {str(path)!r}; check its name")
        else:
            yield path, path.name


def _below(folder: Path) -> Iterator[tuple[Path, str]]:
    for top, folders, files in os.walk(folder):
        linked = [each for each in folders if Path(top, each).is_symlink()]
        junk = {each for each in folders if each in JUNK_FOLDERS or Path(top, each, ENVIRONMENT).is_file()}
        folders[:] = sorted(each for each in folders if each not in junk and each not in linked)
        for each in sorted([*files, *(each for each in linked if each not in JUNK_FOLDERS)]):
            path = Path(top, each)
            yield path, path.relative_to(folder).as_posix()
