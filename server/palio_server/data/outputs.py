"""Where tables go: a file, a folder with a file for each, or stdout. A file has its name only once it is whole."""

import gzip
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol, cast

from palio_rules.errors import BadOption
from palio_server.data.tables import columns_of

Form = Literal["jsonl", "parquet", "csv", "pgn"]
FORMS: tuple[Form, ...] = ("jsonl", "parquet", "csv", "pgn")
PACKED = (".gz", ".zst")


class Table(Protocol):
    """What rows are written to."""

    def write(self, rows: Sequence[Sequence[Any]]) -> None: ...
    def close(self) -> None: ...


def form_of(path: Path) -> str:
    """What its ending says, without that of a packed file: `plies.csv.gz` is `csv`."""
    name = path.name.lower()
    for packed in PACKED:
        name = name.removesuffix(packed)
    return Path(name).suffix.removeprefix(".")


def table_on(file: BinaryIO, form: Form, table: str, *, records: bool = True, raw: bool = False) -> Table:
    """Writes rows of `table` to `file`. Raises ModuleNotFoundError for Parquet without pyarrow."""
    columns = columns_of(table, records=records)
    if form == "csv":
        from palio_server.data.csv_file import CsvFile  # noqa: PLC0415  # each is loaded where it is written

        return CsvFile(file, columns, raw=raw)
    if form == "jsonl":
        from palio_server.data.json_lines import JsonLines  # noqa: PLC0415

        return JsonLines(file, columns)
    from palio_server.data.parquet_file import ParquetFile  # noqa: PLC0415  # pyarrow

    return ParquetFile(file, columns, table)


class Outputs:
    """The files of one export. Raises BadOption for one that is there already, or cannot be written."""

    def __init__(self, stack: ExitStack, *, force: bool) -> None:
        self._stack, self._force = stack, force
        self._written: list[tuple[Path, Path]] = []
        stack.push(self._end)

    def open(self, path: Path | None) -> BinaryIO:
        """A new file at `path`, packed if its ending says so; stdout without one."""
        if path is None:
            return sys.stdout.buffer
        self.check(path)
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            file: BinaryIO = self._stack.enter_context(part.open("wb"))
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise BadOption(f"--output {path} cannot be written: {why}; name another place") from None
        self._written.append((part, path))
        return self._stack.enter_context(_packed(file, path))

    def check(self, path: Path) -> None:
        """Raise BadOption unless a file may be written there."""
        if path.is_dir():
            raise BadOption(f"--output {path} is a folder; name a file in it")
        if path.exists() and not self._force:
            raise BadOption(f"--output {path} is there already; name another file, or write over it with --force")

    def _end(self, failed: type[BaseException] | None, _error: object, _where: object) -> None:
        """All files are closed. Give each its name, or take away what is not whole."""
        for part, path in self._written:
            if failed is None:
                part.replace(path)
            else:
                with suppress(OSError):
                    part.unlink()


@contextmanager
def _packed(file: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    if path.suffix == ".gz":
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:  # the same rows, the same bytes
            yield cast("BinaryIO", packed)
    elif path.suffix == ".zst":
        import pyarrow as pa  # noqa: PLC0415  # Python packs with zstd from 3.14 on

        with pa.CompressedOutputStream(file, "zstd") as packed:
            yield packed
    else:
        yield file
