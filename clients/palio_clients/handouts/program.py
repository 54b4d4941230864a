"""A student's Python file as a program: run as from a command line; what it prints is heard by us and by its author."""

import runpy
import sys
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from palio_clients.handouts.coursework import Unfit, name_of
from palio_clients.handouts.loading import look_in

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

MAX_PRINTED = 1_000_000  # bytes


class _Heard(BytesIO):
    """What was printed; it goes on to stderr, where its author may be watching."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file

    def write(self, data: "ReadableBuffer") -> int:
        text = bytes(data)
        if self.tell() + len(text) > MAX_PRINTED:
            raise Unfit(f"{name_of(self._file)} prints more than {MAX_PRINTED} bytes")
        sys.stderr.write(text.decode("utf-8", "backslashreplace"))
        return super().write(text)


def printed(file: Path, handout: Path, *arguments: str) -> str:
    """What `python file arguments` prints, run in this process: whatever ends this process ends the program, too.

    Imports are looked for as by `loading.load`. Whatever it raises is raised here; raises Unfit where it exits with a
    status that says that it failed.
    """
    look_in(file.parent, handout)
    sys.argv = [str(file), *arguments]
    heard = _Heard(file)
    stdout = TextIOWrapper(heard, "utf-8", "backslashreplace", write_through=True)
    with redirect_stdout(stdout):
        try:
            runpy.run_path(str(file), run_name="__main__")
        except SystemExit as end:
            if end.code not in (None, 0):
                told = f"with status {end.code}" if isinstance(end.code, int) else f"saying {end.code}"
                raise Unfit(f"{name_of(file)} exited {told}") from None
    return heard.getvalue().decode("utf-8", "backslashreplace")
