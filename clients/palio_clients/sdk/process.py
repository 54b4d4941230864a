"""A process of ours: its pipes, what it writes to stderr, which is copied to ours, and how it ends.

Lines come by plain calls, without tasks.
"""

import asyncio
import sys
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar, cast

from palio_clients.sdk.failures import PlayerFailed
from palio_clients.sdk.lines import Lines

STDIN, STDOUT, STDERR = range(3)
LAST_LINES = 8  # of stderr, quoted when the process dies


class Process(asyncio.SubprocessProtocol):
    """A process of ours: what it writes on stderr, and how it ends."""

    def __init__(self, called: str, pipes: Iterable[int]) -> None:
        """`called`: its name in sentences. `pipes`: those that we read, by the numbers that they have there."""
        self.called = called
        self.last_lines: deque[str] = deque(maxlen=LAST_LINES)
        self._stderr = Lines()
        loop = asyncio.get_running_loop()
        self._exited: asyncio.Future[int] = loop.create_future()
        self._read_out: asyncio.Future[None] = loop.create_future()  # the pipes have come to their ends
        self._open = set(pipes)
        self._transport: asyncio.SubprocessTransport

    @property
    def ended(self) -> bool:
        return self._exited.done()

    def terminate(self) -> None:
        self._transport.terminate()

    def kill(self) -> None:
        self._transport.kill()

    async def wait(self) -> int:
        """Its exit status, once it has ended."""
        return await asyncio.shield(self._exited)

    async def wait_for_last_words(self) -> int:
        """As `wait`, and all that it has written has been read."""
        await asyncio.shield(self._read_out)
        return await self.wait()

    def close(self) -> None:
        """Let go of its pipes, which something that it has started may keep open."""
        self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)  # uvloop's are not of asyncio's classes

    def pipe_data_received(self, fd: int, data: bytes) -> None:  # stderr's
        self._pass_on(self._stderr.feed(data))

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == STDERR:
            self._pass_on(self._stderr.end())
        self._open.discard(fd)
        if not self._open and not self._read_out.done():
            self._read_out.set_result(None)

    def process_exited(self) -> None:
        status = self._transport.get_returncode()
        if not self._exited.done():
            self._exited.set_result(0 if status is None else status)

    def _pass_on(self, lines: Sequence[bytes | None]) -> None:
        for line in lines:
            text = "(a very long line)" if line is None else line.decode(errors="replace")
            self.last_lines.append(text)
            print(text, file=sys.stderr)  # noqa: T201  # the program's words reach its author unchanged


class TalkingProcess(Process):
    """A process that takes lines on its stdin and gives lines on its stdout.

    What it says comes to `_take`, and that it will say no more to `_fell_silent`.
    """

    def __init__(self, called: str) -> None:
        """`called`: its name in sentences."""
        super().__init__(called, (STDOUT, STDERR))
        self.mute = self.deaf = False  # its stdout or its stdin has come to its end
        self._stdout = Lines()
        self._paused = False  # it waits in its pipe, since nobody reads there
        self._stdin: asyncio.WriteTransport

    def _take(self, lines: Sequence[bytes | None]) -> None:
        raise NotImplementedError

    def _fell_silent(self) -> None:
        raise NotImplementedError

    def _pause(self, pause: bool) -> None:  # noqa: FBT001  # it is the whole message
        pipe = cast("asyncio.ReadTransport | None", self._transport.get_pipe_transport(STDOUT))
        self._paused = pause
        if pipe is not None and not pipe.is_closing():
            if pause:
                pipe.pause_reading()
            else:
                pipe.resume_reading()

    # --- what asyncio calls -------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._stdin = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(STDIN))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == STDOUT:
            self._take(self._stdout.feed(data))
        else:
            super().pipe_data_received(fd, data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == STDIN:
            self.deaf = True
            return
        if fd == STDOUT:
            self._take(self._stdout.end())
            self.mute = True
            self._fell_silent()
        super().pipe_connection_lost(fd, exc)


Made = TypeVar("Made", bound=TalkingProcess)


async def start_talking(make: Callable[[str], Made], argv: Sequence[str], called: str) -> Made:
    """Start what `make` stands for. Raises PlayerFailed."""
    loop = asyncio.get_running_loop()
    pipe = asyncio.subprocess.PIPE
    try:
        _, made = await loop.subprocess_exec(lambda: make(called), *argv, stdin=pipe, stdout=pipe, stderr=pipe)
    except OSError as error:
        raise PlayerFailed(f"{called} cannot be started: {error}") from error
    return made
