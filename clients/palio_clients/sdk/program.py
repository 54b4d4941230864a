"""A program that plays: a process of ours, which takes a message a line on its stdin, and gives them on its stdout.

What it writes to stderr is copied to ours. Lines come by plain calls, without tasks. While nobody waits for them, only
a few are read: a program that writes without end waits in its pipe.
"""

import asyncio
import sys
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Protocol, cast

from palio_clients.sdk.failures import PlayerFailed
from palio_rules.contract import codec as wire
from palio_rules.contract.codec import MAX_BYTES, Encoding
from palio_rules.contract.messages import BotMessage, Played, ServerMessage
from palio_rules.errors import WireError

STDIN, STDOUT, STDERR = range(3)
LAST_LINES = 8  # of stderr, quoted when the program dies
BACKLOG = 64  # messages that nobody has waited for yet, before the program has to wait
NO_MESSAGE = "which is no message"  # said of a line on stdout; `palio check-bot` looks for it
HOLD_S = 0.005  # how long a `played`, which asks for nothing, waits for a turn to travel with: each wakes the program


class Lines:
    """Cuts what a pipe brings into lines; None stands for one that is longer than a message may be."""

    def __init__(self) -> None:
        self._rest = b""
        self._too_long = False

    def feed(self, data: bytes) -> list[bytes | None]:
        """The lines that `data` completes."""
        if not self._rest and not self._too_long and data.find(b"\n") == len(data) - 1 <= MAX_BYTES:
            return [data[:-1]]  # nearly always: one line, all of it
        *lines, rest = (self._rest + data).split(b"\n")
        found: list[bytes | None] = []
        for line in lines:
            found.append(None if self._too_long or len(line) > MAX_BYTES else line)
            self._too_long = False
        if len(rest) > MAX_BYTES:
            rest, self._too_long = b"", True
        self._rest = rest
        return found

    def end(self) -> list[bytes | None]:
        """The last line, if no line break has ended it."""
        rest, self._rest = self._rest, b""
        return [None] if self._too_long else [rest] if rest else []


class Listener(Protocol):
    """Who plays with the program just now."""

    def heard(self) -> None:
        """There is something new in `Program.received`, or the end of it."""

    def report(self, sentence: str) -> None:
        """Take note of a fault."""


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


class Program(Process):
    """One process. `start` makes it; whoever plays sets `listener`."""

    def __init__(self, called: str) -> None:
        """`called`: its name in sentences."""
        super().__init__(called, (STDOUT, STDERR))
        self.listener: Listener | None = None
        self.received: deque[BotMessage] = deque()
        self.stays = False  # it has said that it takes another match
        self.mute = self.deaf = False  # its stdout or its stdin has come to its end
        self.played = False  # another match, before this one
        self._stdout = Lines()
        self._paused = False
        self._held: list[bytes] = []  # lines for its stdin
        self._holding: asyncio.TimerHandle | None = None
        self._stdin: asyncio.WriteTransport

    @property
    def usable(self) -> bool:
        """Whether it may be given another match."""
        return self.stays and not self.mute and not self.deaf and not self.ended

    def send(self, message: ServerMessage) -> None:
        """Write a message; a `played` a little later, if nothing else is to be written before."""
        if self.deaf:
            return
        self._held += wire.encode(message, Encoding.JSON), b"\n"
        if type(message) is not Played:
            self._write()
        elif self._holding is None:
            self._holding = asyncio.get_running_loop().call_later(HOLD_S, self._release)

    def take(self) -> BotMessage | None:
        """The next message of the program; None: there is none now."""
        message = self.received.popleft() if self.received else None
        if self._paused and not self.received:
            self._pause(False)
        return message

    def forget(self) -> None:
        """Ignore what it has said, as one that plays another match does."""
        self.received.clear()
        if self._paused:
            self._pause(False)

    # --- its end ------------------------------------------------------------------------------------------------------

    def hang_up(self) -> None:
        """Close its stdin, which asks it to end."""
        self._release()
        self.deaf = True
        self._stdin.close()

    def close(self) -> None:
        self.listener = None
        if self._holding is not None:
            self._holding.cancel()
        super().close()

    # --- what asyncio calls -------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._stdin = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))

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
            self._say_so()
        super().pipe_connection_lost(fd, exc)

    def _write(self) -> None:
        lines, self._held = b"".join(self._held), []
        self._stdin.write(lines)

    def _release(self) -> None:
        self._holding = None
        if self._held and not self.deaf:
            self._write()

    def _take(self, lines: Sequence[bytes | None]) -> None:
        before = len(self.received)
        for line in lines:
            if line is None:
                self._report(f"{self.called} wrote a line of more than {MAX_BYTES} bytes, which is ignored")
            elif line.strip():
                try:
                    self.received.append(wire.decode_from_bot(line, Encoding.JSON))
                except WireError as error:
                    text = line[:80].decode(errors="replace")
                    self._report(f"{self.called} wrote {text!r}, {NO_MESSAGE}: {error}; log to stderr instead")
        if len(self.received) > before:
            self._say_so()
            if len(self.received) > BACKLOG and not self._paused:
                self._pause(True)

    def _say_so(self) -> None:
        if self.listener is not None:
            self.listener.heard()

    def _report(self, sentence: str) -> None:
        if self.listener is not None:
            self.listener.report(sentence)

    def _pause(self, pause: bool) -> None:  # noqa: FBT001  # it is the whole message
        pipe = cast("asyncio.ReadTransport | None", self._transport.get_pipe_transport(1))
        self._paused = pause
        if pipe is not None and not pipe.is_closing():
            if pause:
                pipe.pause_reading()
            else:
                pipe.resume_reading()


async def start(argv: Sequence[str], called: str) -> Program:
    """Start the program. Raises PlayerFailed."""
    loop = asyncio.get_running_loop()
    pipe = asyncio.subprocess.PIPE
    try:
        _, program = await loop.subprocess_exec(lambda: Program(called), *argv, stdin=pipe, stdout=pipe, stderr=pipe)
    except OSError as error:
        raise PlayerFailed(f"{called} cannot be started: {error}") from error
    return program
