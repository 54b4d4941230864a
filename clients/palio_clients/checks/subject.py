"""The bot under check: a process that runs `palio join`, or any program that connects."""

import asyncio
import json
from abc import ABC, abstractmethod
from asyncio.subprocess import DEVNULL, PIPE
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from palio_clients.sdk.program import NO_MESSAGE
from palio_clients.sdk.stdio import end, lines_of
from palio_rules.interpreter import python

LAST_LINES = 12
CLIENT = python("-m", "palio_clients")


class Subject(ABC):
    """A bot under check, here one that the check neither starts nor ends."""

    restartable = False
    is_program = False  # it speaks JSON lines on stdin and stdout, and gets each turn once

    @abstractmethod
    async def start(self, url: str) -> None:
        """Make the bot connect to `url`. Does nothing if it is running, or is started by its author."""

    async def stop(self) -> None:
        """End the process."""
        return

    async def died(self) -> None:
        """Return when it has ended by itself; never return if that is unknown."""
        await asyncio.Event().wait()

    async def leave(self, seconds: float) -> int | None:
        """Ask it to end (SIGTERM); return its exit code, or None if it still runs after `seconds`."""
        return None

    def last_lines(self) -> str:
        """Return the end of its output, if it has ended by itself; else ""."""
        return ""

    def stray_lines(self) -> list[str]:
        """Return the reports about lines on its stdout that are no messages, for a program."""
        return []


class JoinedSubject(Subject):
    """A bot that runs as with `palio join`: in its own process, over a real socket."""

    restartable = True

    def __init__(
        self,
        spec: str,
        games: tuple[str, ...],
        name: str,
        stop_s: float = 4.0,
        *,
        is_program: bool = False,
        printed: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Prepare the process; `stop_s`: how long it may take to end after SIGTERM.

        `printed` is called with each line that the bot itself writes on stdout or stderr.
        """
        only = [word for game in games for word in ("--game", game)]
        self._words = [spec, "--name", name, "--quiet", "--json", *only]
        self.is_program = is_program
        self._stop_s, self._printed = stop_s, printed
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Future[Any] | None = None
        self._lines: deque[str] = deque(maxlen=LAST_LINES)
        self._strays: list[str] = []

    async def start(self, url: str) -> None:
        if self._process is not None and self._process.returncode is None:
            return
        await self.stop()
        self._lines.clear()
        command = (*CLIENT, "join", url, *self._words)
        self._process = await asyncio.create_subprocess_exec(*command, stdin=DEVNULL, stdout=PIPE, stderr=PIPE)
        stdout, stderr = self._process.stdout, self._process.stderr
        assert stdout is not None
        assert stderr is not None
        self._reader = asyncio.gather(self._hear(stdout), self._read(stderr))

    async def stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        await end(process, leave_s=0, term_s=self._stop_s)
        if self._reader:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)

    async def leave(self, seconds: float) -> int | None:
        process = self._process
        assert process is not None
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(seconds):
                return await process.wait()
        except TimeoutError:
            return None

    async def died(self) -> None:
        assert self._process is not None
        await self._process.wait()
        assert self._reader is not None
        await asyncio.wait([self._reader], timeout=1)  # its children may keep stderr open

    def last_lines(self) -> str:
        ended = self._process is not None and self._process.returncode is not None
        return "\n".join(self._lines) if ended else ""

    def stray_lines(self) -> list[str]:
        return self._strays

    async def _hear(self, stdout: asyncio.StreamReader) -> None:
        """Collect the troubles that `palio join` reports; other output is from a bot in Python."""
        async for line in lines_of(stdout):
            if (event := _event(line)) is None:
                self._printed(_line(line))
                continue
            if "text" not in event:
                continue
            text = str(event["text"])
            self._lines.extend(text.splitlines())
            if NO_MESSAGE in text:
                self._strays.append(text)

    async def _read(self, stderr: asyncio.StreamReader) -> None:
        async for line in lines_of(stderr):
            self._lines.append(_line(line))
            self._printed(_line(line))


def _event(line: bytes | None) -> dict[str, Any] | None:
    """Return an event that `palio join --json` prints; None for a line of the bot."""
    try:
        event = json.loads(line or b"")
    except ValueError:
        return None
    return event if isinstance(event, dict) and "event" in event else None


def _line(line: bytes | None) -> str:
    return "(a very long line)" if line is None else line.decode(errors="replace").rstrip()


class ConnectingSubject(Subject):
    """A program that its author starts: the check prints the address, and waits."""

    def __init__(self, announce: Callable[[str], None]) -> None:
        self._announce = announce
        self._announced = False

    async def start(self, url: str) -> None:
        if not self._announced:
            self._announced = True
            port = urlsplit(url).netloc
            self._announce(f"waiting for a bot: JSON lines at {port}, or a WebSocket at {url}")


# The findings of a check.

Verdict = Literal["ok", "FAIL", "skip"]


class CheckFailed(Exception):
    """An error of the bot: what is wrong, and the remedy for its author."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.remedy = remedy


class NoAnswer(CheckFailed):
    """The error that no message came in time."""


@dataclass(frozen=True, slots=True)
class CheckTimes:
    """The seconds that a bot may take; `limit_ms` is the time for a move when the clock is tested."""

    connect: float = 30.0
    ready: float = 30.0
    move: float = 20.0
    resend: float = 5.0  # after this time a referee sends an unanswered turn again
    quiet: float = 0.5  # how long the check waits for unwanted messages
    leave: float = 5.0
    limit_ms: int = 100
    margin_ms: int = 200  # added to the limit, as a referee does
    race_ms: int = 2_000  # the clock of an anytime race


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The outcome of one check."""

    check: str
    verdict: Verdict
    detail: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        """Return a line for people; the remedy on a second one."""
        line = f"{self.verdict:<4}  {self.check}{': ' if self.detail else ''}{_indented(self.detail)}"
        return f"{line}\n      remedy: {_indented(self.remedy)}" if self.remedy else line


def _indented(text: str) -> str:
    return text.rstrip().replace("\n", "\n      ")
