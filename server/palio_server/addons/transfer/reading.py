"""Records out of files: JSON lines, records as text, PGN, SGF and our Parquet, each packed or not.

PGN has our records in escape lines, followed by the same game for other programs, which is passed over; or it is other
programs', whose games of chess are made into records.

What a file is, its first bytes say. Each record comes with its place; what cannot be read comes as a `Fault`, and the
next one follows. One record at a time is in memory, and no line that is longer than any record. Files may be
strangers': what a small one can grow to, in memory or time, is bounded, too.
"""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, cast

import msgspec

from palio_db.event_values import KeptMatch, as_kept
from palio_rules.errors import BadRecord
from palio_rules.records.pgn import PgnFault, PgnGame, PgnReader, decoded
from palio_rules.records.pgn_records import record_of_pgn
from palio_rules.records.sgf import SgfFault, SgfGame, is_sgf, read_sgf, text_of
from palio_rules.records.sgf_records import record_of_sgf
from palio_rules.records.sgf_text import OWN
from palio_rules.records.text import record_from_text
from palio_server.addons.transfer.pgn import ESCAPE

LONGEST = 64 * 2**20  # bytes of a line, or of a record as text
HEAD = 2048  # bytes by which SGF is recognised; there may be text before it
BATCH = 64  # rows of a Parquet file in memory
GROUP = 256 * 2**20  # bytes of the records in one of its row groups, unpacked; ours have some 16 MiB
ROOM = 2**30  # bytes more memory than before that unpacking may take, also if the file claims to be smaller
RATIO = 200  # times its size a packed file holds at most; ours hold 5 to 20 times theirs
FREE = 64 * 2**20  # bytes that it may hold in any case
FAULTS = 10_000  # of one file: then it is none of records
EMPTY = 10_000  # lines in a row with nothing on them

_GZIP, _ZSTD, _PARQUET = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1"
_ESCAPE = ESCAPE.encode()
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Found:
    """A record, and where it stands: "line 3", "row 17"."""

    place: str
    match: KeptMatch
    names: tuple[tuple[str, str], ...] = ()  # of a game of other programs: each player, and the bot that it became


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault and its place. After one that is `final` nothing of the file can be read.

    A game of another program that `is_foreign` is left out, and does not keep out what else is in the file.
    """

    place: str
    sentence: str
    final: bool = False
    is_foreign: bool = False


def read_records(path: Path, *, strict: bool = False) -> Iterator[Found | Fault]:
    """All records of a file, in order. Raises OSError where there is none that can be opened.

    `strict`: PGN of other programs must keep the standard's export format.
    """
    faults = 0
    for found in _read(path, strict=strict):
        yield found
        faults += isinstance(found, Fault)
        if faults == FAULTS:
            yield Fault(found.place, f"{FAULTS:,} faults are enough: this is no file of records", final=True)
            return


def _read(path: Path, *, strict: bool) -> Iterator[Found | Fault]:
    with path.open("rb") as file:
        start = file.read(4)
        file.seek(0)
        if start == _PARQUET:
            yield from _parquet(path)
            return
        try:
            most = max(FREE, RATIO * path.stat().st_size) if start.startswith((_GZIP, _ZSTD)) else None
            unpacked = _unpacked(file, start)
            if is_sgf(head := unpacked.peek(HEAD)[:HEAD]) or (path.suffix.lower() == ".sgf" and head[:1] not in b"{["):
                yield from _sgf(unpacked.read(LONGEST + 1))
                return
            yield from _lines(unpacked, most, strict=strict)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            yield Fault("the end", "the packed file is cut off or damaged", final=True)
        except OSError as error:
            yield Fault("the end", f"it cannot be read: {error}", final=True)


def _sgf(data: bytes) -> Iterator[Found | Fault]:
    """Games of Go: our records in a property of their own, or games of other programs."""
    if len(data) > LONGEST:
        yield Fault("the file", f"it is longer than {LONGEST // 2**20} MiB; split it", final=True)
        return
    games = 0
    for games, game in enumerate(read_sgf(text_of(data)), 1):  # noqa: B007  # counted for what follows
        if isinstance(game, SgfFault):
            yield Fault(f"line {game.line}", game.sentence, is_foreign=True)
        elif own := game.nodes[0].get(OWN):
            yield _from_json(own[0].encode(), f"line {game.line}")
        else:
            yield _from_sgf(game)
    if not games:
        yield Fault("the file", "no game in SGF begins in it, with `(;`; export it anew", final=True)


def _place(line: int, *players: str) -> str:
    """Return where another program's game stands."""
    return f"the game {' - '.join(name.strip()[:40] or '?' for name in players)} from line {line} on"


def _from_sgf(game: SgfGame) -> Found | Fault:
    place = _place(game.line, game.said("PB"), game.said("PW"))
    try:
        made = record_of_sgf(game)
    except BadRecord as error:
        return Fault(place, str(error), is_foreign=True)
    return Found(place, as_kept(made.record), made.names)


def _unpacked(file: BufferedReader, start: bytes) -> BufferedReader:
    if start.startswith(_GZIP):
        return cast("BufferedReader", gzip.GzipFile(fileobj=file))
    if start == _ZSTD:
        import io

        import pyarrow as pa  # Python unpacks zstd from 3.14 on

        packed = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd")
        return io.BufferedReader(cast("io.RawIOBase", packed))
    return file


def _lines(file: BinaryIO, most: int | None, *, strict: bool) -> Iterator[Found | Fault]:
    """`most`: bytes that the file may have, unpacked."""
    reader = _Reader(strict=strict)
    number = size = empty = 0
    while line := file.readline(LONGEST + 1):
        number += 1
        size += len(line)
        empty = 0 if line.strip() else empty + 1
        if wrong := _too_much(line, size, most, empty) or reader.too_much():
            yield Fault(f"line {number}", wrong, final=True)
            return
        yield from reader.take(line, number)
    yield from reader.end()


def _too_much(line: bytes, size: int, most: int | None, empty: int) -> str:
    """Return the name of what the file has more of than ours ever do; "" if all is within bounds."""
    if len(line) > LONGEST:
        return f"the line is longer than {LONGEST // 2**20} MiB, no record is"
    if most is not None and size > most:
        return f"the packed file holds more than {RATIO} times its own size, no file of records does; unpack it first"
    return f"more than {EMPTY:,} empty lines in a row; remove them" if empty > EMPTY else ""


class _Reader:
    """Line by line: what is gathered until a record is complete."""

    def __init__(self, *, strict: bool) -> None:
        self._text: list[bytes] = []  # of a record as text, or the tags of a game whose form is not known yet
        self._begin = 0
        self._size = 0
        self._in_moves = False
        self._pieces: list[bytes] = []  # of a record in escape lines
        self._pieces_size = 0
        self._pieces_begin = 0
        self._pgn = PgnReader(strict=strict)
        self._twin = False  # whether the next game is the one of the escape lines before it

    def too_much(self) -> str:
        """Says that what is gathered is longer than any record, if it is."""
        longer = max(self._size, self._pieces_size) > LONGEST
        return f"the record is longer than {LONGEST // 2**20} MiB, none is" if longer else ""

    def take(self, line: bytes, number: int) -> Iterator[Found | Fault]:
        bare = line.rstrip(b"\r\n")
        if number == 1:
            bare = bare.removeprefix(_BOM)
        if bare.startswith(_ESCAPE) and not self._pgn.in_comment:
            yield from self._take_piece(bare, number)
            return
        if self._pieces:
            yield from self._end_of_pieces()
        is_json = bare.startswith(b'{"')  # none of our comments begins so
        if self._pgn.is_open and not (self._pgn.is_skipping and is_json):
            yield from self._games(self._pgn.take(decoded(line), number))
        elif is_json:
            yield from self._end_of_text()
            self._pgn, self._twin = PgnReader(strict=self._pgn.strict), False
            yield _from_json(bare, f"line {number}")
        else:
            yield from self._take_text(line, bare, number)

    def _take_text(self, line: bytes, bare: bytes, number: int) -> Iterator[Found | Fault]:
        """A line of a record as text, or the first ones of a game in PGN."""
        if bare.startswith(b"["):
            if self._in_moves:
                yield from self._end_of_text()
            self._gather(line, number)
        elif self._text and not self._in_moves and not self._is_text():
            yield from self._tags_of_pgn()
            yield from self._games(self._pgn.take(decoded(line), number))
        elif self._text:
            self._in_moves = self._in_moves or bool(bare.strip())
            self._gather(line, number)
        elif bare.strip() and not bare.startswith((b"%", b";")):  # comments between games
            yield Fault(f"line {number}", f"no record begins with {bare[:40].decode(errors='replace')!r}")

    def _take_piece(self, bare: bytes, number: int) -> Iterator[Found | Fault]:
        """An escape line, with a piece of a record."""
        if not self._pieces:
            yield from self._end_of_text()
            yield from self._games(self._pgn.end())
            self._pieces_begin, self._pieces_size = number, 0
        self._pieces_size += len(bare)
        self._pieces.append(bare[len(_ESCAPE) :].removesuffix(b"|"))
        self._twin = True

    def _is_text(self) -> bool:
        """Return whether the tags gathered are those of a record as text, which names its seats in another way."""
        names = {line.split(b" ", 1)[0] for line in self._text if line.startswith(b"[")}
        return b"[Match" in names and b"[White" not in names

    def _tags_of_pgn(self) -> Iterator[Found | Fault]:
        """Hand the tags gathered to the reader of PGN."""
        lines, begin = self._text, self._begin
        self._text, self._begin, self._size = [], 0, 0
        for number, line in enumerate(lines, begin):
            yield from self._games(self._pgn.take(decoded(line), number))

    def _games(self, games: Iterator[PgnGame | PgnFault]) -> Iterator[Found | Fault]:
        for game in games:
            if self._twin:
                self._twin = False
            elif isinstance(game, PgnFault):
                yield Fault(f"line {game.line}", game.sentence, is_foreign=True)
            else:
                yield _from_pgn(game)

    def _gather(self, line: bytes, number: int) -> None:
        self._begin = self._begin or number
        self._size += len(line)
        self._text.append(line)

    def end(self) -> Iterator[Found | Fault]:
        if self._pieces:
            yield from self._end_of_pieces()
        yield from self._end_of_text()
        yield from self._games(self._pgn.end())

    def _end_of_text(self) -> Iterator[Found | Fault]:
        if self._text and not self._is_text():
            yield from self._tags_of_pgn()
        data, begin = b"".join(self._text), self._begin
        self._text, self._begin, self._size, self._in_moves = [], 0, 0, False
        if not data.strip():
            return
        place = f"the record from line {begin} on"
        try:
            yield Found(place, as_kept(record_from_text(data.decode().rstrip() + "\n")))
        except UnicodeDecodeError:
            yield Fault(place, "it is not UTF-8")
        except BadRecord as error:
            yield Fault(place, str(error))

    def _end_of_pieces(self) -> Iterator[Found | Fault]:
        data, self._pieces, self._pieces_size = b"".join(self._pieces), [], 0
        yield _from_json(data, f"line {self._pieces_begin}")


def _from_pgn(game: PgnGame) -> Found | Fault:
    place = _place(game.line, *(game.tags.get(name, "") for name in ("White", "Black")))
    try:
        made = record_of_pgn(game)
    except BadRecord as error:
        return Fault(place, str(error), is_foreign=True)
    return Found(place, as_kept(made.record), made.names)


def _from_json(data: bytes, place: str) -> Found | Fault:
    try:
        return Found(place, msgspec.json.decode(data, type=KeptMatch))
    except msgspec.ValidationError as error:
        return Fault(place, f"it is no record: {_lower(str(error))}")
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return Fault(place, f"it is no JSON: {_lower(str(error))[:200]}")
    except RecursionError:
        return Fault(place, "it is nested too deeply to be read")


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _parquet(path: Path) -> Iterator[Found | Fault]:
    import pyarrow as pa  # a heavy one, of an extra
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            fault = _fault_of_columns(file)
        if fault is not None:
            yield fault
            return
        with _room(), pq.ParquetFile(path, read_dictionary=["record"]) as file:
            row = 0
            for batch in file.iter_batches(batch_size=BATCH, columns=["record"]):
                for cell in batch.column(0):  # one at a time: many rows may have one long text
                    row += 1
                    yield _from_cell(cell.as_py(), f"row {row}")
    except MemoryError:  # pyarrow's, too
        yield Fault("the file", f"to unpack it takes more than {ROOM // 2**20} MiB, no file of Palio does", final=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        yield Fault("the file", f"it is no Parquet that can be read: {_lower(reason)}", final=True)


def _fault_of_columns(file: Any) -> Fault | None:
    """Return the fault of a Parquet file's columns, which ours never have."""
    columns = file.schema_arrow.names
    if "record" not in columns:
        missing = "there is none called record; import the table of matches, written with it"
        return Fault("its columns", missing, final=True)
    about = file.metadata
    leaves = [about.schema.column(number).path for number in range(about.num_columns)]
    if "record" not in leaves:  # a list or a struct has its leaves below its own name
        return Fault("its columns", "record holds no texts; import the table of matches, written with it", final=True)
    place = leaves.index("record")
    for group in range(about.num_row_groups):
        size = about.row_group(group).column(place).total_uncompressed_size
        if size > GROUP:
            larger = f"its records have {size // 2**20:,} MiB, more than {GROUP // 2**20}; write smaller row groups"
            return Fault(f"row group {group + 1}", larger, final=True)
    return None


def _from_cell(value: object, place: str) -> Found | Fault:
    if not isinstance(value, str):
        return Fault(place, "its record is no text")
    if len(value) > LONGEST:
        return Fault(place, f"the record is longer than {LONGEST // 2**20} MiB, none is")
    return _from_json(value.encode(), place)


@contextmanager
def _room() -> Iterator[None]:
    """While it lasts, this process gets only `ROOM` more memory (where the system has such a limit)."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_bytes().split()[5])  # data and stack, as the limit counts them
    except (ImportError, OSError):
        yield
        return
    before, most = resource.getrlimit(resource.RLIMIT_DATA)
    here = pages * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_DATA, (here if before < 0 else min(here, before), most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, most))
