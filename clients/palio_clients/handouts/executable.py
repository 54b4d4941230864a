"""A student's program in any language, used as its handout says: started, given its input, and read.

The bots are a handout's adapters for programs. They run in our process, the program in its own, which is ended when its
answer is complete, or no longer needed.
"""

import asyncio
import os
import shutil
import sys
from asyncio.subprocess import PIPE, Process, create_subprocess_exec
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from palio_clients.handouts.coursework import Unfit
from palio_clients.handouts.entering import Entry
from palio_clients.sdk.bot import Bot
from palio_clients.sdk.stdio import GONE_S, LAST_LINES, how_it_ended, pass_on
from palio_rules.temporary import TemporaryFolder

# The working folder of a student's program: a folder of links, in which it finds the files that it opened in its
# course.
#
# Some programs open `states.json` beside their file, others `team/states.json` beside their package. Both exist here:
# links to the files beside the program, to its folders, by their names, and to the files beside those, up to the folder
# that the SPEC names. New files that it writes are kept beside the program.

MOST = 1000  # links for one folder; of a larger folder only those that lead to the file
CACHES = ("__pycache__", ".numba")


def link_folder(empty: Path, entry: Entry) -> Path:
    """Make the working folder of the program in `entry` in the folder `empty`, which stands for its parent folder.

    Raises OSError if no links can be made.
    """
    beside = entry.file.parent
    folder = empty / (beside.name or "work")
    folder.mkdir()
    _link(folder, _targets(entry))
    if beside != entry.root:
        _link(empty, _entries(beside.parent))
    return folder


def _link(folder: Path, targets: Iterable[Path]) -> None:
    for target in targets:
        with suppress(FileExistsError):  # a name nearer to the file takes precedence
            (folder / target.name).symlink_to(target)


def enter(folder: Path, file: Path) -> None:
    """Make `folder` this process's own, and put new files beside `file` at once."""
    os.chdir(folder)
    beside = file.parent
    if folder == beside or not os.access(beside, os.W_OK):
        return

    def before(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and _makes_a_file(*arguments):
            name = str(arguments[0])
            with suppress(OSError):
                os.symlink(beside / name, folder / name)  # noqa: PTH211  # opening the link creates its target

    sys.addaudithook(before)


def _makes_a_file(name: object, _mode: object, flags: object) -> bool:
    """Return whether an open call creates a file, given by its name alone."""
    if not isinstance(name, str) or not isinstance(flags, int) or flags & (os.O_CREAT | os.O_EXCL) != os.O_CREAT:
        return False
    return not os.path.dirname(name) and not os.path.lexists(name)  # noqa: PTH120  # called often


def keep(folder: Path, file: Path) -> None:
    """Move the program's other new files beside `file`, as far as that is allowed and the names are free."""
    for path in folder.iterdir() if folder != file.parent else ():
        beside = file.parent / path.name
        if path.is_symlink() or path.name in CACHES or beside.exists():
            continue
        if os.access(file.parent, os.W_OK):
            with suppress(OSError):
                shutil.move(path, beside)


def _targets(entry: Entry) -> Iterator[Path]:
    folder = entry.file.parent
    yield from _entries(folder)
    while folder != entry.root:
        yield folder
        folder = folder.parent
        yield from _entries(folder)
    yield folder


def _entries(folder: Path) -> list[Path]:
    try:
        names = os.listdir(folder)  # noqa: PTH208  # an unreadable folder is skipped
    except OSError:
        return []
    return [folder / name for name in sorted(names) if name not in CACHES] if len(names) <= MOST else []


MAX_BYTES = 1_000_000  # of output; a menu that loops after the end of its input prints more
MAX_LINE = 200  # characters quoted of each of its last lines


class Executable(Bot):
    """A bot that plays the answers of a student's program. Its constructor takes the settings of a spec."""

    path: Path  # the program, set before `prepare`

    @property
    def file(self) -> str:
        return self.path.name

    async def ask(self, arguments: Sequence[str], typed: str) -> str:
        """Start the program in a working folder with `typed` as its whole input; return its output.

        Raises Unfit, with its last lines, if it does not end well; its stderr appears on ours.
        """
        with TemporaryFolder("game") as above:
            folder = self.path.parent
            with suppress(OSError):  # no disk space, or no links: it runs in its own folder
                folder = link_folder(above, Entry(self.path.parent, self.path))
            try:
                return await self._run(arguments, typed, folder)
            finally:
                with suppress(OSError):
                    keep(folder, self.path)

    async def _run(self, arguments: Sequence[str], typed: str, folder: Path) -> str:
        try:
            process = await create_subprocess_exec(
                str(self.path), *arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=folder
            )
        except OSError as error:
            raise Unfit(f"{self.file} cannot be started: {error.strerror or error}") from None
        words: deque[str] = deque(maxlen=LAST_LINES)
        assert process.stderr is not None
        try:
            printed, _, _ = await asyncio.gather(_read(process), pass_on(process.stderr, words), _type(process, typed))
            if len(printed) <= MAX_BYTES:
                await process.wait()
        finally:
            await _end(process)
        text = printed.decode(errors="replace")
        if len(printed) > MAX_BYTES:
            raise self.unfit(f"printed more than {MAX_BYTES} bytes", text)
        if process.returncode:
            raise self.unfit(how_it_ended(process.returncode), "\n".join([text, *words]))
        return text

    def unfit(self, what: str, printed: str) -> Unfit:
        """Return the error about a program that has done `what`."""
        lines = [line[:MAX_LINE] for line in printed.splitlines() if line.strip()][-LAST_LINES:]
        said = "\n".join(("its last lines:", *lines)) if lines else "it printed nothing"
        return Unfit(f"{self.file} {what}; {said}")


async def _type(process: Process, typed: str) -> None:
    assert process.stdin is not None
    with suppress(ConnectionError):  # it did not read all of it
        process.stdin.write(typed.encode())
        await process.stdin.drain()
        process.stdin.close()
        await process.stdin.wait_closed()


async def _read(process: Process) -> bytes:
    """Return the output; a program with too much output is ended."""
    assert process.stdout is not None
    printed = b""
    while len(printed) <= MAX_BYTES and (chunk := await process.stdout.read(65_536)):
        printed += chunk
    if len(printed) > MAX_BYTES:
        _kill(process)
    return printed


async def _end(process: Process) -> None:
    """End the process; on return it has ended and its pipes are read to their ends."""
    if process.returncode is None:
        _kill(process)
    with suppress(TimeoutError):
        async with asyncio.timeout(GONE_S):
            await process.communicate()


def _kill(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
