"""A student's program in any language, used as its handout says: started, given its input, and read.

The bots that do so are a handout's adapters for programs. They run in our process, the program in one of its own, which
is gone when its answer is there, or when nobody waits for that any more.
"""

import asyncio
from asyncio.subprocess import PIPE, Process, create_subprocess_exec
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from palio_clients.handouts.coursework import Unfit
from palio_clients.handouts.working_folder import furnish, keep
from palio_clients.sdk.bot import Bot
from palio_clients.sdk.stdio import GONE_S, LAST_LINES, how_it_ended, pass_on

MAX_BYTES = 1_000_000  # printed; a menu that goes on after the end of its input prints more
MAX_LINE = 200  # characters quoted of each of its last lines


class Executable(Bot):
    """A bot that plays what a student's program answers. Its constructor takes the settings of a spec."""

    path: Path  # the program, there before `prepare`

    @property
    def file(self) -> str:
        return self.path.name

    async def ask(self, arguments: Sequence[str], typed: str) -> str:
        """What the program prints when it is started in a working folder and `typed` is its whole input.

        Raises Unfit, with its last lines, if it does not end well; what it writes to stderr is shown as ours.
        """
        with TemporaryDirectory(prefix="palio-") as above:
            folder = self.path.parent
            with suppress(OSError):  # no room, or no links: it runs beside itself
                folder = furnish(Path(above), self.path)
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
        """What to raise about a program that has done `what`."""
        lines = [line[:MAX_LINE] for line in printed.splitlines() if line.strip()][-LAST_LINES:]
        said = "\n".join(("its last lines:", *lines)) if lines else "it printed nothing"
        return Unfit(f"{self.file} {what}; {said}")


async def _type(process: Process, typed: str) -> None:
    assert process.stdin is not None
    with suppress(ConnectionError):  # it has not waited for all of it
        process.stdin.write(typed.encode())
        await process.stdin.drain()
        process.stdin.close()
        await process.stdin.wait_closed()


async def _read(process: Process) -> bytes:
    """What it prints; if that is too much, it is ended."""
    assert process.stdout is not None
    printed = b""
    while len(printed) <= MAX_BYTES and (chunk := await process.stdout.read(65_536)):
        printed += chunk
    if len(printed) > MAX_BYTES:
        _kill(process)
    return printed


async def _end(process: Process) -> None:
    """End it; on return it has ended and its pipes are read to their ends."""
    if process.returncode is None:
        _kill(process)
    with suppress(TimeoutError):
        async with asyncio.timeout(GONE_S):
            await process.communicate()


def _kill(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
