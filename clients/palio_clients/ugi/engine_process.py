"""An engine as a process of ours: lines in, lines out. What it writes on stderr is copied to ours.

Of what it prints only the lines that matter are kept. While nobody waits for them few are read: the rest waits in its
pipe, so that an engine that prints without end costs nothing.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import cast

from palio_clients.sdk.failures import PlayerFailed, ProgramDied
from palio_clients.sdk.program import STDERR, STDIN, STDOUT, Lines, Process
from palio_clients.sdk.stdio import TERM_S, dismiss, how_it_ended
from palio_clients.ugi.lines import Said, read_line

BACKLOG = 256  # lines that nobody has waited for, before the engine has to wait


class EngineProcess(Process):
    """One process. `start_engine` makes it."""

    def __init__(self, called: str) -> None:
        super().__init__(called, (STDOUT, STDERR))
        self._said: deque[Said] = deque()
        self._stdout = Lines()
        self._waiter: asyncio.Future[None] | None = None
        self._mute = self._deaf = self._paused = False
        self._unread = 0  # lines since somebody has waited, noise included
        self._stdin: asyncio.WriteTransport

    def send(self, line: str) -> None:
        """Write a line; nothing happens if the engine does not listen any more, which `said` tells."""
        if not self._deaf:
            self._stdin.write(f"{line}\n".encode())

    async def said(self) -> Said:
        """The next line that matters. Raises ProgramDied or PlayerFailed when there is none to come."""
        while not self._said:
            if self._paused:
                self._pause(False)
            if self._mute:
                raise await self._why()
            self._unread = 0
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        return self._said.popleft()

    def forget(self) -> None:
        """Leave out what it has said and nobody has waited for."""
        self._said.clear()

    async def dismiss(self) -> None:
        """Ask it to quit; on return it has ended."""
        self.send("quit")
        await dismiss(self)

    def hang_up(self) -> None:
        self._deaf = True
        self._stdin.close()
        if self._paused:
            self._pause(False)  # it may wait for us to read

    async def _why(self) -> PlayerFailed:
        try:
            async with asyncio.timeout(TERM_S):
                status = await self.wait_for_last_words()
        except TimeoutError:
            return PlayerFailed(f"{self.called} closed its stdout but runs on; it must keep stdout open to play")
        return ProgramDied(f"{self.called} {how_it_ended(status)} in mid-match", tuple(self.last_lines))

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
            self._deaf = True
            return
        if fd == STDOUT:
            self._take(self._stdout.end())
            self._mute = True
            self._wake()
        super().pipe_connection_lost(fd, exc)

    def _take(self, lines: Sequence[bytes | None]) -> None:
        for line in lines:
            said = None if line is None else read_line(line.decode(errors="replace"))
            if said is not None:
                self._said.append(said)
        if self._said:
            self._wake()
        self._unread += len(lines)
        waited_for = self._waiter is not None and not self._waiter.done()
        if self._unread > BACKLOG and not waited_for and not self._paused and not self._deaf:
            self._pause(True)

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _pause(self, pause: bool) -> None:  # noqa: FBT001  # it is the whole message
        pipe = cast("asyncio.ReadTransport | None", self._transport.get_pipe_transport(STDOUT))
        self._paused = pause
        if pipe is not None and not pipe.is_closing():
            with suppress(RuntimeError):
                (pipe.pause_reading if pause else pipe.resume_reading)()


async def start_engine(argv: Sequence[str], called: str) -> EngineProcess:
    """Start the engine. Raises PlayerFailed."""
    loop = asyncio.get_running_loop()
    pipe = asyncio.subprocess.PIPE
    try:
        _, engine = await loop.subprocess_exec(
            lambda: EngineProcess(called), *argv, stdin=pipe, stdout=pipe, stderr=pipe
        )
    except OSError as error:
        raise PlayerFailed(f"{called} cannot be started: {error}") from error
    return engine
