"""The index of a large book in the user's cache, so that the book is opened at once the next time.

A book has one file there, which is replaced when the book changes. A file that is torn, of another book or of another
version is no index: then the book is counted again. Without a cache that can be written to, nothing is kept.
"""

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from palio_rules.user_cache import user_cache
from palio_rules.written_file import write_whole

FOLDER = "palio/books"
LEAST_BYTES = 2**22  # of a book: smaller ones are counted at once
MOST_BYTES = 2**26  # of an index: of a book of half a terabyte
MOST_KEPT = 32  # indexes
SETTLED_S = 2.0  # since the last change of a book: a clock with coarse steps could hide another change
CHECK_BYTES = 32  # of the digest behind an index


class Index(msgspec.Struct, frozen=True, array_like=True):
    """The counts of a book: entries, and openings, that begin before each block and before the end."""

    stamp: tuple[int, ...]  # of the book, see `stamp_of`
    about: str  # how it was counted
    digest: str  # of the whole book
    entries: Sequence[int]
    openings: Sequence[int]

    @property
    def is_sound(self) -> bool:
        """Return whether the numbers can be those of a book."""
        rows = (self.entries, self.openings)
        rising = all(row[:1] == [0] and sorted(row) == row for row in rows)
        return rising and len(self.entries) == len(self.openings)


def stamp_of(file: int) -> tuple[int, ...]:
    """Return what tells whether an open file is the same, unchanged."""
    found = os.fstat(file)
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


class KeptIndex:
    """The place for the index of one book, which is counted in the way that `about` tells."""

    def __init__(self, book: Path, about: str) -> None:
        self._about = about
        self._name = sha256(f"{book.absolute()}\n{about}".encode(errors="surrogateescape")).hexdigest()[:32]

    def read(self, file: int) -> Index | None:
        """Return the index of an open book; None: there is none that fits. Never fails."""
        with suppress(OSError, RuntimeError, msgspec.DecodeError, RecursionError):
            path = self._path()
            if not CHECK_BYTES <= path.stat().st_size <= MOST_BYTES:
                return None
            data = path.read_bytes()
            packed, check = data[:-CHECK_BYTES], data[-CHECK_BYTES:]
            if sha256(packed).digest() != check:
                return None
            index = msgspec.msgpack.decode(packed, type=Index)
            if index.is_sound and (index.stamp, index.about) == (stamp_of(file), self._about):
                with suppress(OSError):
                    os.utime(path)  # those that are in use stay
                return index
        return None

    def keep(self, file: int, stamp: tuple[int, ...], digest: str, counted: tuple[list[int], list[int]]) -> None:
        """Keep an index, if the book is large and has not changed since `stamp`, nor very recently. Never fails."""
        _, size, *changed = stamp
        if size < LEAST_BYTES or stamp_of(file) != stamp or time.time() - max(changed) / 1e9 < SETTLED_S:
            return
        packed = msgspec.msgpack.encode(Index(stamp, self._about, digest, *counted))
        with suppress(OSError, RuntimeError):
            path = self._path()
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(path, packed + sha256(packed).digest())
            kept = sorted(path.parent.iterdir(), key=lambda each: each.stat().st_mtime, reverse=True)
            for old in kept[MOST_KEPT:]:
                old.unlink(missing_ok=True)

    def _path(self) -> Path:
        return user_cache() / FOLDER / self._name
