"""The file of `palio run --log-file`: what the command says, and with level=trace all lines of engines.

2026-11-27T21:40:02.118 INFO  Started game 1 of 20 (a vs b)
2026-11-27T21:40:02.214 TRACE a 3Fk9 > go wtime 10000 btime 10000 winc 100 binc 100
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, TextIO, get_args

from palio_rules.errors import BadOption, nearest, quoted

Level = Literal["trace", "info", "warn"]
LEVELS: tuple[Level, ...] = get_args(Level)
_KEYS = ("level", "append")


@dataclass(frozen=True, slots=True)
class LogChoice:
    """The value of `--log-file`: FILE, or FILE,level=trace,append=false."""

    file: str
    level: Level = "info"
    append: bool = True

    @classmethod
    def parse(cls, text: str) -> "LogChoice":
        """Read the value. Raises BadOption."""
        file, *settings = text.split(",")
        if not file:
            raise BadOption(f"--log-file {quoted(text)} names no file; write --log-file FILE,level=trace")
        level: Level = "info"
        append = True
        for setting in settings:
            key, _, value = setting.partition("=")
            if key not in _KEYS:
                raise BadOption(f"--log-file has no {quoted(key)}; {nearest(key, _KEYS)}")
            if key == "append":
                if value not in ("true", "false"):
                    raise BadOption(f"--log-file append={value}: write true or false")
                append = value == "true"
            else:
                level = _level(value)
        return cls(file, level, append)


def _level(text: str) -> Level:
    for level in LEVELS:
        if level == text:
            return level
    raise BadOption(f"--log-file level={text} is unknown; {nearest(text, LEVELS)}")


class RunLog:
    """An open log. Play goes on when it cannot be written, which is said once."""

    def __init__(self, choice: LogChoice, say: Callable[[str], None]) -> None:
        """Open the file. Raises BadOption. `say` is called if writing fails later."""
        self._choice, self._say = choice, say
        try:
            file = Path(choice.file)
            self._file: TextIO | None = (
                file.open("a", encoding="utf-8", buffering=1)
                if choice.append
                else file.open("w", encoding="utf-8", buffering=1)  # in its place: it may be a pipe, or a link
            )
        except OSError as error:
            raise BadOption(f"--log-file {choice.file} cannot be written: {error.strerror}") from None

    @property
    def traces(self) -> bool:
        """True if it has the lines of engines."""
        return self._choice.level == "trace"

    def note(self, text: str, level: Level) -> None:
        """Write what the command says, a line each."""
        if LEVELS.index(level) >= LEVELS.index(self._choice.level):
            for line in text.splitlines():
                self._write(datetime.now().astimezone(), level, line)

    def engine(self, name: str, line: str) -> None:
        """Write a line of the engine `name`, which has its own time first: "1764279602.214 MATCH > go infinite"."""
        at, _, rest = line.partition(" ")
        try:
            when = datetime.fromtimestamp(float(at)).astimezone()
        except (ValueError, OverflowError, OSError):  # of a program that writes such lines itself
            when, rest = datetime.now().astimezone(), line
        self._write(when, "trace", f"{name} {rest}")

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                file.close()

    def _write(self, when: datetime, level: Level, line: str) -> None:
        if self._file is None:
            return
        try:
            self._file.write(f"{when.isoformat(timespec='milliseconds')[:23]} {level.upper():5} {line}\n")
        except OSError as error:
            self.close()
            self._say(f"--log-file {self._choice.file} is not written any more: {error.strerror}")
