"""A program that plays: a child process, which reads a message a line on its stdin, and writes them on its stdout.

While no one waits for them, only a few are read: a program that writes without end blocks on its pipe.
"""

import asyncio
import os
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import BinaryIO, Protocol, TypeVar, cast

from palio_clients.sdk.failures import PlayerFailed
from palio_clients.sdk.lines import Lines
from palio_rules.contract import codec as wire
from palio_rules.contract import messages
from palio_rules.contract.codec import MAX_BYTES, Encoding
from palio_rules.contract.messages import BotMessage, Played, ServerMessage
from palio_rules.errors import WireError

# A child process: its pipes, its stderr, which is copied to ours, and its end.
#
# Lines arrive by plain calls, without tasks.

STDIN, STDOUT, STDERR = range(3)
LAST_LINES = 8  # of stderr, quoted when the process dies
FLOOD_BYTES, REST_S = 2**15, 0.005  # of a pipe, read at once, after which it is not read for so many seconds


def print_lines(lines: str) -> None:
    """Print lines of a program's stderr on ours: its words reach its author unchanged."""
    print(lines, file=sys.stderr)  # noqa: T201


class Process(asyncio.SubprocessProtocol):
    """A child process: its stderr, and its end."""

    def __init__(self, called: str, pipes: Iterable[int], tell: Callable[[str], None] = print_lines) -> None:
        """Prepare the process; `called` is its name in sentences, `pipes` the numbers of the pipes that we read.

        `tell` takes the lines of its stderr, one or several at a time.
        """
        self.called, self._tell = called, tell
        self.last_lines: deque[str] = deque(maxlen=LAST_LINES)
        self._stderr = Lines()
        loop = asyncio.get_running_loop()
        self._exited: asyncio.Future[int] = loop.create_future()
        self._read_out: asyncio.Future[None] = loop.create_future()  # the pipes are at their ends
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
        """Return its exit status, once it has ended."""
        return await asyncio.shield(self._exited)

    async def wait_for_output(self) -> int:
        """Return its exit status, once it has ended and all its output has been read."""
        await asyncio.shield(self._read_out)
        return await self.wait()

    def close(self) -> None:
        """Close its pipes, which a process that it has started may keep open."""
        self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)  # uvloop's are not of asyncio's classes

    def pipe_data_received(self, fd: int, data: bytes) -> None:  # stderr's
        self._pass_on(self._stderr.feed(data))
        if len(data) >= FLOOD_BYTES:
            self._read_pipe(STDERR, False)
            asyncio.get_running_loop().call_later(REST_S, self._read_pipe, STDERR, True)

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
        texts = ["(a very long line)" if line is None else line.decode(errors="replace") for line in lines]
        if texts:
            self.last_lines.extend(texts)
            self._tell("\n".join(texts))

    def _read_pipe(self, fd: int, read: bool) -> None:  # noqa: FBT001  # the whole message
        pipe = cast("asyncio.ReadTransport | None", self._transport.get_pipe_transport(fd))
        if pipe is not None and not pipe.is_closing():
            if read:
                pipe.resume_reading()
            else:
                pipe.pause_reading()


class TalkingProcess(Process):
    """A child process that reads lines on its stdin and writes lines on its stdout.

    Its lines are passed to `_take`, and the end of its output to `_output_ended`.
    """

    def __init__(self, called: str, tell: Callable[[str], None] = print_lines) -> None:
        """Prepare the process; see `Process`."""
        super().__init__(called, (STDOUT, STDERR), tell)
        self.stdout_closed = self.stdin_closed = False  # its stdout or its stdin is at its end
        self._stdout = Lines()
        self._paused = False  # it blocks on its pipe, because no one reads
        self._stdin: asyncio.WriteTransport

    def _take(self, lines: Sequence[bytes | None]) -> None:
        raise NotImplementedError

    def _output_ended(self) -> None:
        raise NotImplementedError

    def _pause(self, pause: bool) -> None:  # noqa: FBT001  # the whole message
        self._paused = pause
        self._read_pipe(STDOUT, not pause)

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
            self.stdin_closed = True
            return
        if fd == STDOUT:
            self._take(self._stdout.end())
            self.stdout_closed = True
            self._output_ended()
        super().pipe_connection_lost(fd, exc)


Made = TypeVar("Made", bound=TalkingProcess)


async def start_talking(make: Callable[[str], Made], argv: Sequence[str], called: str) -> Made:
    """Start a process of the class `make`. Raises PlayerFailed."""
    loop = asyncio.get_running_loop()
    pipe = asyncio.subprocess.PIPE
    try:
        _, made = await loop.subprocess_exec(lambda: make(called), *argv, stdin=pipe, stdout=pipe, stderr=pipe)
    except OSError as error:
        raise PlayerFailed(f"{called} cannot be started: {error}") from error
    return made


BACKLOG = 64  # unread messages before the program has to wait
NO_MESSAGE = "which is no message"  # about a line on stdout; `palio check-bot` searches for it
HOLD_S = 0.005  # how long a `played`, which needs no answer, waits to be sent with a turn: each write wakes the program


class ProgramListener(Protocol):
    """The current user of the program."""

    def heard(self) -> None:
        """Handle a new item in `Program.received`, or its end."""

    def report(self, sentence: str) -> None:
        """Record an error."""


class Program(TalkingProcess):
    """One process, made by `start`; its user sets `listener`."""

    def __init__(self, called: str) -> None:
        """Prepare the process; `called` is its name in sentences."""
        super().__init__(called)
        self.listener: ProgramListener | None = None
        self.received: deque[BotMessage] = deque()
        self.stays = False  # it has announced that it takes another match
        self.played = False  # another match, before this one
        self._held: list[bytes] = []  # lines for its stdin
        self._holding: asyncio.TimerHandle | None = None

    @property
    def usable(self) -> bool:
        """Return whether it may get another match."""
        return self.stays and not self.stdout_closed and not self.stdin_closed and not self.ended

    def send(self, message: ServerMessage) -> None:
        """Write a message; a `played` a little later, unless another message is written before."""
        if self.stdin_closed:
            return
        self._held += wire.encode(message, Encoding.JSON), b"\n"
        if type(message) is not Played:
            self._write()
        elif self._holding is None:
            self._holding = asyncio.get_running_loop().call_later(HOLD_S, self._release)

    def take(self) -> BotMessage | None:
        """Return the program's next message; None if there is none now."""
        message = self.received.popleft() if self.received else None
        if self._paused and not self.received:
            self._pause(False)
        return message

    def forget(self) -> None:
        """Ignore its messages so far, before another match."""
        self.received.clear()
        if self._paused:
            self._pause(False)

    # --- its end ------------------------------------------------------------------------------------------------------

    def hang_up(self) -> None:
        """Close its stdin, which asks it to end."""
        self._release()
        self.stdin_closed = True
        self._stdin.close()

    def close(self) -> None:
        self.listener = None
        if self._holding is not None:
            self._holding.cancel()
        super().close()

    # --- inside -------------------------------------------------------------------------------------------------------

    def _write(self) -> None:
        lines, self._held = b"".join(self._held), []
        self._stdin.write(lines)

    def _release(self) -> None:
        self._holding = None
        if self._held and not self.stdin_closed:
            self._write()

    def _take(self, lines: Sequence[bytes | None]) -> None:
        before = len(self.received)
        for line in lines:
            if line is None:
                self._report(f"{self.called} wrote a line of more than {MAX_BYTES} bytes, which is ignored")
            elif not wire.is_blank(line):
                try:
                    self.received.append(wire.decode_from_bot(line, Encoding.JSON))
                except WireError as error:
                    text = line[:80].decode(errors="replace")
                    self._report(f"{self.called} wrote {text!r}, {NO_MESSAGE}: {error}; log to stderr instead")
        if len(self.received) > before:
            self._say_so()
            if len(self.received) > BACKLOG and not self._paused:
                self._pause(True)

    def _output_ended(self) -> None:
        self._say_so()

    def _say_so(self) -> None:
        if self.listener is not None:
            self.listener.heard()

    def _report(self, sentence: str) -> None:
        if self.listener is not None:
            self.listener.report(sentence)


async def start(argv: Sequence[str], called: str) -> Program:
    """Start the program. Raises PlayerFailed."""
    return await start_talking(Program, argv, called)


# The other end of `stdio`: a child process that plays one match, with messages on its stdin and stdout.
#
# Output of the bot in this process must not mix with the messages, and its input must not consume them. So the messages
# get their own pipes, an empty file takes the place of stdin, and stdout becomes stderr.

LEAVE_S = 1.0  # the time for a bot after its answers are no longer read


class Pipe:
    """The messages of one match; make one at the start of the process, before any code of the bot runs."""

    def __init__(self) -> None:
        self._in, self._out = _private_pipes()

    def messages(self) -> Iterator[ServerMessage]:
        """Yield the server's messages, until the pipe is closed. Raises WireError for an invalid message.

        A thread reads the pipe and, once it is closed, ends this process: even an endless search.
        """
        lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        threading.Thread(target=_read, args=(self._in, lines), daemon=True).start()
        return (wire.decode_from_server(line, Encoding.JSON) for line in iter(lines.get, None))

    def send(self, message: BotMessage) -> None:
        self._out.write(wire.encode(message, Encoding.JSON) + b"\n")
        self._out.flush()

    def crashed(self, match: str, reason: str) -> None:
        """Resign the match; `reason` goes into its record, and to stderr for the author."""
        print(reason, file=sys.stderr)  # noqa: T201
        self.send(messages.Error("crashed", reason[-messages.MAX_TRACEBACK :], match=match))


def _private_pipes() -> tuple[BinaryIO, BinaryIO]:
    ours = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]  # they are text streams here
    return ours


def _read(pipe: BinaryIO, lines: "queue.SimpleQueue[bytes | None]") -> None:
    for line in pipe:
        if not wire.is_blank(line):
            lines.put(line)
    lines.put(None)
    time.sleep(LEAVE_S)
    os._exit(1)
