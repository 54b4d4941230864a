"""The text of a file with an instance, and the error sentences with file and line."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from palio_rules.errors import BadInstance, BadOption
from palio_rules.plain_text import given_path

MAX_BYTES = 1_000_000  # many times the size of the largest instance that fits into a message


@dataclass(frozen=True, slots=True)
class Source:
    """A text and the name of the file it came from."""

    name: str
    text: str

    @classmethod
    def read(cls, path: Path | str) -> Self:
        """Read a file. Raises BadInstance if it cannot be read, is too long, or is no UTF-8 text."""
        name = str(path)
        try:
            with given_path(path, "the file").open("rb") as file:
                data = file.read(MAX_BYTES + 1)
        except BadOption as error:
            raise BadInstance(str(error)) from None
        except OSError as error:
            where = f"check the path (here is {Path.cwd()})"
            raise BadInstance(f"{name}: cannot be read: {error.strerror or error}; {where}") from None
        if len(data) > MAX_BYTES:
            raise BadInstance(f"{name}: is longer than {MAX_BYTES} bytes, it cannot be an instance of a race")
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise BadInstance(f"{name}:{line}: is no UTF-8 text: {error.reason}") from None
        return cls(name, text.replace("\r\n", "\n").replace("\r", "\n"))

    @property
    def lines(self) -> list[str]:
        """Return the lines, without the white space at their ends."""
        return [line.rstrip() for line in self.text.split("\n")]

    def fault(self, line: int, reason: str) -> BadInstance:
        """Return the error about a line, counted from 1."""
        return BadInstance(f"{self.name}:{line}: {reason}")


_INTEGER = re.compile(r"[+-]?[0-9]{1,15}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,2})?")


def read_integer(text: str) -> int | None:
    """Return the integer that `text` is, or None."""
    return int(text) if _INTEGER.fullmatch(text) else None


def read_number(text: str) -> int | float | None:
    """Return the number that `text` is, an int where it is a whole one (`565.0`, `2.00000e+02`), or None."""
    if not _DECIMAL.fullmatch(text):
        return None
    value = float(text)
    return int(value) if value.is_integer() else value
