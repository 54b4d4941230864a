"""Tables of a course's TOML files: each key is read by a function, and each fault is noted with its line."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from palio_rules.errors import BadOption, nearest, quoted
from palio_server.courses import toml_lines
from palio_server.courses.faults import Faults

T = TypeVar("T")
_PLACE = re.compile(r" \(at (?:line (?P<line>\d+), column \d+|end of document)\)$")
LONGEST = 1_000_000  # bytes of a file


@dataclass(slots=True)
class Table:
    """A table of a file. A fault of a key is noted, and the default stands for its value, so that reading goes on."""

    file: str  # its name in sentences
    values: Mapping[str, Any]
    lines: Mapping[toml_lines.Path, int]
    faults: Faults
    path: toml_lines.Path = ()
    _asked: list[str] = field(default_factory=list, init=False)
    _lacking: dict[str, str] = field(default_factory=dict, init=False)  # examples, by key

    def get(self, key: str, read: Callable[[Any], T], default: T) -> T:
        """Return the value of a key that may be left out. `read` raises BadOption for a value that it cannot take."""
        self._asked.append(key)
        if key not in self.values:
            return default
        try:
            return read(self.values[key])
        except BadOption as error:
            self.fault(key, f"{key}: {error}")
        return default

    def need(self, key: str, read: Callable[[Any], T], example: str) -> T | None:
        """Return the value of a key that must be there, None after a fault. `example` is a line as it may be."""
        if key not in self.values:
            self._lacking[key] = example
        return self.get(key, read, None)

    def given(self, **readers: Callable[[Any], Any]) -> dict[str, Any]:
        """Return the values of keys that may be left out, as `get` does, without those that are left out."""
        found = {key: self.get(key, read, None) for key, read in readers.items()}
        return {key: value for key, value in found.items() if value is not None}

    def table(self, key: str) -> "Table | None":
        """Return a table in this one, None without it."""
        self._asked.append(key)
        if (found := self.values.get(key)) is None:
            return None
        if isinstance(found, dict):
            return self._part(found, key)
        self.fault(key, f"{key}: {quoted(found)} is no table; write [{key}] and its keys below")
        return None

    def tables(self, key: str) -> Iterator["Table"]:
        """Yield the tables of an array of tables."""
        self._asked.append(key)
        found = self.values.get(key, [])
        if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
            self.fault(key, f"{key} is a list of tables; write [[{key}]] above each, with two brackets")
            return
        for number, each in enumerate(found):
            yield self._part(each, key, number)

    def end(self) -> None:
        """Note each key that was not asked for, and each one that is needed and not there."""
        for key in self.values:
            if key not in self._asked:
                remedy = nearest(key, set(self._asked))
                self.fault(key, f"unknown key {quoted(key)}; {remedy}")
                for meant in [each for each in self._lacking if remedy == nearest(each, [each])]:
                    del self._lacking[meant]
        where = self._header or "this file"
        for key, example in self._lacking.items():
            self.fault("", f"{where} has no {key}; write for instance {example}")

    def fault(self, key: str, text: str) -> None:
        """Note a fault of a key; "": of the table."""
        self.faults.add(self.file, self.line(key), text)

    def line(self, key: str = "") -> int:
        path = (*self.path, key) if key else self.path
        return self.lines.get(path) or self.lines.get(self.path) or 0

    @property
    def _header(self) -> str:
        """`[late]`, `[[against]]`, or "" for the whole file."""
        name = ".".join(each for each in self.path if isinstance(each, str))
        return f"[[{name}]]" if name and isinstance(self.path[-1], int) else f"[{name}]" if name else ""

    def _part(self, values: Mapping[str, Any], *path: str | int) -> "Table":
        return Table(self.file, values, self.lines, self.faults, (*self.path, *path))


def read_table(path: Path, file: str, faults: Faults) -> Table | None:
    """Return the table of a TOML file; None, with a fault, if it cannot be read. Numbers with a point are Decimals."""
    try:
        with path.open("rb") as opened:
            data = opened.read(LONGEST + 1)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        faults.add(file, 0, f"it cannot be read: {why}; each folder of this kind needs this file")
        return None
    if len(data) > LONGEST:
        faults.add(file, 0, f"it has more than {LONGEST:,} bytes, and is no such file")
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        faults.add(file, data[: error.start].count(b"\n") + 1, "this is not UTF-8; save the file in UTF-8")
        return None
    try:
        values, lines = tomllib.loads(text, parse_float=Decimal), toml_lines.lines_of(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        faults.add(file, *_syntax(str(error), text))
        return None
    return Table(file, values, lines, faults)


def _syntax(message: str, text: str) -> tuple[int, str]:
    """Return line and sentence of `tomllib`'s error."""
    lines = text.replace("\r\n", "\n").rstrip().split("\n")
    found = _PLACE.search(message)
    line = min(int(found["line"]), len(lines)) if found and found["line"] else len(lines)
    what = _PLACE.sub("", message)
    return (
        line,
        f"{quoted(lines[line - 1].strip())} is not TOML: {what[:1].lower()}{what[1:]}; see toml.io for the form",
    )
