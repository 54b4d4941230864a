"""An engine as a process of ours: lines in, lines out. What it writes on stderr is copied to ours.

Of what it prints only the lines that matter are kept. While nobody waits for them few are read: the rest waits in its
pipe, so that an engine that prints without end costs nothing.
"""

import asyncio
from collections import deque
from collections.abc import Sequence

from palio_clients.sdk.failures import PlayerFailed, ProgramDied
from palio_clients.sdk.process import TalkingProcess, start_talking
from palio_clients.sdk.stdio import TERM_S, dismiss, how_it_ended
from palio_clients.ugi.lines import Said, read_line

BACKLOG = 256  # lines that nobody has waited for, before the engine has to wait


class EngineProcess(TalkingProcess):
    """One process. `start_engine` makes it."""

    def __init__(self, called: str) -> None:
        super().__init__(called)
        self._said: deque[Said] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._unread = 0  # lines since somebody has waited, noise included

    def send(self, line: str) -> None:
        """Write a line; nothing happens if the engine does not listen any more, which `said` tells."""
        if not self.deaf:
            self._stdin.write(f"{line}\n".encode())

    async def said(self) -> Said:
        """The next line that matters. Raises ProgramDied or PlayerFailed when there is none to come."""
        while not self._said:
            if self._paused:
                self._pause(False)
            if self.mute:
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
        self.deaf = True
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

    # --- inside -------------------------------------------------------------------------------------------------------

    def _take(self, lines: Sequence[bytes | None]) -> None:
        for line in lines:
            said = None if line is None else read_line(line.decode(errors="replace"))
            if said is not None:
                self._said.append(said)
        if self._said:
            self._wake()
        self._unread += len(lines)
        waited_for = self._waiter is not None and not self._waiter.done()
        if self._unread > BACKLOG and not waited_for and not self._paused and not self.deaf:
            self._pause(True)

    def _fell_silent(self) -> None:
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


async def start_engine(argv: Sequence[str], called: str) -> EngineProcess:
    """Start the engine. Raises PlayerFailed."""
    return await start_talking(EngineProcess, argv, called)
