"""An export of another system: a zip or a folder, whose files are listed first and read one by one.

A bad file is refused when it is read, so that one student's archive does not stop the import of the others.
"""

import os
import zipfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from palio_rules.errors import BadOption, quoted
from palio_server.courses.archives import read_entry, zip_name
from palio_server.courses.submitted_names import ENVIRONMENT, Refused, environments, is_junk

MOST_FILES = 200_000  # of an export


class Tree(Protocol):
    """The files of an export: `names` with `/`, sorted, without junk."""

    names: tuple[str, ...]
    folder: Path | None  # where they are, if they are not in a zip

    def read(self, name: str, most: int) -> bytes:
        """Return a file of `most` bytes at most. Raises Refused."""

    def changed_at(self, name: str) -> datetime:
        """Return the date of a file. (A zip has no time zone: its dates are taken for the local time.)"""


class FolderTree:
    """A folder."""

    def __init__(self, folder: Path) -> None:
        self.folder: Path | None = folder
        self._folder = folder
        self.names = tuple(sorted(_walk(folder)))

    def read(self, name: str, most: int) -> bytes:
        path = self._folder / name
        if path.is_symlink() or not path.is_file():
            raise Refused(f"{quoted(name)} is a link or a special file, no file; hand in the file itself")
        with path.open("rb") as file:
            data = file.read(most + 1)
        return _within(name, data, most)

    def changed_at(self, name: str) -> datetime:
        return datetime.fromtimestamp((self._folder / name).lstat().st_mtime, UTC)


class ZipTree:
    """A zip, which stays closed but while it is read."""

    folder: Path | None = None

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            with zipfile.ZipFile(path) as archive:
                entries = {zip_name(info): info for info in archive.infolist() if not info.is_dir()}
        except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError):
            raise BadOption(f"{path} is no whole zip; download the export again") from None
        made = environments(entries)
        self._entries = {name: info for name, info in entries.items() if not (is_junk(name) or name.startswith(made))}
        if len(self._entries) > MOST_FILES:
            raise BadOption(f"{path} has more than {MOST_FILES} files; import it in parts")
        self.names = tuple(sorted(self._entries))

    def read(self, name: str, most: int) -> bytes:
        info = self._entries[name]
        if info.file_size > most:
            raise Refused(f"{quoted(name)} has {info.file_size:,} bytes; at most {most:,} can be read")
        with zipfile.ZipFile(self._path) as archive:
            return _within(name, read_entry(archive, info, name), most)

    def changed_at(self, name: str) -> datetime:
        try:
            return datetime(*self._entries[name].date_time).astimezone()
        except ValueError:
            return datetime.fromtimestamp(self._path.stat().st_mtime, UTC)


def open_tree(path: Path) -> Tree:
    """Open an export. Raises BadOption."""
    if path.is_dir():
        return FolderTree(path)
    if not path.exists():
        raise BadOption(f"there is no file or folder {str(path)!r}; check its name")
    return ZipTree(path)


def _walk(folder: Path) -> Iterable[str]:
    count = 0
    for top, folders, files in os.walk(folder):
        folders[:] = sorted(each for each in folders if not Path(top, each, ENVIRONMENT).is_file())
        for each in files:
            name = Path(top, each).relative_to(folder).as_posix()
            if is_junk(name):
                continue
            count += 1
            if count > MOST_FILES:
                raise BadOption(f"{folder} has more than {MOST_FILES} files; name the folder of the submissions")
            yield name


def _within(name: str, data: bytes, most: int) -> bytes:
    if len(data) > most:
        raise Refused(f"{quoted(name)} has more than {most:,} bytes, which is the limit")
    return data
