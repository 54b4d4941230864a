"""A table as JSON, one object a line; null where a cell is empty, dates as ISO 8601."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, BinaryIO

import msgspec

from palio_server.data.csv_file import moment_text
from palio_server.data.tables import Column


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
