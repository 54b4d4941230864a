"""The line of each key of a TOML text, which `tomllib` does not tell.

A path is that of the value in `tomllib`'s dictionaries and lists: `("against", 0, "bot")`. The text must be valid TOML:
the scanner only finds where keys and values begin and end, and `tomllib` reads the keys themselves.
"""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Callable, Mapping

Path = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_KEY = re.compile(r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'=\]])+""")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}'
    r"|'''(?:[^']|'{1,2}(?!'))*'{3,5}"
    r'|"(?:[^"\\]|\\.)*"'
    r"|'[^']*'",
    re.DOTALL,
)
_BARE = re.compile(r"[^,\]}\n#]+")  # a number, a flag or a date


def lines_of(text: str) -> Mapping[Path, int]:
    r"""Return the line, from 1, on which the key or the array's element of each path stands first.

    >>> lines_of('title = "Dominoes"\n[[against]]\nbot = "random"')
    {('title',): 1, ('against',): 2, ('against', 0): 2, ('against', 0, 'bot'): 3}
    """
    scanner = _Scanner(text.replace("\r\n", "\n"))
    scanner.run()
    return scanner.lines


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._ends = [found.start() for found in re.finditer("\n", text)]
        self._tables: dict[Path, int] = {}  # how many tables of an array were met
        self.lines: dict[Path, int] = {}

    def run(self) -> None:
        table: Path = ()
        while self._skip(_BLANK) and self._at < len(self._text):
            if self._takes("[["):
                table = self._next_table(self._keys())
                self._at += 2
            elif self._takes("["):
                table = self._record((), self._keys())
                self._at += 1
            else:
                self._pair(table)

    def _next_table(self, keys: list[str]) -> Path:
        """Return the path of one more table of an array of tables."""
        array = (*self._record((), keys[:-1]), keys[-1])
        number = self._tables[array] = self._tables.get(array, -1) + 1
        for path in (array, (*array, number)):
            self.lines.setdefault(path, self._line)
        return (*array, number)

    def _pair(self, table: Path) -> None:
        path = self._record(table, self._keys())
        self._at += 1  # =
        self._value(path)

    def _record(self, path: Path, keys: list[str]) -> Path:
        """Note the line of each table on the way of dotted keys; an array of tables stands for its last one."""
        for key in keys:
            path = (*path, key)
            self.lines.setdefault(path, self._line)
            if path in self._tables:
                path = (*path, self._tables[path])
        return path

    def _value(self, path: Path) -> None:
        self._skip(_BLANK)
        if self._takes("["):
            self._until("]", lambda number: self._element((*path, number)))
        elif self._takes("{"):
            self._until("}", lambda _: self._pair(path))
        else:
            self._skip(_STRING if self._text[self._at] in "\"'" else _BARE)

    def _element(self, path: Path) -> None:
        self.lines[path] = self._line
        self._value(path)

    def _until(self, end: str, read: Callable[[int], None]) -> None:
        """Read what stands between commas, by its number."""
        number = 0
        while self._skip(_BLANK) and not self._takes(end):
            read(number)
            number += 1
            self._skip(_BLANK)
            self._takes(",")

    def _keys(self) -> list[str]:
        """Return the parts of the dotted key at this place."""
        begin = self._at
        self._skip(_KEY)
        found = tomllib.loads(f"{self._text[begin : self._at].strip()} = 0")
        keys: list[str] = []
        while isinstance(found, dict):
            [(key, found)] = found.items()
            keys.append(key)
        return keys

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        found = pattern.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return True

    def _takes(self, text: str) -> bool:
        if not self._text.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    @property
    def _line(self) -> int:
        return bisect_right(self._ends, self._at - 1) + 1
