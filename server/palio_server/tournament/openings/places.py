"""The places of a file's entries: its lines, or its games in PGN. A file of millions is opened as fast as it is read.

Of each block of the file only the number of entries that begin before it is kept; an entry is found by looking through
one block. Nothing is mapped into memory: a file that is cut off meanwhile is a fault, not the end of the process.
"""

import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from weakref import finalize

from palio_rules.errors import BadOption
from palio_server.tournament.openings.kept_index import KeptIndex, stamp_of

BLOCK = 2**15  # bytes
HASHED = 2**22  # bytes at once, so that a thread that hashes seldom waits for the one that counts
GAME = b"\n[Event "  # behind this a game of PGN begins, but for the line's end
LINE = b"\n"
_BOM = b"\xef\xbb\xbf"  # which Windows' editors write first
_PLAIN = b"$"  # less than the first byte of any opening, and more than blanks and "#"


class Places:
    """The entries of an open file, from 0, behind `mark`; of lines only those that `counts` accepts."""

    def __init__(
        self,
        file: int,
        mark: bytes,
        counts: Callable[[bytes], bool],
        longest: int,
        where: str,
        kept: KeptIndex | None = None,
    ) -> None:
        """`file` is a descriptor, which is closed with this. Raises BadOption for an entry longer than `longest`.

        `kept` has the counts of an earlier time, if nothing has changed.
        """
        finalize(self, os.close, file)
        self._file, self._mark, self._counts, self._longest, self._where = file, mark, counts, longest, where
        self._stamp = self._present()
        self._first = len(_BOM) if os.pread(file, len(_BOM), 0) == _BOM else 0
        self._size = max(0, self._stamp[0] - self._first)
        self._entries: Sequence[int]  # that begin before each block, and before the end
        self._openings: Sequence[int]
        index = None if kept is None else kept.read(file)
        if index is not None and len(index.entries) == 1 + -(-self._size // BLOCK):
            self._entries, self._openings, self.digest = index.entries, index.openings, index.digest
            return
        stamp, counted = stamp_of(file), self._counted()
        if kept is not None:
            kept.keep(file, stamp, self.digest, counted)

    def _counted(self) -> tuple[list[int], list[int]]:
        """Count the whole file, and take its digest."""
        self._entries, self._openings = all_entries, all_openings = [0], [0]
        with ThreadPoolExecutor(1) as beside:
            digest = beside.submit(self._digest)
            for begin in range(0, self._size, BLOCK):
                entries, openings = self._count(begin)
                all_entries.append(all_entries[-1] + entries)
                all_openings.append(all_openings[-1] + openings)
            self.digest = digest.result()
        return all_entries, all_openings

    def __len__(self) -> int:
        return self._openings[-1]

    @property
    def entries(self) -> int:
        """The number of all entries, comments and empty lines too."""
        return self._entries[-1]

    def entry(self, index: int) -> tuple[int, bytes]:
        """Return the entry with this number, and its number, from 1, among all. Raises BadOption."""
        if self._present() != self._stamp:
            raise BadOption(f"{self._where} has changed while it was in use; put the file back as it was")
        block = bisect_right(self._openings, index) - 1
        number, left = self._entries[block], index - self._openings[block]
        for text in self._begun(block * BLOCK):
            number += 1
            if self._counts(text):
                if left == 0:
                    return number, text
                left -= 1
        raise IndexError(index)

    def lines(self, longest: int) -> Iterator[bytes]:
        """Yield all lines from the first one on. Raises BadOption for one that is longer."""
        with os.fdopen(os.dup(self._file), "rb") as file:
            file.seek(self._first)
            while line := file.readline(longest + 1):
                if len(line) > longest:
                    raise BadOption(f"{self._where} has a line of more than {longest:,} bytes; break it")
                yield line

    def _digest(self) -> str:
        digest = sha256()
        for begin in range(0, self._size, HASHED):
            digest.update(self._read(begin, begin + HASHED))
        return digest.hexdigest()

    def _present(self) -> tuple[int, int]:
        found = os.fstat(self._file)
        return found.st_size, found.st_mtime_ns

    def _read(self, begin: int, end: int) -> bytes:
        return os.pread(self._file, min(end, self._size) - begin, self._first + begin)

    def _window(self, begin: int) -> bytes:
        """Return the bytes with the marks of the entries that begin in a block: the byte before it is the first."""
        end = begin + BLOCK + len(self._mark) - 2
        return self._read(begin - 1, end) if begin else b"\n" + self._read(0, end)

    def _count(self, begin: int) -> tuple[int, int]:
        """Return how many entries begin in a block, and how many of them are openings."""
        window = self._window(begin)
        if self._mark != LINE:
            found = window.count(self._mark)
            return found, found
        _, *lines = window.split(LINE)
        if lines and begin + BLOCK > self._size and not lines[-1]:
            lines.pop()  # behind the last line's end
        if not lines or min(lines) > _PLAIN:
            return len(lines), len(lines)
        return len(lines), sum(map(self._counts, self._begun(begin)))

    def _begun(self, begin: int) -> Iterator[bytes]:
        """Yield the entries that begin in a block, whole."""
        window = self._window(begin)
        at = window.find(self._mark)
        while at >= 0 and begin + at < self._size:
            then = window.find(self._mark, at + 1)
            yield window[at + 1 : then + 1] if then >= 0 else self._read(begin + at, self._end(begin + at))
            at = then

    def _end(self, start: int) -> int:
        """Return where the entry ends that begins at `start`."""
        for size in (BLOCK, self._longest + len(self._mark)):
            text = self._read(start, start + size)
            if (found := text.find(self._mark)) >= 0:
                return start + found + 1
            if start + len(text) >= self._size:
                break
        if len(text) > self._longest:
            kind = "line" if self._mark == LINE else "game"
            raise BadOption(f"{self._where} has a {kind} of more than {self._longest:,} bytes; break it")
        return start + len(text)
