"""Files that get their name when they are whole. What is no ordinary file is written through, and never replaced.

A link stays, and the file that it leads to is written. A device (`/dev/null`), a pipe and a socket stay what they are.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO

_numbers = count(1)


def is_ordinary(path: Path) -> bool:
    """Return True for a file, and for a place where one can be made; False for what has to be written through."""
    if os.path.abspath(path).startswith(("/dev/", "/proc/")):  # noqa: PTH100  # `/dev/stdout` may lead to a file
        return False
    return path.is_file() or not path.exists()


class WholeFile:
    """A file that is written beside its place, and takes it by `keep`. Raises OSError.

    `file` is closed before `keep` or `drop`, one of which ends it.
    """

    def __init__(self, path: Path) -> None:
        self._place = Path(os.path.realpath(path))
        self._part: Path | None = self._place.with_name(f".palio-{os.getpid()}-{next(_numbers)}.part")
        try:
            self.file: BinaryIO = self._part.open("xb") if is_ordinary(path) else path.open("wb")
        except PermissionError:
            if not self._place.is_file():
                raise
            self.file = self._place.open("wb")  # nothing may be made in its folder
        if self.file.name != str(self._part):
            self._part = None
        elif self._place.exists():
            shutil.copymode(self._place, self._part)

    def keep(self) -> None:
        """Give the file its name, also after a power failure."""
        if self._part is not None:
            _sync(self._part)
            self._part.replace(self._place)
            _sync(self._place.parent)

    def drop(self) -> None:
        """Leave what was there."""
        if self._part is not None:
            with suppress(OSError):
                self._part.unlink()


@contextmanager
def written(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that takes the place of what is at `path` if the context ends without an error. Raises OSError."""
    whole = WholeFile(path)
    try:
        with whole.file as file:
            yield file
    except BaseException:
        whole.drop()
        raise
    whole.keep()


def write_whole(path: Path, data: bytes | str) -> None:
    """Write bytes, or text as UTF-8. Raises OSError."""
    with written(path) as file:
        file.write(data.encode() if isinstance(data, str) else data)


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
