"""One process of a bot: its output, its exit, and its guaranteed end."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self, cast
from urllib.parse import unquote

from palio_rules.contract import llm_specs
from palio_rules.interpreter import python, without_safe_path
from palio_server.edge.accounts import Account
from palio_server.processes.affinity import pin
from palio_server.processes.bot_output import BotOutput, Stream
from palio_server.processes.bot_stderr import BotStderr
from palio_server.processes.confined import ConfinedProgram
from palio_server.processes.entrants import Entrant
from palio_server.processes.tether import tethered
from palio_server.sandbox.confinement import Confinement
from palio_server.sandbox.spec_files import files_of

GOODBYE_S = 2.0  # seconds from SIGTERM to SIGKILL
TETHER_S = 5.0  # seconds in which the tether has certainly ended its program
LAST_WORDS_S = 0.5  # seconds for the last output of a dead bot; a process that it has started may keep its stderr open
STDOUT, STDERR = 1, 2


def environment_of(spec: str, ours: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a bot's program that is not confined: ours without the token, which is for another
    server.

    The key of our language models' bots is passed to those bots only.
    """
    asks = spec.startswith(f"{llm_specs.SCHEME}:")
    hidden = {"PALIO_TOKEN", *(() if asks else llm_specs.USUAL_KEYS[:1])}
    return {name: value for name, value in without_safe_path(ours).items() if name not in hidden}


class OutputPipes(asyncio.SubprocessProtocol):
    """The output of one process: a source of its bot's account. It is a process to `end_for_certain`."""

    in_turn = False
    _transport: asyncio.SubprocessTransport

    def __init__(self, hear: Mapping[int, Callable[[bytes], None]], account: Account) -> None:
        """`hear` has what takes the output, by its descriptor: STDOUT, STDERR."""
        loop = asyncio.get_running_loop()
        self._hear, self._account = hear, account
        self.exited: asyncio.Future[int] = loop.create_future()
        self.closed: asyncio.Future[None] = loop.create_future()  # all its output was heard; or has the error of that

    @property
    def pid(self) -> int:
        return self._transport.get_pid()

    async def wait(self) -> int:
        """Return the exit code, once it has ended."""
        return await asyncio.shield(self.exited)

    def terminate(self) -> None:
        self._transport.terminate()

    def kill(self) -> None:
        self._transport.kill()

    def close(self) -> None:
        """Hear no more of it, which has ended; a process that it has started may keep its output open."""
        self._transport.close()

    def hold(self) -> None:
        for pipe in self._pipes():
            pipe.pause_reading()

    def release(self) -> None:
        for pipe in self._pipes():
            pipe.resume_reading()

    def _pipes(self) -> Iterator[asyncio.ReadTransport]:
        for descriptor in self._hear:
            pipe = cast("asyncio.ReadTransport | None", self._transport.get_pipe_transport(descriptor))
            if pipe is not None and not pipe.is_closing():
                yield pipe

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)  # uvloop's is one, but no subclass
        self._account.open(self)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._account.begin(self)
        try:
            if not self.closed.done():
                self._hear[fd](data)
        except Exception as error:  # noqa: BLE001  # it ends the bot (`BotProcess.ended`), and not the event loop
            self.closed.set_exception(error)
        finally:
            self._account.end()

    def process_exited(self) -> None:
        self._account.close(self)  # its last words are heard at once
        self.release()
        code = self._transport.get_returncode()
        if not self.exited.done():
            self.exited.set_result(0 if code is None else code)

    def connection_lost(self, _error: Exception | None) -> None:
        self.close()
        if not self.closed.done():
            self.closed.set_result(None)


class BotProcess:
    """A bot that runs `palio join`."""

    def __init__(
        self, pipes: OutputPipes, stderr: BotStderr, stdout: Stream | None, confined: ConfinedProgram | None = None
    ) -> None:
        """`stdout` gets what it writes there."""
        self._process, self._stderr, self._stdout, self._confined = pipes, stderr, stdout, confined

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
        *,
        traffic: Callable[[str], None] | None = None,
        account: Account | None = None,
    ) -> Self:
        """Let `entrant` join the server at `url` and play `slots` matches at a time; `token` proves its name.

        `remarked` is called with each remark that it writes on stderr. What it writes goes to `output`; without one,
        its stdout is thrown away. An engine's lines go to `traffic`. Reading is charged to `account`.

        With a `confinement`, the program runs in a sandbox, and `hit_limit` is called with the limit that has ended it.
        Raises BadOption if its folder cannot be shown to it.
        """
        spoken = Spoken(remarked, output, traffic, account or Account())
        if confinement is not None:
            return await cls._start_confined(url, entrant, slots, spoken, confinement, hit_limit)
        environment = environment_of(entrant.spec, os.environ)
        if token is not None:
            environment["PALIO_TOKEN"] = token  # no other user of the machine can read it there
        command = [*_command(url, entrant, entrant.spec, slots), *_for_engines(entrant, traffic)]
        stderr, stdout = spoken.streams()
        pipes = await _started(
            tethered(GOODBYE_S, *command), stderr, stdout, spoken.account, env=environment, cwd=entrant.folder or None
        )
        return cls(pipes, stderr, stdout)

    @classmethod
    async def _start_confined(
        cls,
        url: str,
        entrant: Entrant,
        slots: int,
        spoken: "Spoken",
        confinement: Confinement,
        hit_limit: Callable[[str], None],
    ) -> Self:
        found = files_of(entrant.spec, entrant.folder)
        shown = await asyncio.to_thread(confinement.shown, found, network=entrant.network)
        stderr, stdout = spoken.streams(partial(confinement.explained, entrant.spec, shown))
        with ConfinedProgram(confinement, found, shown, hit_limit) as confined:
            program = [*_command(url, entrant, found.spec, slots), *_for_engines(entrant, spoken.traffic)]
            # it ends with this process, and so do all processes in it
            command = confined.command(program, socket=unix_path(url), network=entrant.network)
            pipes = await _started(command, stderr, stdout, spoken.account, pass_fds=(confined.writing,))
        return cls(pipes, stderr, stdout, confined)

    @property
    def used_up(self) -> str:
        """The limit that has ended it; "": none."""
        return "" if self._confined is None else self._confined.used_up

    @property
    def pids(self) -> list[int]:
        return [self._process.pid]

    def keep_on(self, cpu: int) -> None:
        """Keep all its processes on a CPU."""
        pin(self._process.pid, cpu)

    async def ended(self) -> int:
        """Return the exit code, once it has ended. Raises what taking in its output has raised."""
        exited, closed = self._process.exited, self._process.closed
        either: set[asyncio.Future[Any]] = {exited, closed}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({closed}, timeout=LAST_WORDS_S)
        if closed.done():
            closed.result()
        code = await self._process.wait()
        if self._confined is not None:
            self._confined.ended()
        return code

    async def end(self) -> None:
        """End it, see `end_for_certain`."""
        try:
            await end_for_certain(self._process)
            await asyncio.wait({self._process.closed}, timeout=LAST_WORDS_S)  # its last words may still be in the pipes
            if self._stdout is not None:
                self._stdout.end()
                self._stderr.end()
            self._process.close()
        finally:
            if self._confined is not None:
                self._confined.close()

    def awaited(self, awaited: bool) -> None:  # noqa: FBT001  # it is a callback
        """Tell the sandbox if the server expects an answer of the program."""
        if self._confined is not None:
            self._confined.awaited(awaited)

    def new_lines(self) -> list[str]:
        """Return the last whole lines on stderr since the last call, without remarks; then their explanations."""
        return self._stderr.new_lines()

    def last_lines(self) -> str:
        return self._stderr.last_lines()


class Spoken(NamedTuple):
    """The receivers of a bot's output."""

    remarked: Callable[[str], None]
    output: BotOutput | None
    traffic: Callable[[str], None] | None
    account: Account

    def streams(self, explained: Callable[[str], list[str]] = lambda _: []) -> tuple[BotStderr, Stream | None]:
        """Return what takes its stderr, and its stdout if that is kept."""
        stderr = BotStderr(self.remarked, explained, self.output, self.traffic)
        return stderr, None if self.output is None else Stream(self.output)


async def _started(
    command: Sequence[str], stderr: BotStderr, stdout: Stream | None, account: Account, **options: Any
) -> OutputPipes:
    """Start a program. Raises OSError."""
    hear = {STDERR: stderr.feed} if stdout is None else {STDERR: stderr.feed, STDOUT: stdout.feed}
    _, pipes = await asyncio.get_running_loop().subprocess_exec(
        lambda: OutputPipes(hear, account),
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL if stdout is None else asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the server, which ends the bots when their matches are suspended
        **options,
    )
    return pipes


class Ending(Protocol):
    """A process that can be ended."""

    async def wait(self) -> int: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


async def end_for_certain(process: Ending) -> None:
    """End a process that is `tethered`, see `to_the_end`."""
    await to_the_end(_end(process))


async def to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Do `work`. A caller that is cancelled meanwhile, even more than once, still waits."""
    ending, cancelled = asyncio.ensure_future(work), None
    while not ending.done():
        try:
            await asyncio.shield(ending)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled


async def _end(process: Ending) -> None:
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
    join = ["join", url, spec, "--name", entrant.name, "--slots", str(slots), "--quiet", "--no-compile"]
    return python("-m", "palio_clients", *join)


def _for_engines(entrant: Entrant, traffic: Callable[[str], None] | None) -> list[str]:
    if not entrant.is_engine:
        return []
    checked = ["--first-game", entrant.first_game] if entrant.first_game else []
    return checked + (["--engine-lines"] if traffic is not None else [])
