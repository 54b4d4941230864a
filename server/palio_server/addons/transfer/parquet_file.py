"""A table as Parquet, with pyarrow: typed columns, in row groups of bounded size, written as rows come."""

from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from palio_server.addons.transfer.tables import Column, Kind

GROUP_ROWS = 50_000  # of a row group, at most,
GROUP_CHARACTERS = 16 * 2**20  # and of the texts in it

TYPES: dict[Kind, Any] = {
    "text": pa.string(),
    "json": pa.string(),
    "word": pa.dictionary(pa.int32(), pa.string()),
    "int": pa.int64(),
    "float": pa.float64(),
    "flag": pa.bool_(),
    "moment": pa.timestamp("us", tz="UTC"),
    "texts": pa.list_(pa.string()),
    "ints": pa.list_(pa.int64()),
    "floats": pa.list_(pa.float64()),
}


def schema_of(columns: Sequence[Column], table: str) -> pa.Schema:
    """The types, and what each column means."""
    fields = [pa.field(column.name, TYPES[column.kind], metadata={"about": column.about}) for column in columns]
    return pa.schema(fields, metadata={"palio": table})


class ParquetFile:
    """Writes rows to a binary file, which stays open."""

    def __init__(self, file: BinaryIO, columns: Sequence[Column], table: str) -> None:
        self._columns = columns
        self._schema = schema_of(columns, table)
        self._writer = pq.ParquetWriter(file, self._schema, compression="zstd")
        self._rows: list[Sequence[Any]] = []
        self._characters = 0

    def write(self, rows: Iterable[Sequence[Any]]) -> None:
        for row in rows:
            self._rows.append(row)
            self._characters += sum(len(cell) for cell in row if isinstance(cell, str))
            if len(self._rows) >= GROUP_ROWS or self._characters >= GROUP_CHARACTERS:
                self._flush()

    def _flush(self) -> None:
        if not self._rows:
            return
        arrays = [
            pa.array(cells, type=field.type)
            for cells, field in zip(zip(*self._rows, strict=True), self._schema, strict=True)
        ]
        self._rows.clear()
        self._characters = 0
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))

    def close(self) -> None:
        """Write what is left, and what a reader looks for at the end of the file."""
        self._flush()
        self._writer.close()
