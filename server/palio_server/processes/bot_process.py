"""One process of a bot: its output, its exit, and its guaranteed end."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote

from palio_rules.contract import llm_specs
from palio_rules.interpreter import python, without_safe_path
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
CHUNK, REST_S = 65536, 0.02  # of stderr that is read at once, and the pause before the next as much


def environment_of(spec: str, ours: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a bot's program that is not confined: ours without the token, which is for another
    server.

    The key of our language models' bots is passed to those bots only.
    """
    asks = spec.startswith(f"{llm_specs.SCHEME}:")
    hidden = {"PALIO_TOKEN", *(() if asks else llm_specs.USUAL_KEYS[:1])}
    return {name: value for name, value in without_safe_path(ours).items() if name not in hidden}


class BotProcess:
    """A bot that runs `palio join`."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        stderr: BotStderr,
        confined: ConfinedProgram | None = None,
        output: BotOutput | None = None,
    ) -> None:
        """`output` gets what it writes on stdout."""
        self._process, self._stderr, self._confined = process, stderr, confined
        self._stdout = None if output is None else Stream(output)

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
    ) -> Self:
        """Let `entrant` join the server at `url` and play `slots` matches at a time; `token` proves its name.

        `remarked` is called with each remark that it writes on stderr. What it writes goes to `output`; without one,
        its stdout is thrown away. An engine's lines go to `traffic`.

        With a `confinement`, the program runs in a sandbox, and `hit_limit` is called with the limit that has ended it.
        Raises BadOption if its folder cannot be shown to it.
        """
        if confinement is not None:
            return await cls._start_confined(url, entrant, slots, remarked, confinement, hit_limit, output, traffic)
        environment = environment_of(entrant.spec, os.environ)
        if token is not None:
            environment["PALIO_TOKEN"] = token  # no other user of the machine can read it there
        process = await asyncio.create_subprocess_exec(
            *tethered(GOODBYE_S, *_command(url, entrant, entrant.spec, slots), *_for_engines(entrant, traffic)),
            env=environment,
            cwd=entrant.folder or None,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=_stdout_for(output),
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the server, which ends the bots when their matches are suspended
        )
        return cls(process, BotStderr(remarked, output=output, traffic=traffic), output=output)

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
        traffic: Callable[[str], None] | None,
    ) -> Self:
        found = files_of(entrant.spec, entrant.folder)
        shown = await asyncio.to_thread(confinement.shown, found, network=entrant.network)
        with ConfinedProgram(confinement, found, shown, hit_limit) as confined:
            program = [*_command(url, entrant, found.spec, slots), *_for_engines(entrant, traffic)]
            process = await asyncio.create_subprocess_exec(
                # it ends with this process, and so do all processes in it
                *confined.command(program, socket=unix_path(url), network=entrant.network),
                pass_fds=(confined.writing,),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=_stdout_for(output),
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        explained = partial(confinement.explained, entrant.spec, shown)
        return cls(process, BotStderr(remarked, explained, output, traffic), confined, output)

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
        """Return the exit code, once it has ended; read its output until then."""
        reading = asyncio.ensure_future(self._read_all())
        try:
            code = await self._process.wait()
            await asyncio.wait({reading}, timeout=LAST_WORDS_S)
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
        if self._confined is not None:
            self._confined.ended()
        return code

    async def end(self) -> None:
        """End it, see `end_for_certain`."""
        try:
            await end_for_certain(self._process)
            if self._stdout is not None:  # its last words may still be in the pipes
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(LAST_WORDS_S):
                        await self._read_all()
                self._stdout.end()
                self._stderr.end()
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

    async def _read_all(self) -> None:
        readers = [asyncio.ensure_future(each) for each in (self._read(), self._read_stdout())]
        try:
            await asyncio.gather(*readers)
        finally:  # one that could not show its lines must not leave the other one behind: a pipe has one reader
            for reader in readers:
                reader.cancel()
            await asyncio.gather(*readers, return_exceptions=True)

    async def _read(self) -> None:
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(CHUNK):
            self._stderr.feed(chunk)
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


async def end_for_certain(process: asyncio.subprocess.Process) -> None:
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
    join = ["join", url, spec, "--name", entrant.name, "--slots", str(slots), "--quiet", "--no-compile"]
    return python("-m", "palio_clients", *join)


def _for_engines(entrant: Entrant, traffic: Callable[[str], None] | None) -> list[str]:
    if not entrant.is_engine:
        return []
    checked = ["--first-game", entrant.first_game] if entrant.first_game else []
    return checked + (["--engine-lines"] if traffic is not None else [])
