"""The runner's child processes: their messages, what they print, and their end."""

import json
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from palio_clients.grading.student import CHANNEL, MOST_FILES, become, serve_students

PRINTED = 4000  # bytes of a test's output that are kept: half of its beginning, half of its end
MESSAGE = 100_000  # bytes of one message of a child
FORK_S = 10.0  # seconds in which a process is forked, or ends after SIGKILL, on a busy machine
QUICK_S = 0.05  # seconds in which a process ends whose channel was closed
GRACE_S = 1.0  # seconds after a limit in which a child may still tell where it was


class Limit(Protocol):
    """The end of a wait for a message."""

    def pause_s(self) -> float:
        """Return the seconds until the next look at the limit; 0 when it is reached."""


class Within:
    """A limit in seconds on the wall."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    def pause_s(self) -> float:
        return max(self._until - time.monotonic(), 0.0)


class Output:
    """The output of a process, shortened."""

    def __init__(self) -> None:
        self.end, self.theirs = socket.socketpair()  # sockets cannot be opened a second time by their place in /proc
        self.end.setblocking(False)
        self._printed, self._dropped = b"", 0

    def begin(self) -> None:
        """Forget what was printed so far."""
        self._printed, self._dropped = b"", 0

    def text(self) -> str:
        """Return what was printed since `begin`."""
        while self.read() and select.select([self.end], [], [], 0)[0]:
            pass
        text = self._printed.decode(errors="replace")
        return text if not self._dropped else text.replace("\0", f"\n... {self._dropped} bytes ...\n", 1)

    def read(self) -> bool:
        """Take what is there; return whether there was anything."""
        chunk = received(self.end)
        if not chunk:
            return False
        both = self._printed.replace(b"\0", b"") + chunk.replace(b"\0", b"")
        if len(both) > PRINTED:
            self._dropped += len(both) - PRINTED
            both = both[: PRINTED // 2] + b"\0" + both[-PRINTED // 2 :]
        self._printed = both
        return True

    def close(self) -> None:
        self.end.close()
        self.theirs.close()


class Child:
    """A child process with two sockets: orders and messages, and what it prints."""

    def __init__(self, work: Callable[[socket.socket], None], user: int = 0) -> None:
        self.channel, theirs = socket.socketpair()
        self.output = Output()
        self._lines = b""
        self.status: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setsid()
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                os.dup2(self.output.theirs.fileno(), 1)
                os.dup2(self.output.theirs.fileno(), 2)
                os.dup2(theirs.fileno(), CHANNEL)
                os.closerange(CHANNEL + 1, MOST_FILES)  # among them the way to the reader of our own lines
                signal.signal(signal.SIGINT, signal.SIG_DFL)
                if user:
                    become(user)
                work(socket.socket(fileno=CHANNEL))
            finally:
                os._exit(0)
        theirs.close()

    def order(self, what: dict[str, Any], *given: socket.socket) -> None:
        """Send an order, with descriptors. Raises OSError if the process has ended."""
        fds = [end.fileno() for end in given]
        socket.send_fds(self.channel, [json.dumps(what).encode() + b"\n"], fds)

    def message(self, limit: Limit, token: str = "", printed: Output | None = None) -> dict[str, Any] | None:
        """Return the next message with this token; None if none comes in time, or the process has ended.

        Meanwhile what is `printed` is read, so that its writer does not wait.
        """
        outputs = [self.output] if printed is None else [self.output, printed]
        while True:
            while b"\n" in self._lines:
                line, _, self._lines = self._lines.partition(b"\n")
                with suppress(ValueError):
                    message = json.loads(line)
                    if isinstance(message, dict) and (not token or message.get("token") == token):
                        return message
            pause_s = limit.pause_s()
            if pause_s <= 0 or len(self._lines) > MESSAGE:
                return None
            ready, _, _ = select.select([self.channel, *(each.end for each in outputs)], [], [], pause_s)
            for each in outputs:
                if each.end in ready:
                    each.read()
            if self.channel in ready:
                chunk = received(self.channel)
                if not chunk:
                    self._wait()
                    return None
                self._lines += chunk

    @property
    def how(self) -> str:
        """Its end, for a sentence."""
        return how(self.status)

    def _wait(self) -> None:
        """Note the end of the process, which has closed its socket."""
        until = time.monotonic() + GRACE_S
        while self.status is None and time.monotonic() < until:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
            else:
                select.select([], [], [], 0.01)

    def end(self) -> None:
        """End it and what it has started."""
        end_group(self.pid)
        if self.status is None:
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self.channel.close()
        self.output.close()


class Nursery(Child):
    """The process that forks students' processes. It is made before the tests are read, so it knows none of them."""

    def __init__(self) -> None:
        super().__init__(serve_students)
        self.student = 0  # the present student's process
        self.is_lost = False  # a student's code has ended or stopped it

    def start(self, order: dict[str, Any], channel: socket.socket, output: Output) -> None:
        """Fork a student's process."""
        with suppress(OSError):
            self.order(order, channel, output.theirs)
            message = self.message(Within(FORK_S))
            self.student = message["pid"] if message else 0
        self.is_lost = not self.student

    def finish(self, seconds: float = QUICK_S) -> int | None:
        """End the student's process and return how it ended, if that was by itself within `seconds`; else None."""
        message = self.message(Within(seconds))
        end_group(self.student)
        if message is None and self.message(Within(FORK_S)) is None:
            self.is_lost = True
        self.student = 0
        return None if message is None else int(message["ended"])


def received(end: socket.socket) -> bytes:
    try:
        return end.recv(65536)
    except OSError:
        return b""


def how(code: Any) -> str:
    """Return how a process with this exit code has ended, for a sentence."""
    if not isinstance(code, int):
        return ""
    if code < 0:
        with suppress(ValueError):
            return f" by {signal.Signals(-code).name}"
    return f" with exit code {code}"


def end_group(leader: int) -> None:
    """End a process and all of its group."""
    if leader > 1:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)
