"""Programs that speak JSON lines on stdin and stdout as bots: the protocol's own messages, one a line.

The program reads `game`, `turn`, `rejected`, `played` and `over`, and writes `ready`, `move`, `resign` and `error`. Its
stderr is copied to ours. Each match has its own process, which ends with the match; but a program that answers `ready`
with `again` stays, and gets the `game` of a later match.
"""

import asyncio
import shlex
import shutil
import signal
import sys
from collections import deque
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol

from palio_clients.sdk.clock import Clock
from palio_clients.sdk.events import MatchOver, MovePlayed, MoveRejected
from palio_clients.sdk.failures import BadBot, PlayerFailed, ProgramDied, Resign
from palio_clients.sdk.lines import Lines
from palio_clients.sdk.loader import Entrant, Make, usual_name
from palio_clients.sdk.player import News, Report, Thought, settled
from palio_clients.sdk.program import LAST_LINES, Program, start
from palio_rules import registry
from palio_rules.completing import completed_by, programs
from palio_rules.contract import messages
from palio_rules.contract.codec import MAX_BYTES
from palio_rules.contract.messages import BotMessage, GameMessage, Turn

__all__ = ["LAST_LINES", "EnginePlayer", "end", "end_program", "engine", "how_it_ended", "lines_of", "pass_on"]

LEAVE_S = 0.5  # from the end of its stdin to SIGTERM: time to end by itself
TERM_S = 2.0  # from SIGTERM to SIGKILL
GONE_S = 2.0  # from SIGKILL to the end of its pipes, which a process that it has started may keep open
OUTPUT_END_S = 0.2  # from the end of a program to that of its pipes, which another process may keep open


@completed_by(programs)
def engine(command: str, name: str | None = None) -> Entrant:
    """Return the bot of the program `command`, for `exec:` in a spec. Raises BadBot if there is no such program."""
    try:
        argv = shlex.split(command)
    except ValueError as error:
        raise BadBot(f"exec:{command} cannot be read: {error}; quote it as for a shell") from None
    if not argv:
        raise BadBot("exec: names no program; write exec:./engine --flags")
    if shutil.which(argv[0]) is None:
        raise BadBot(f"there is no program {argv[0]!r}; check the path and that it may be executed (chmod +x)")
    return Entrant(
        name or usual_name(f"exec:{command}"),
        registry.games(),
        lambda report: EnginePlayer(argv, report),
        own_process=True,
        command=tuple(argv),
        staying=lambda: _staying(argv),
    )


@asynccontextmanager
async def _staying(argv: list[str]) -> AsyncIterator[Make]:
    """Make players whose programs stay for the next match, if they announce it; at the end all are ended."""
    waiting: list[Program] = []
    try:
        yield lambda report: EnginePlayer(argv, report, waiting=waiting)
    finally:
        await asyncio.gather(*(end_program(program) for program in waiting))


class EnginePlayer:
    """A player of one match by a program; see `Player`."""

    def __init__(
        self, argv: list[str], report: Report, *, called: str = "", waiting: list[Program] | None = None
    ) -> None:
        """Prepare a player; `waiting`: programs that stay for another match; None: no program stays."""
        self._argv = argv
        self._called = called or argv[0]  # in sentences
        self.report = report
        self._waiting = waiting
        self._program: Program | None = None
        self._match = ""
        self._over = False
        self._asked: set[int] = set()  # ids of the turns that were sent to it
        self._wanted: int | None = None  # the turn that it thinks about; None: `ready` is expected
        self._answer: asyncio.Future[Any] | None = None

    async def prepare(self, game: GameMessage) -> None:
        self._match = game.match
        while (program := self._take_waiting()) is not None:
            try:
                await self._introduce(program, game)
            except ProgramDied:  # before it has begun: it did not stay after all
                await end_program(program)
            else:
                return
        await self._introduce(await start(self._argv, self._called), game)

    async def _introduce(self, program: Program, game: GameMessage) -> None:
        self._program, self._wanted = program, None
        program.listener = self
        program.send(game)
        await settled(self._wait())

    def think(self, turn: Turn, clock: Clock) -> Awaitable[Thought]:
        program = self._program
        assert program is not None, "prepare comes first"
        if program.stdin_closed:
            return self._fail()
        if turn.id not in self._asked:  # after a rejection it knows the turn already
            self._asked.add(turn.id)
            program.send(turn)
        self._wanted = turn.id
        return self._wait()

    def hear(self, news: News) -> Awaitable[None] | None:
        program = self._program
        if program is None:
            return None
        match news:
            case MatchOver(match, result):  # a program that has ended already gets no message
                self._over = True
                program.send(messages.Over(match, result))
                return None
            case _ if program.stdin_closed:
                return self._fail()
            case MovePlayed(_, played):
                program.send(played)
            case MoveRejected(_, rejected):
                program.send(rejected)
        return None

    async def close(self) -> None:
        program, self._program = self._program, None
        if program is None:
            return
        program.listener = None
        if self._over and self._waiting is not None and program.usable:
            program.forget()
            self._waiting.append(program)
        else:
            await end_program(program)

    # --- what the program says ----------------------------------------------------------------------------------------

    def heard(self) -> None:
        """Handle new messages of the program, or the end of its stdout."""
        answer, program = self._answer, self._program
        if answer is None or answer.done() or program is None:
            return
        try:
            while (message := program.take()) is not None:
                if self._is_answer(message):
                    answer.set_result(None if isinstance(message, messages.Ready) else _thought(message))
                    return
                self._handle_other(message)
        except (PlayerFailed, Resign) as error:
            answer.set_exception(error)
        else:
            if program.stdout_closed:
                answer.set_result(self._fail())  # an awaitable, which raises the reason

    def _wait(self) -> asyncio.Future[Any]:
        """Return the program's answer, which may have come already."""
        self._answer = asyncio.get_running_loop().create_future()
        self.heard()
        return self._answer

    def _is_answer(self, message: BotMessage) -> bool:
        if self._wanted is not None:
            return isinstance(message, messages.Move) and message.id == self._wanted and self._is_ours(message)
        if not isinstance(message, messages.Ready) or not self._is_ours(message):
            return False
        assert self._program is not None
        self._program.stays = message.again is True
        return True

    def _is_ours(self, message: messages.Move | messages.Ready | messages.Resign) -> bool:
        """Return whether it is about this match: a program that has stayed may still send about the former one."""
        return message.match == self._match or self._program is None or not self._program.played

    def _handle_other(self, message: BotMessage) -> None:
        match message:
            case messages.Move() | messages.Ready() | messages.Resign() if not self._is_ours(message):
                return
            case messages.Resign():
                raise Resign
            case messages.Error(_, _, _, str(match)) if match != self._match and self._program and self._program.played:
                return
            case messages.Error(code, reason) if code == "crashed":
                raise PlayerFailed(reason)
            case messages.Error(code, reason):
                self.report(f"{self._called} complains: {reason} ({code})")
            case messages.Move(_, id_) if id_ not in self._asked:
                self.report(f"{self._called} answers turn {id_}, which it was never asked; copy the id of the turn")
            case messages.Hello():
                self.report(f"{self._called} says hello, which a program on stdin and stdout need not; ignored")
            case _:
                return  # a late answer to a turn that is over, a second ready

    # --- the program --------------------------------------------------------------------------------------------------

    def _take_waiting(self) -> Program | None:
        """Return a program that has stayed, if it has not died meanwhile."""
        while self._waiting:
            program = self._waiting.pop()
            program.forget()
            if program.usable:
                program.played = True
                return program
            program.close()
        return None

    async def _fail(self) -> Any:
        """Raise the reason why the program has ended, or closed its pipes."""
        program = self._program
        assert program is not None
        try:
            async with asyncio.timeout(TERM_S):
                status = await program.wait_for_output()
        except TimeoutError:
            raise PlayerFailed(
                f"{self._called} closed its stdout but runs on; it must keep stdout open to play"
            ) from None
        raise ProgramDied(f"{self._called} {how_it_ended(status)} in mid-match", tuple(program.last_lines))


def _thought(message: BotMessage) -> Thought:
    assert isinstance(message, messages.Move)
    return Thought(message.move, message.info)


class Ending(Protocol):
    """A process that can be ended."""

    async def wait(self) -> int: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


class Leaving(Ending, Protocol):
    """A program that can be asked to leave."""

    def hang_up(self) -> None: ...
    def close(self) -> None: ...
    async def wait_for_output(self) -> int: ...


async def end_program(program: Leaving) -> None:
    """End a program; on return it has ended."""
    program.hang_up()
    try:
        await end(program, LEAVE_S, TERM_S)
        with suppress(TimeoutError):
            async with asyncio.timeout(OUTPUT_END_S):
                await program.wait_for_output()
    finally:
        program.close()


def how_it_ended(status: int) -> str:
    return f"was killed by {signal.Signals(-status).name}" if status < 0 else f"exited with status {status}"


async def pass_on(stderr: asyncio.StreamReader, words: deque[str]) -> None:
    """Copy a program's stderr to ours, and keep its last lines in `words`."""
    async for line in lines_of(stderr):
        text = "(a very long line)" if line is None else line.decode(errors="replace")
        words.append(text)
        print(text, file=sys.stderr)  # noqa: T201  # the program's words reach its author unchanged


async def lines_of(stream: asyncio.StreamReader) -> AsyncIterator[bytes | None]:
    """Yield the lines of a stream; None stands for one that is longer than a message may be."""
    lines = Lines()
    while chunk := await stream.read(MAX_BYTES):
        for line in lines.feed(chunk):
            yield line
    for line in lines.end():
        yield line


async def end(process: Ending, leave_s: float, term_s: float) -> None:
    """Wait for `leave_s`, then send SIGTERM, and after `term_s` SIGKILL; on return the process has ended."""
    for patience, insist in ((leave_s, process.terminate), (term_s, process.kill)):
        try:
            async with asyncio.timeout(patience):
                await process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                insist()
        except asyncio.CancelledError:
            with suppress(ProcessLookupError):
                process.kill()  # a cancelled call must not leave a program behind
            await _gone(process)
            raise
        else:
            return
    await _gone(process)


async def _gone(process: Ending) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(GONE_S):
            await process.wait()
