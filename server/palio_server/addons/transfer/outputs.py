"""Destinations of tables: a file, a folder with a file for each, or stdout. A file gets its name when it is whole."""

import csv
import gzip
import io
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol, cast

import msgspec

from palio_rules.errors import BadOption
from palio_rules.plain_text import cell
from palio_rules.written_file import WholeFile, is_ordinary
from palio_server.addons.transfer.tables import Column, Kind, columns_of

Form = Literal["jsonl", "parquet", "csv", "pgn", "sgf"]
FORMS: tuple[Form, ...] = ("jsonl", "parquet", "csv", "pgn", "sgf")
WHOLE: tuple[Form, ...] = ("jsonl", "pgn", "sgf")  # a match is one text, no row of a table
GAMES_ONLY: tuple[Form, ...] = ("pgn", "sgf")
PACKED = (".gz", ".zst")


class Table(Protocol):
    """A place that rows are written to."""

    def write(self, rows: Sequence[Sequence[Any]]) -> None: ...
    def close(self) -> None: ...


def form_of(path: Path) -> str:
    """Return the form that a file's ending names, without that of a packed file: `plies.csv.gz` is `csv`."""
    name = path.name.lower()
    for packed in PACKED:
        name = name.removesuffix(packed)
    return Path(name).suffix.removeprefix(".")


def table_on(file: BinaryIO, form: Form, table: str, *, records: bool = True, raw: bool = False) -> Table:
    """Writes rows of `table` to `file`. Raises ModuleNotFoundError for Parquet without pyarrow."""
    columns = columns_of(table, records=records)
    if form == "csv":
        return CsvFile(file, columns, raw=raw)
    if form == "jsonl":
        return JsonLines(file, columns)
    from palio_server.addons.transfer.parquet_file import ParquetFile  # pyarrow

    return ParquetFile(file, columns, table)


class Outputs:
    """The files of one export. Raises BadOption for one that is there already, or cannot be written."""

    def __init__(self, stack: ExitStack, *, force: bool) -> None:
        self._stack, self._force = stack, force
        self._written: list[WholeFile] = []
        stack.push(self._end)

    def open(self, path: Path | None) -> BinaryIO:
        """A new file at `path`, packed if its ending says so; stdout without one."""
        if path is None:
            return sys.stdout.buffer
        self.check(path)
        try:
            whole = WholeFile(path)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise BadOption(f"--output {path} cannot be written: {why}; name another place") from None
        self._written.append(whole)
        return self._stack.enter_context(_packed(self._stack.enter_context(whole.file), path))

    def check(self, path: Path) -> None:
        """Raise BadOption unless a file may be written there."""
        if path.is_dir():
            raise BadOption(f"--output {path} is a folder; name a file in it")
        if path.exists() and is_ordinary(path) and not self._force:
            raise BadOption(f"--output {path} is there already; name another file, or write over it with --force")

    def _end(self, failed: type[BaseException] | None, _error: object, _where: object) -> None:
        """All files are closed. Give each its name, or take away what is not whole."""
        for whole in self._written:
            if failed is None:
                whole.keep()
            else:
                whole.drop()


@contextmanager
def _packed(file: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    if path.suffix == ".gz":
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:  # the same rows, the same bytes
            yield cast("BinaryIO", packed)
    elif path.suffix == ".zst":
        import pyarrow as pa  # Python packs with zstd from 3.14 on

        with pa.CompressedOutputStream(file, "zstd") as packed:
            yield packed
    else:
        yield file


# A table as CSV by RFC 4180: UTF-8, lines end in CR LF, the first one names the columns. Texts are no formulas.


def moment_text(moment: datetime) -> str:
    """`2026-11-20T21:00:00.000000Z`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _list(values: Sequence[Any]) -> str:
    return msgspec.json.encode(values).decode()


_WRITTEN: dict[Kind, Callable[[Any], str]] = {
    "int": str,
    "float": repr,
    "flag": lambda value: "true" if value else "false",
    "moment": moment_text,
    "texts": _list,
    "ints": _list,
    "floats": _list,
}


class CsvFile:
    """Writes rows to a binary file, which stays open."""

    def __init__(self, file: BinaryIO, columns: Sequence[Column], *, raw: bool = False) -> None:
        """`raw`: texts are written unchanged, also formulas."""
        self._file = file
        text: Callable[[Any], str] = str if raw else cell
        self._written = [_WRITTEN.get(column.kind, text) for column in columns]
        self._write([[column.name for column in columns]])

    def write(self, rows: Iterable[Sequence[Any]]) -> None:
        self._write(
            ["" if value is None else written(value) for written, value in zip(self._written, row, strict=True)]
            for row in rows
        )

    def _write(self, rows: Iterable[Sequence[str]]) -> None:
        text = io.StringIO(newline="")
        csv.writer(text).writerows(rows)
        self._file.write(text.getvalue().encode())

    def close(self) -> None:
        """Nothing is left to be written."""


# A table as JSON, one object a line; null where a cell is empty, dates as ISO 8601.


class JsonLines:
    """Writes rows to a binary file, which stays open."""

    def __init__(self, file: BinaryIO, columns: Sequence[Column]) -> None:
        self._file = file
        self._columns = columns
        self._encoder = msgspec.json.Encoder()

    def write(self, rows: Iterable[Sequence[Any]]) -> None:
        self._file.write(b"".join(self._encoder.encode(self._object(row)) + b"\n" for row in rows))

    def _object(self, row: Sequence[Any]) -> dict[str, Any]:
        return {column.name: _value(column, cell) for column, cell in zip(self._columns, row, strict=True)}

    def close(self) -> None:
        """Nothing is left to be written."""


def _value(column: Column, value: Any) -> Any:
    if value is None:
        return None
    if column.kind == "json":
        return msgspec.Raw(value.encode())
    return moment_text(value) if isinstance(value, datetime) else value
