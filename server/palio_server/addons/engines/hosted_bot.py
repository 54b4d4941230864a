"""One bot that plays within the server's process, and the processes of its engines."""

import asyncio
import contextlib
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from palio_rules.contract.endpoints import NORMAL
from palio_rules.contract.hosting import Line, Made, Play, Program
from palio_rules.contract.messages import BotMessage, Error
from palio_server.processes import Entrant, tethered
from palio_server.processes.affinity import pin
from palio_server.processes.bot_output import BotOutput
from palio_server.processes.bot_process import GOODBYE_S, TETHER_S, environment_of, to_the_end
from palio_server.processes.bot_stderr import BotStderr
from palio_server.processes.confined import ConfinedProgram
from palio_server.sandbox.binds import Binds
from palio_server.sandbox.confinement import Confinement
from palio_server.sandbox.spec_files import SpecFiles, files_of

FAILED = 1  # the exit code where the client has raised an error
PIPE = asyncio.subprocess.PIPE

Hear = Callable[[BotMessage], None]
Close = Callable[[int, str], None]
Connect = Callable[[Line], tuple[Hear, Close]]


class HostedBot:
    """A bot that has been started, see `Running`; the `Host` of its client."""

    def __init__(
        self,
        entrant: Entrant,
        connect: Connect,
        remarked: Callable[[str], None],
        confinement: Confinement | None,
        hit_limit: Callable[[str], None],
        output: BotOutput | None,
    ) -> None:
        """`connect` opens a connection; the rest is as `BotProcess.start` has it."""
        self._entrant, self._connect = entrant, connect
        self._confinement, self._hit_limit = confinement, hit_limit
        self._stderr = BotStderr(remarked, self._explained, output)
        self._found: SpecFiles | None = None  # of a confined bot
        self._shown: Binds | None = None
        self._close: Close | None = None  # closes the connection
        self._sandboxes: set[ConfinedProgram] = set()  # of engines that run
        self._watches: dict[asyncio.Task[None], Program] = {}  # of engines that run
        self._awaited = True  # the server expects an answer
        self._pids: dict[Program, int] = {}  # of engines that run
        self._cpu: int | None = None  # that they are kept on
        self._playing: asyncio.Task[int]
        self.used_up = ""

    async def begin(self, play: Play, slots: int, served: asyncio.Event) -> None:
        """Play from now on, as soon as the server is there. Raises BadOption if its folder cannot be shown to it."""
        spec = self._entrant.spec
        if self._confinement is not None:
            self._found = files_of(spec)
            network = self._entrant.network
            self._shown = await asyncio.to_thread(self._confinement.shown, self._found, network=network)
            spec = self._found.spec
        self._playing = asyncio.create_task(self._play(play, spec.partition(":")[2], slots, served))

    async def _play(self, play: Play, text: str, slots: int, served: asyncio.Event) -> int:
        await served.wait()
        try:
            return await play(text, self._entrant.name, slots, self._entrant.first_game, self)
        except Exception as error:  # noqa: BLE001  # an error of the client ends this bot only
            self.print(f"Error: {type(error).__name__}: {error}")
            return FAILED

    # --- what runs ----------------------------------------------------------------------------------------------------

    async def ended(self) -> int:
        """Return the exit code, once it has ended: its client has, or a limit of a sandbox is used up."""
        await asyncio.wait({self._playing})
        return FAILED if self._playing.cancelled() else self._playing.result()

    async def end(self) -> None:
        """End it and its engines, see `to_the_end`: they are asked to quit, then killed."""
        await to_the_end(self._end())

    async def _end(self) -> None:
        self._playing.cancel()
        if self._close is not None:
            self._close(NORMAL, "")
        await asyncio.wait({self._playing, *self._watches}, timeout=GOODBYE_S)
        left = list(self._watches.values())
        for program in left:
            with contextlib.suppress(ProcessLookupError):
                program.terminate()  # the tether, or the sandbox, ends all that it has started
        if self._watches:
            await asyncio.wait(self._watches, timeout=GOODBYE_S + TETHER_S)
        for program in self._watches.values():
            with contextlib.suppress(ProcessLookupError):
                program.kill()
        await asyncio.gather(self._playing, *self._watches, return_exceptions=True)
        for program in left:
            program.close()
        self._stderr.end()

    def awaited(self, awaited: bool) -> None:  # noqa: FBT001  # it is a callback
        """Tell the sandboxes of its engines if the server expects an answer."""
        self._awaited = awaited
        for sandbox in self._sandboxes:
            sandbox.awaited(awaited)

    @property
    def pids(self) -> list[int]:
        return [*self._pids.values()]

    def keep_on(self, cpu: int) -> None:
        """Keep its engines on a CPU, and those that are started later."""
        self._cpu = cpu
        for pid in self._pids.values():
            pin(pid, cpu)

    def new_lines(self) -> list[str]:
        return self._stderr.new_lines()

    def last_lines(self) -> str:
        return self._stderr.last_lines()

    # --- for its client -----------------------------------------------------------------------------------------------

    def connect(self, line: Line) -> Hear:
        if self._close is not None:
            self._close(NORMAL, "")
        hear, self._close = self._connect(line)

        def told(message: BotMessage) -> None:
            if type(message) is Error:  # that an engine has ended, perhaps; the limit that ended it was said before
                for sandbox in tuple(self._sandboxes):
                    sandbox.ended()
            hear(message)

        return hear if self._confinement is None else told

    def print(self, line: str) -> None:
        self._stderr.feed(f"{line}\n".encode())

    async def start(self, make: Callable[[], Made], argv: Sequence[str]) -> Made:
        words = [_path_of(argv[0]), *argv[1:]]
        if self._confinement is None:
            command = tethered(GOODBYE_S / 2, *words)
            made, pid = await _start(make, command, environment_of(self._entrant.spec, os.environ))
            self._watch(made, pid, None)
            return made
        assert self._found is not None
        assert self._shown is not None
        with ConfinedProgram(self._confinement, self._found, self._shown, self._limit_reached) as sandbox:
            command = sandbox.command(words, socket=None, network=self._entrant.network)
            made, pid = await _start(make, command, None, sandbox.writing)
        sandbox.awaited(self._awaited)
        self._sandboxes.add(sandbox)
        self._watch(made, pid, sandbox)
        return made

    def _watch(self, program: Program, pid: int, sandbox: ConfinedProgram | None) -> None:
        self._pids[program] = pid
        if self._cpu is not None:
            pin(pid, self._cpu)
        task = asyncio.create_task(self._until_ended(program, sandbox))
        self._watches[task] = program
        task.add_done_callback(self._watches.pop)

    async def _until_ended(self, program: Program, sandbox: ConfinedProgram | None) -> None:
        await program.wait()
        del self._pids[program]
        if sandbox is not None:
            self._sandboxes.discard(sandbox)
            sandbox.ended()
            sandbox.close()

    def _limit_reached(self, limit: str) -> None:
        """Give up the matches and end, as a bot in one sandbox does."""
        if not self.used_up:
            self.used_up = limit
            self._hit_limit(limit)
            self._playing.cancel()

    def _explained(self, stderr: str) -> list[str]:
        if self._confinement is None or self._shown is None:
            return []
        return self._confinement.explained(self._entrant.spec, self._shown, stderr)


def _path_of(program: str) -> str:
    return str(Path(shutil.which(program) or program).absolute())


async def _start(
    make: Callable[[], Made], command: Sequence[str], environment: dict[str, str] | None, *descriptors: int
) -> tuple[Made, int]:
    """Start the program; return the client's view of it, and its process."""
    how: Any = {"stdin": PIPE, "stdout": PIPE, "stderr": PIPE, "env": environment, "pass_fds": descriptors}
    made: Any = make
    # Ctrl-C is for the server, which ends the engines when their matches are suspended
    transport, program = await asyncio.get_running_loop().subprocess_exec(made, *command, start_new_session=True, **how)
    return cast("Made", program), transport.get_pid()
