"""Output of the bots on stdout and stderr: kept in one file for each bot, and shown as it comes if that is wanted."""

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from palio_rules.contract import names

FILE_BYTES = 2_000_000  # of a bot's file; the newest are kept, and as many before them
LINE_BYTES = 4000  # of a line that are kept and shown
FOLDERS = "palio-bots-"  # how their names begin
KEPT_S = 7 * 86_400  # people read the files after the run; folders without a new line for so long are removed
REMARK = names.PREFIX.encode()


class OutputFolder:
    """The files `NAME.log`, and the older part of long ones, `NAME.log.old`, in a folder that the first line makes.

    Play goes on when a file cannot be written; `told` names its bot, whose later lines are shown only.
    """

    def __init__(self, shown: Collection[str] = (), show: Callable[[str], None] = lambda _: None) -> None:
        """`show` is called with each line of the bots `shown`, with the bot's name before it."""
        self._shown, self._show = frozenset(shown), show
        self._folder: Path | None = None
        self._outputs: dict[str, BotOutput] = {}

    @property
    def folder(self) -> Path | None:
        """The folder; None if no bot has written anything."""
        return self._folder

    def told(self) -> list[str]:
        """Return sentences for people: where the lines are, and of which bots lines are missing."""
        where = [] if self._folder is None else [f"what the bots printed is in {self._folder}"]
        faults = [
            f"what {each.name} printed is not kept: {each.fault}" for each in self._outputs.values() if each.fault
        ]
        return where + faults

    def of(self, name: str) -> "BotOutput":
        """Return the output of the bot `name`, for all its processes."""
        if name not in self._outputs:
            show = self._show if name in self._shown else None
            self._outputs[name] = BotOutput(name, lambda: self._file(name), show)
        return self._outputs[name]

    def close(self) -> None:
        """Close the files."""
        for output in self._outputs.values():
            output.close()

    def _file(self, name: str) -> Path:
        if self._folder is None:
            remove_old(Path(tempfile.gettempdir()))
            self._folder = Path(tempfile.mkdtemp(prefix=FOLDERS))  # of this user only
        return self._folder / f"{name}.log"


def remove_old(parent: Path) -> None:
    """Remove the folders of this user's former runs that were not written to for a week."""
    for folder in parent.glob(f"{FOLDERS}*"):
        with suppress(OSError):  # another run removes it, or writes to it
            about = folder.lstat()
            if not stat.S_ISDIR(about.st_mode) or about.st_uid != _user():
                continue
            newest = max([about.st_mtime, *(file.lstat().st_mtime for file in folder.iterdir())])
            if time.time() - newest > KEPT_S:
                shutil.rmtree(folder)


def _user() -> int:
    """Return the user of this process; 0 on Windows, where folders have no other."""
    return os.getuid() if hasattr(os, "getuid") else 0


class BotOutput:
    """The output of one bot. Made by `OutputFolder.of`."""

    def __init__(self, name: str, file: Callable[[], Path], show: Callable[[str], None] | None) -> None:
        self.name, self.fault = name, ""  # why lines are not kept
        self._where, self._show = file, show
        self._file: BinaryIO | None = None
        self._size = 0

    def add(self, lines: bytes) -> None:
        """Take in whole lines."""
        if not self.fault:
            try:
                self._write(lines)
            except OSError as error:
                self.fault = str(error)
                self.close()
        if self._show is not None:
            for line in lines.splitlines():
                if not line.startswith(REMARK):  # these are shown anyhow
                    self._show(f"{self.name}: {line[:LINE_BYTES].decode(errors='replace')}")

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                file.close()

    def _write(self, lines: bytes) -> None:
        if self._file is not None and self._size + len(lines) > FILE_BYTES:
            self.close()
            where = self._where()
            where.replace(where.with_name(f"{where.name}.old"))
        if self._file is None:
            self._file, self._size = self._where().open("wb", buffering=0), 0
        self._size += self._file.write(lines) or 0


class Stream:
    """One of the streams of one process: its pieces are joined to whole lines."""

    def __init__(self, output: BotOutput) -> None:
        self._output = output
        self._part = b""

    def feed(self, piece: bytes) -> None:
        whole, newline, part = piece.rpartition(b"\n")
        if newline:
            self._output.add(self._part + whole + newline)
            self._part = part
        else:
            self._part += part
        if len(self._part) > LINE_BYTES:  # shown in parts, so that memory is bounded
            self.end()

    def end(self) -> None:
        """Take what is left as a line."""
        if self._part:
            self._output.add(self._part + b"\n")
            self._part = b""
