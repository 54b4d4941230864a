"""One process of a bot: its output, its exit, and its guaranteed end."""

import asyncio
import contextlib
import os
import signal
import socket
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Self
from urllib.parse import unquote

from palio_rules.contract import llm_specs, names
from palio_rules.interpreter import python, without_safe_path
from palio_server.processes.bot_output import BotOutput, Stream
from palio_server.processes.entrants import Entrant
from palio_server.processes.tether import tethered
from palio_server.sandbox import warden
from palio_server.sandbox.bubblewrap import size_text
from palio_server.sandbox.cgroups import ControlGroup
from palio_server.sandbox.confinement import Confinement
from palio_server.sandbox.spec_files import files_of

GOODBYE_S = 2.0  # seconds from SIGTERM to SIGKILL
TETHER_S = 5.0  # seconds in which the tether has certainly ended its program
LAST_WORDS_S = 0.5  # seconds for the last output of a dead bot; a process that it has started may keep its stderr open
TAIL_BYTES, TAIL_LINES = 4000, 12  # of a dead bot's stderr that are kept, and shown
REPORT_BYTES = 1000  # of a sandbox's report: it is one line
CHUNK, REST_S = 65536, 0.02  # of stderr that is read at once, and the pause before the next as much
REMARKS_AT_ONCE = 100  # of one chunk that are handled
TELL_S = 0.02  # seconds until a message that a sandbox has not read is sent again
REMARK = names.PREFIX.encode()


def environment_of(spec: str, ours: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a bot's program that is not confined: ours without the token, which is for another
    server.

    The key of our language models' bots is passed to those bots only.
    """
    asks = spec.startswith(f"{llm_specs.SCHEME}:")
    hidden = {"PALIO_TOKEN", *(() if asks else llm_specs.USUAL_KEYS[:1])}
    return {name: value for name, value in without_safe_path(ours).items() if name not in hidden}


class BotProcess:
    """A bot that runs `palio join`. `remarked` is called with each remark that it writes on stderr."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        remarked: Callable[[str], None],
        report: int | None = None,
        hit_limit: Callable[[str], None] = lambda _: None,
        explained: Callable[[str], list[str]] = lambda _: [],
        output: BotOutput | None = None,
    ) -> None:
        """`report` is a socket by which a sandbox names the limit that was used up; `hit_limit` is called at once.

        `explained` returns lines about the bot's stderr, if part of it is caused by its sandbox. All that it writes
        goes to `output`.
        """
        self._process, self._report, self._hit_limit, self._explained = process, report, hit_limit, explained
        self._group: tuple[ControlGroup, str] | None = None  # and the sentence for the case that its memory is used up
        self._telling: asyncio.TimerHandle | None = None
        self.used_up = ""  # the limit that has ended it
        self._remarked = remarked
        self._stdout = None if output is None else Stream(output)
        self._stderr = None if output is None else Stream(output)
        self._tail = self._line = b""
        self._new: deque[bytes] = deque(maxlen=TAIL_LINES)
        if report is not None:
            os.set_blocking(report, False)
            asyncio.get_running_loop().add_reader(report, self._read_report)

    @classmethod
    async def start(
        cls,
        url: str,
        entrant: Entrant,
        slots: int,
        remarked: Callable[[str], None],
        token: str | None = None,
        confinement: Confinement | None = None,
        hit_limit: Callable[[str], None] = lambda _: None,
        output: BotOutput | None = None,
    ) -> Self:
        """Let `entrant` join the server at `url` and play `slots` matches at a time; `token` proves its name.

        What it writes goes to `output`; without one, its stdout is thrown away.

        With a `confinement`, the program runs in a sandbox, and `hit_limit` is called with the limit that has ended it.
        Raises BadOption if its folder cannot be shown to it.
        """
        if confinement is not None:
            return await cls._start_confined(url, entrant, slots, remarked, confinement, hit_limit, output)
        environment = environment_of(entrant.spec, os.environ)
        if token is not None:
            environment["PALIO_TOKEN"] = token  # no other user of the machine can read it there
        process = await asyncio.create_subprocess_exec(
            *tethered(GOODBYE_S, *_command(url, entrant, entrant.spec, slots)),
            env=environment,
            cwd=entrant.folder or None,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=_stdout_for(output),
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the server, which ends the bots when their matches are suspended
        )
        return cls(process, remarked, output=output)

    @classmethod
    async def _start_confined(
        cls,
        url: str,
        entrant: Entrant,
        slots: int,
        remarked: Callable[[str], None],
        confinement: Confinement,
        hit_limit: Callable[[str], None],
        output: BotOutput | None,
    ) -> Self:
        found = files_of(entrant.spec, entrant.folder)
        shown = await asyncio.to_thread(confinement.shown, found, network=entrant.network)
        group = confinement.group()
        reading, writing = (end.detach() for end in socket.socketpair())
        try:
            command = confinement.command(
                _command(url, entrant, found.spec, slots),
                found,
                socket=unix_path(url),
                report=writing,
                network=entrant.network,
                shown=shown,
            )
            process = await asyncio.create_subprocess_exec(
                # it ends with this process, and so do all processes in it
                *(command if group is None else group.joining(command)),
                pass_fds=(writing,),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=_stdout_for(output),
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        except BaseException:
            os.close(reading)
            if group is not None:
                group.remove()
            raise
        finally:
            os.close(writing)
        explained = partial(confinement.explained, entrant.spec, shown)
        started = cls(process, remarked, reading, hit_limit, explained, output)
        started._group = None if group is None else (group, f"memory {size_text(confinement.limits.memory)} used up")
        return started

    async def ended(self) -> int:
        """Return the exit code, once it has ended; read its output until then."""
        reading = asyncio.ensure_future(self._read_all())
        try:
            code = await self._process.wait()
            await asyncio.wait({reading}, timeout=LAST_WORDS_S)
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
        self._read_report()  # it may have come just now
        if self._group is not None and not self.used_up and self._group[0].is_out_of_memory():
            self.used_up = self._group[1]
            self._hit_limit(self.used_up)
        return code

    async def end(self) -> None:
        """End it, see `end_for_certain`."""
        try:
            await end_for_certain(self._process)
            if self._stdout is not None and self._stderr is not None:  # its last words may still be in the pipes
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(LAST_WORDS_S):
                        await self._read_all()
                self._stdout.end()
                self._stderr.end()
        finally:
            self._close_report()
            if self._group is not None:
                self._group[0].remove()

    def awaited(self, awaited: bool) -> None:  # noqa: FBT001  # it is a callback
        """Tell the sandbox if the server expects an answer of the program."""
        if self._telling is not None:
            self._telling.cancel()
            self._telling = None
        if self._report is None:
            return
        try:
            os.write(self._report, warden.AWAITED if awaited else warden.NOT_AWAITED)
        except BlockingIOError:  # the sandbox reads some forty times a second
            self._telling = asyncio.get_running_loop().call_later(TELL_S, self.awaited, awaited)
        except OSError:  # it has ended
            pass

    def _read_report(self) -> None:
        """Read the sandbox's report of a used-up limit, or the end of its connection."""
        if self._report is None:
            return
        try:
            said = os.read(self._report, REPORT_BYTES).decode(errors="replace")
        except BlockingIOError:
            return
        except ConnectionError:  # it has ended with unread input
            said = ""
        self._close_report()
        if said:
            self.used_up = said
            self._hit_limit(said)

    def _close_report(self) -> None:
        if self._report is not None:
            asyncio.get_running_loop().remove_reader(self._report)
            os.close(self._report)
            self._report = None

    def new_lines(self) -> list[str]:
        """Return the last whole lines on stderr since the last call, without remarks; then their explanations."""
        lines = [line.decode(errors="replace") for line in self._new]
        self._new.clear()
        return [*lines, *self._explained("\n".join(lines))]

    def last_lines(self) -> str:
        lines = [line for line in self._tail.decode(errors="replace").splitlines() if line.strip()][-TAIL_LINES:]
        if not lines:
            return "it said nothing on stderr"
        explained = self._explained("\n".join(lines))
        return "\n".join(("its last lines on stderr:", *(f"  {line}" for line in (*lines, *explained))))

    async def _read_all(self) -> None:
        await asyncio.gather(self._read(), self._read_stdout())

    async def _read(self) -> None:
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(CHUNK):
            self._tail = (self._tail + chunk)[-TAIL_BYTES:]
            if self._stderr is not None:
                self._stderr.feed(chunk)
            *lines, last = _last_lines(self._line + chunk)
            self._line = last[:TAIL_BYTES]
            names = 0
            for line in lines:
                if not line.startswith(REMARK):
                    self._new.append(line[:TAIL_BYTES])
                elif (names := names + 1) <= REMARKS_AT_ONCE:
                    self._remarked(line.removeprefix(REMARK)[:TAIL_BYTES].decode(errors="replace").strip())
            if len(chunk) == CHUNK:  # a flood: the program waits in its `write`, and other work goes on
                await asyncio.sleep(REST_S)

    async def _read_stdout(self) -> None:
        if self._stdout is None or self._process.stdout is None:
            return
        while chunk := await self._process.stdout.read(CHUNK):
            self._stdout.feed(chunk)
            if len(chunk) == CHUNK:
                await asyncio.sleep(REST_S)


def _stdout_for(output: BotOutput | None) -> int:
    return asyncio.subprocess.DEVNULL if output is None else asyncio.subprocess.PIPE


def _last_lines(text: bytes) -> list[bytes]:
    """Split into lines, the last of which is not complete; without remarks, only as many as are kept."""
    if REMARK in text:
        return text.split(b"\n")
    lines = text.rsplit(b"\n", TAIL_LINES + 1)
    return lines[1:] if len(lines) == TAIL_LINES + 2 else lines


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
    """Let the tether end it, and all processes that it has started."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), GOODBYE_S + TETHER_S)
    except TimeoutError:
        process.kill()
        await process.wait()


def unix_path(url: str) -> Path | None:
    """Return the Unix socket that `url` names; None for any other address."""
    scheme, _, rest = url.partition("://")
    return Path(unquote(rest)) if scheme == "ws+unix" else None


def how_it_ended(entrant: Entrant, code: int) -> str:
    """Return a sentence like `the bot mine (./mine.py) ended with exit code 1`; a negative code is the signal that
    ended it.
    """
    how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
    return f"the bot {entrant.name} ({entrant.spec}) {how}"


def _command(url: str, entrant: Entrant, spec: str, slots: int) -> list[str]:
    join = ["join", url, spec, "--name", entrant.name, "--slots", str(slots), "--quiet"]
    return python("-m", "palio_clients", *join)
