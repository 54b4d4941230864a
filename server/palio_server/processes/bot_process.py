"""One process of a bot: what it writes on stderr, how it ends, and that it ends for certain."""

import asyncio
import contextlib
import os
import signal
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Self
from urllib.parse import unquote

from palio_rules.contract import remarks
from palio_server.processes.entrants import Entrant
from palio_server.processes.tether import tethered
from palio_server.sandbox.confinement import Confinement
from palio_server.sandbox.spec_files import SpecFiles, files_of, is_shipped

GOODBYE_S = 2.0  # from SIGTERM to SIGKILL
TETHER_S = 5.0  # in which the tether has ended its program for certain
LAST_WORDS_S = 0.5  # for what a dead bot has written last; something that it has started may keep its stderr open
TAIL_BYTES, TAIL_LINES = 4000, 12  # of a dead bot's stderr that are kept, and shown
REMARK = remarks.PREFIX.encode()


class BotProcess:
    """A bot that runs `palio join`. `remarked` is called with each remark that it writes on stderr."""

    def __init__(
        self, process: asyncio.subprocess.Process, remarked: Callable[[str], None], report: BinaryIO | None = None
    ) -> None:
        self._process, self._report = process, report
        self.used_up = ""  # the limit that has ended it, once it has ended
        self._remarked = remarked
        self._tail = self._line = b""
        self._new: deque[bytes] = deque(maxlen=TAIL_LINES)

    @classmethod
    async def start(
        cls,
        url: str,
        entrant: Entrant,
        slots: int,
        remarked: Callable[[str], None],
        token: str | None = None,
        confinement: Confinement | None = None,
    ) -> Self:
        """Let `entrant` join the server at `url` and play `slots` matches at a time; `token` proves its name.

        With a `confinement`, the program of a stranger runs in a sandbox.
        """
        if confinement is not None and confinement.works and is_confined(entrant):
            return await cls._start_confined(url, entrant, slots, remarked, confinement)
        environment = {
            name: value for name, value in os.environ.items() if name != "PALIO_TOKEN"
        }  # not for this server
        if token is not None:
            environment["PALIO_TOKEN"] = token  # no other user of the machine can read it there
        process = await asyncio.create_subprocess_exec(
            *tethered(GOODBYE_S, *_command(url, entrant, entrant.spec, slots)),
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for us; we end the bots when their matches are put away
        )
        return cls(process, remarked)

    @classmethod
    async def _start_confined(
        cls, url: str, entrant: Entrant, slots: int, remarked: Callable[[str], None], confinement: Confinement
    ) -> Self:
        """The same in a sandbox. It says by a pipe which limit it has used up."""
        found = files_of(entrant.spec)
        reading, writing = os.pipe()
        try:
            command = confinement.command(
                _command(url, entrant, found.spec, slots),
                found.files,
                found.variables,
                sockets=[path for path in (unix_path(url),) if path is not None],
                report=writing,
                network=entrant.network,
            )
            process = await asyncio.create_subprocess_exec(
                *tethered(GOODBYE_S, *command),
                pass_fds=(writing,),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        return cls(process, remarked, open(reading, "rb"))  # noqa: PTH123, ASYNC230  # a pipe, read at the end

    async def ended(self) -> int:
        """The exit code, once it is there; reads stderr until then."""
        reading = asyncio.ensure_future(self._read())
        try:
            code = await self._process.wait()
            await asyncio.wait({reading}, timeout=LAST_WORDS_S)
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
        self.used_up = self._read_report()
        return code

    async def end(self) -> None:
        """End it for certain, as `end_for_certain` does."""
        await end_for_certain(self._process)

    def _read_report(self) -> str:
        """Which limit was used up; "": none. The sandbox is gone, and nobody has the other end any more."""
        if self._report is None:
            return ""
        report, self._report = self._report, None
        with report:
            os.set_blocking(report.fileno(), False)
            return (report.read(1000) or b"").decode(errors="replace")

    def new_lines(self) -> list[str]:
        """The last whole lines on stderr since the last call, without remarks."""
        lines = [line.decode(errors="replace") for line in self._new]
        self._new.clear()
        return lines

    def last_lines(self) -> str:
        lines = [line for line in self._tail.decode(errors="replace").splitlines() if line.strip()][-TAIL_LINES:]
        if not lines:
            return "it said nothing on stderr"
        return "\n".join(("its last lines on stderr:", *(f"  {line}" for line in lines)))

    async def _read(self) -> None:
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(65536):
            self._tail = (self._tail + chunk)[-TAIL_BYTES:]
            *lines, last = (self._line + chunk).split(b"\n")
            self._line = last[:TAIL_BYTES]
            for line in lines:
                if line.startswith(REMARK):
                    self._remarked(line.removeprefix(REMARK)[:TAIL_BYTES].decode(errors="replace").strip())
                else:
                    self._new.append(line[:TAIL_BYTES])


async def end_for_certain(process: asyncio.subprocess.Process) -> None:
    """End a process that is `tethered`. A caller that is cancelled meanwhile, even more than once, still waits."""
    ending, cancelled = asyncio.ensure_future(_end(process)), None
    while not ending.done():
        try:
            await asyncio.shield(ending)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled


async def _end(process: asyncio.subprocess.Process) -> None:
    """The tether ends it, and all that it has started."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), GOODBYE_S + TETHER_S)
    except TimeoutError:
        process.kill()
        await process.wait()


def is_confined(entrant: Entrant) -> bool:
    """Whether its program is a stranger's. One that cannot be found is told so by `palio join`, in our folder."""
    head = entrant.spec.partition(":")[0]
    if is_shipped(entrant.spec):
        return False
    named = head in ("exec", "handout") or head.endswith(".py") or "/" in head
    return not named or files_of(entrant.spec) != SpecFiles(entrant.spec)


def unix_path(url: str) -> Path | None:
    """The Unix socket that `url` names; None for any other address."""
    scheme, _, rest = url.partition("://")
    return Path(unquote(rest)) if scheme == "ws+unix" else None


def how_it_ended(entrant: Entrant, code: int) -> str:
    """`the bot mine (./mine.py) ended with exit code 1`; a negative code is the signal that ended it."""
    how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
    return f"the bot {entrant.name} ({entrant.spec}) {how}"


def _command(url: str, entrant: Entrant, spec: str, slots: int) -> list[str]:
    join = ["-m", "palio_clients", "join", url, spec]
    return [sys.executable, *join, "--name", entrant.name, "--slots", str(slots), "--quiet"]
