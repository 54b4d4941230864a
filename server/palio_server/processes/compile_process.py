"""The compilation of searches before the first game: otherwise it uses up the time that bots have to get ready."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

from palio_rules.interpreter import python
from palio_rules.registry import game as rules_of
from palio_server.processes.bot_process import end_for_certain, environment_of
from palio_server.processes.entrants import Entrant
from palio_server.processes.tether import tethered

COMPILED = ("champion",)  # the shipped bots with compiled searches,
COMPILED_IN_RACES = ("champion", "or_opt", "planner")  # those that have them in races,
COMPILED_IN_GO = ("champion", "mcts")  # and in the game whose tree search is compiled
GOODBYE_S = 0.5  # seconds from SIGTERM to SIGKILL
NEWS = b"palio: compiling "  # begins the line that is passed on; other lines are told by the bots themselves


def has_compiled(game: str, bots: Iterable[Entrant]) -> bool:
    """Return True if one of these bots has compiled searches for the game."""
    named = COMPILED_IN_RACES if rules_of(game).kind == "race" else COMPILED_IN_GO if game == "go" else COMPILED
    return any(bot.spec.partition(":")[0] in named for bot in bots)


class CompileProcess:
    """A process that compiles what the bots of a game need, or finds it compiled."""

    def __init__(self, process: asyncio.subprocess.Process | None, say: Callable[[str], None]) -> None:
        """`process` is None if there is nothing to compile."""
        self._process, self._say = process, say

    async def done(self) -> None:
        """Pass on that something is compiled, and return at the end, however it ended: the bots play in any case."""
        if self._process is None:
            return
        assert self._process.stderr is not None
        async for line in self._process.stderr:
            if line.startswith(NEWS):
                self._say(line.decode(errors="replace").rstrip())
        await self._process.wait()


@asynccontextmanager
async def compiling(
    game: str, bots: Iterable[Entrant], say: Callable[[str], None], *program: str
) -> AsyncIterator[CompileProcess]:
    """Compile in the background what these bots need for the game; the process has ended at the end of the context.

    `program` instead of `palio compile`.
    """
    if not has_compiled(game, bots):
        yield CompileProcess(None, say)
        return
    command = program or python("-m", "palio_clients", "compile", "--bots-only", game)
    process = await asyncio.create_subprocess_exec(
        *tethered(GOODBYE_S, *command),
        env=environment_of("", os.environ),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the tournament
    )
    try:
        yield CompileProcess(process, say)
    finally:
        await end_for_certain(process)
