"""A table as CSV by RFC 4180: UTF-8, lines end in CR LF, the first one names the columns.

Spreadsheets take a cell that begins with `=`, `+`, `-`, `@`, a tab or a line break for a formula, and players choose
their texts themselves. So a text that begins with one of these, or with an apostrophe, gets an apostrophe in front:
whoever takes off the first apostrophe of a text has it as it was. Numbers are left alone.
"""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, BinaryIO

import msgspec

from palio_server.data.tables import Column, Kind

RISKY = ("=", "+", "-", "@", "\t", "\r", "\n", "'")


def protected(text: str) -> str:
    """`text` as no spreadsheet runs it."""
    return f"'{text}" if text.startswith(RISKY) else text


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
        """`raw`: texts are written as they are, formulas or not."""
        self._file = file
        text: Callable[[Any], str] = str if raw else protected
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
