"""`--records FILE`: every match as it finishes, as text, appended to the file.

Between two records is an empty line, as `palio match export` writes them. A record that text cannot express is a line
of JSON among them; in a file that ends in `.json` or `.jsonl` all are. Chess in a file that ends in `.pgn` is PGN, and
games of other programs may stand before it. A record at the end of the file that a kill has cut off is removed, and
written again.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO

import msgspec

from palio_rules.errors import BadOption, BadRecord
from palio_rules.records.pgn import PgnFault, PgnReader, decoded
from palio_rules.records.pgn_text import record_to_pgn
from palio_rules.records.record import Record
from palio_rules.records.text import record_to_text
from palio_rules.registry import game as rules_of
from palio_rules.written_file import is_ordinary

_TAG = re.compile(rb'\[(Match|Result) ("(?:[^"\\]|\\.)*")\]\n')


class RecordsFile:
    """A file to which records of a game are added. Raises BadOption if it cannot be written, or has other content."""

    def __init__(self, path: Path, game: str = "", *, minimal: bool = False) -> None:
        """`minimal`: PGN without comments."""
        self.path, self._minimal = path, minimal
        self.lost = 0  # records that could not be written
        self._lines = path.suffix in (".json", ".jsonl")
        self._pgn = path.suffix == ".pgn" and game != "" and rules_of(game).exchanged_as == "pgn"
        self.known, self._end, self._gap = set[str](), 0, ""
        self._through: BinaryIO | None = None  # a pipe or a device: it stays open, and nothing is read from it
        try:
            if not is_ordinary(path):
                self._through = path.open("ab", buffering=0)
                return
            with path.open("ab+") as file:
                file.seek(0)
                # matches that are in it, and where the last one ends
                self.known, self._end = _games(file, path) if self._pgn else _contents(file, path)
                self._gap = _gap(file, self._end) if self._pgn else ""
                if file.seek(0, 2) > self._end:
                    file.truncate(self._end)
        except OSError as error:
            raise BadOption(f"--records {path} cannot be written: {_reason(error)}; name another file") from None

    def add(self, record: Record, round_: str = "-") -> str:
        """Write a record, once; PGN says the round. Return a sentence if this is the first one that cannot be written,
        else "".
        """
        if record.match in self.known:
            return ""
        try:
            data = self._data(record, round_)
        except ValueError as error:  # of the rules: no PGN says it
            self.lost += 1
            return f"match {record.match} is not in {self.path}: {error}" if self.lost == 1 else ""
        try:
            self._append(data)
        except OSError as error:
            self.lost += 1
            self._cut()
            return self._complaint(error) if self.lost == 1 else ""
        self._end += len(data)
        self._gap = ""
        self.known.add(record.match)
        return ""

    def close(self) -> None:
        """End what is written through a pipe."""
        if self._through is not None:
            self._through.close()

    def _append(self, data: bytes) -> None:
        if self._through is not None:
            self._through.write(data)
            return
        with self.path.open("ab") as file:
            file.write(data)

    def _data(self, record: Record, round_: str) -> bytes:
        """Return a record with what separates it from the one before. Raises ValueError if PGN cannot say it."""
        if self._pgn:
            return f"{self._gap}{record_to_pgn(record, round_=round_, minimal=self._minimal)}".encode()
        return (("" if self._lines or not self._end else "\n") + self._text(record)).encode()

    def _text(self, record: Record) -> str:
        if not self._lines:
            with suppress(BadRecord):
                return record_to_text(record)
        return f"{msgspec.json.encode(record).decode()}\n"

    def _cut(self) -> None:
        """Remove the written part of a record that did not fit."""
        if self._through is not None:
            return
        with suppress(OSError), self.path.open("r+b") as file:
            file.truncate(self._end)

    def _complaint(self, error: OSError) -> str:
        return (
            f"--records {self.path} cannot be written: {_reason(error)}; play goes on, and "
            "palio match export writes all records from the database"
        )


def _reason(error: OSError) -> str:
    reason = error.strerror or str(error)
    return reason[:1].lower() + reason[1:]


def _contents(file: Iterable[bytes], path: Path) -> tuple[set[str], int]:
    """Return the matches whose records are complete, and the end of the last of these. Raises BadOption."""
    known, end = set[str](), 0
    for match, place in _records(file, path):
        known.add(match)
        end = place
    return known, end


def _records(file: Iterable[bytes], path: Path) -> Iterator[tuple[str, int]]:
    """Yield each complete record: its match, and its end. One that is cut off at the end of the file is left out."""
    tags: dict[bytes, str] = {}
    place, part = 0, "start"
    for number, line in enumerate(file, 1):
        place += len(line)
        match part, line[:1]:
            case "start", b"\n":
                pass
            case "start", b"{" if (match := _match_of(line)) is not None:
                yield match, place
            case "start", b"{" if not line.endswith(b"\n"):
                return
            case (("start" | "tags"), b"["):
                tags = _tag(line) if part == "start" else tags | _tag(line)
                part = "tags"
            case "tags", b"\n" if len(tags) == 2:
                part = "moves"
            case "moves", _ if line != b"\n":
                if line.decode(errors="replace") == f"{tags[b'Result']}\n":  # nothing else shows that it is complete
                    yield tags[b"Match"], place
                    part = "start"
            case _:
                raise BadOption(f"--records {path} has no record in line {number}; name another file")


def _games(file: BinaryIO, path: Path) -> tuple[set[str], int]:
    """Return the matches of a PGN file, and the end of its last game. Raises BadOption.

    A game without a result at the end is one that a kill has cut off, if it is ours or has no moves.
    """
    known, end, place = set[str](), 0, 0
    reader = PgnReader()
    for number, line in enumerate(file, 1):
        place += len(line)
        for found in reader.take(decoded(line), number):
            if not isinstance(found, PgnFault):
                known.add(found.tags.get("Match", ""))
            elif line.endswith(b"\n"):
                raise BadOption(f"--records {path} line {found.line}: {found.sentence}; name another file")
        if not reader.is_open:
            end = place
    file.seek(end)
    rest = file.read(_LONGEST_TAGS)
    has_moves = re.search(rb"^\s*[^\s\[]", rest, re.MULTILINE)
    if end < place and has_moves and not re.search(rb'^\[Match "', rest, re.MULTILINE):
        raise BadOption(f"--records {path} ends in a game without a result; add one to it, or name another file")
    return known, end


_LONGEST_TAGS = 2**16  # bytes of the tags of our games


def _gap(file: BinaryIO, end: int) -> str:
    """Return the line breaks that are missing behind the last game."""
    file.seek(max(0, end - 2))
    last = file.read(end - file.tell())
    return "" if end == 0 or last == b"\n\n" else "\n" * (2 - last.endswith(b"\n"))


def _tag(line: bytes) -> dict[bytes, str]:
    found = _TAG.fullmatch(line)
    return {found[1]: json.loads(found[2])} if found else {}


class _Match(msgspec.Struct):
    match: str


def _match_of(line: bytes) -> str | None:
    """Return the match of a record that is a line of JSON; None if it is not one, or incomplete."""
    if not line.endswith(b"\n"):
        return None
    try:
        return msgspec.json.decode(line, type=_Match).match
    except msgspec.DecodeError:
        return None


# The writer of records while games go on: converting one to text takes milliseconds, and a disk may take longer.

Warn = Callable[[str], None]  # called with a sentence


class Recorder:
    """Made by `recording`."""

    def __init__(self, file: RecordsFile, warn: Warn) -> None:
        self.file = file
        self.round_of: Callable[[str], str] = lambda _match: "-"  # of an event
        self._warn = warn
        self._queue: asyncio.Queue[Record] = asyncio.Queue()

    @property
    def known(self) -> set[str]:
        """Matches that are in the file."""
        return self.file.known

    def note(self, record: Record) -> None:
        """Take in the record of a finished match: it is written soon, unless the file has it."""
        self._queue.put_nowait(record)

    async def run(self) -> None:
        while True:
            record = await self._queue.get()
            if sentence := await asyncio.to_thread(self.file.add, record, self.round_of(record.match)):
                self._warn(sentence)
            self._queue.task_done()

    async def drain(self) -> None:
        """Return when all records have been written, or could not be."""
        await self._queue.join()


@asynccontextmanager
async def recording(path: Path, warn: Warn, game: str = "", *, minimal: bool = False) -> AsyncIterator[Recorder]:
    """Yield a recorder that adds records of a game to the file, all of them before this ends. Raises BadOption,
    see RecordsFile.
    """
    recorder = Recorder(await asyncio.to_thread(partial(RecordsFile, path, game, minimal=minimal)), warn)
    task = asyncio.create_task(recorder.run())
    try:
        yield recorder
    finally:
        drained = asyncio.create_task(recorder.drain())
        await asyncio.wait({task, drained}, return_when=asyncio.FIRST_COMPLETED)
        drained.cancel()
        task.cancel()
        await asyncio.wait({task, drained})
        recorder.file.close()
        if not task.cancelled() and (error := task.exception()):
            raise error
        if recorder.file.lost:
            warn(f"{recorder.file.lost} records are not in {path}; palio match export writes all from the database")
