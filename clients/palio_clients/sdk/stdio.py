"""Any program that speaks JSON lines on stdin and stdout is a bot: the protocol's own messages, one a line.

The program reads `game`, `turn`, `rejected`, `played` and `over`, and writes `ready`, `move`, `resign` and `error`. Its
stderr is copied to ours. Each match has a process of its own, which ends with the match.
"""

import asyncio
import shlex
import shutil
import signal
import sys
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

from palio_clients.sdk.clock import Clock
from palio_clients.sdk.entrant import Entrant, name_from
from palio_clients.sdk.events import MatchOver, MovePlayed, MoveRejected
from palio_clients.sdk.failures import BadBot, PlayerFailed, ProgramDied, Resign
from palio_clients.sdk.player import News, Report, Thought
from palio_rules import registry
from palio_rules.contract import codec as wire
from palio_rules.contract import messages
from palio_rules.contract.codec import MAX_BYTES, Encoding
from palio_rules.contract.messages import BotMessage, GameMessage, ServerMessage, Turn
from palio_rules.errors import WireError

LEAVE_S = 0.5  # from the end of its stdin to SIGTERM: time to end by itself
TERM_S = 2.0  # from SIGTERM to SIGKILL
GONE_S = 2.0  # from SIGKILL to the end of its pipes, which something that it has started may keep open
LAST_LINES = 8  # of stderr, quoted when the program dies


def engine(command: str, name: str | None = None) -> Entrant:
    """The bot that `command` runs: what `exec:` stands for in a spec. Raises BadBot if there is no such program."""
    try:
        argv = shlex.split(command)
    except ValueError as error:
        raise BadBot(f"exec:{command} cannot be read: {error}; quote it as for a shell") from None
    if not argv:
        raise BadBot("exec: names no program; write exec:./engine --flags")
    if shutil.which(argv[0]) is None:
        raise BadBot(f"there is no program {argv[0]!r}; check the path and that it may be executed (chmod +x)")
    usual = name_from(Path(command.split(maxsplit=1)[0]).stem.replace("=", ""))
    return Entrant(name or usual, registry.games(), lambda report: EnginePlayer(argv, report), own_process=True)


class EnginePlayer:
    """Lets a program play one match; see `Player`."""

    def __init__(self, argv: list[str], report: Report, *, called: str = "") -> None:
        self._argv = argv
        self._called = called or argv[0]  # in sentences
        self._report = report
        self._process: asyncio.subprocess.Process | None = None
        self._readers: list[asyncio.Task[None]] = []
        self._received: asyncio.Queue[BotMessage | None] = asyncio.Queue()  # None: it has closed its stdout
        self._last_lines: deque[str] = deque(maxlen=LAST_LINES)
        self._asked: set[int] = set()  # ids of turns that it was given

    async def prepare(self, game: GameMessage) -> None:
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(*self._argv, stdin=pipe, stdout=pipe, stderr=pipe)
        except OSError as error:
            raise PlayerFailed(f"{self._called} cannot be started: {error}") from error
        self._process = process
        assert process.stdout is not None
        assert process.stderr is not None
        readers = self._read(process.stdout), pass_on(process.stderr, self._last_lines)
        self._readers = [asyncio.create_task(reader) for reader in readers]
        await self._send(game)
        while not isinstance(message := await self._next(), messages.Ready):
            self._handle_other(message)

    async def think(self, turn: Turn, clock: Clock) -> Thought:
        if turn.id not in self._asked:  # after a rejection it knows the turn already
            self._asked.add(turn.id)
            await self._send(turn)
        while True:
            message = await self._next()
            if isinstance(message, messages.Move) and message.id == turn.id:
                return Thought(message.move, message.info)
            self._handle_other(message)

    async def hear(self, news: News) -> None:
        if self._process is None:
            return
        match news:
            case MovePlayed(_, played):
                await self._send(played)
            case MoveRejected(_, rejected):
                await self._send(rejected)
            case MatchOver(match, result):
                with suppress(PlayerFailed):  # a program that has ended already need not be told
                    await self._send(messages.Over(match, result))

    async def close(self) -> None:
        if self._process is None:
            return
        process, self._process = self._process, None
        assert process.stdin is not None
        process.stdin.close()
        try:
            await end(process, LEAVE_S, TERM_S)
        finally:
            for reader in self._readers:
                reader.cancel()
            await asyncio.gather(*self._readers, return_exceptions=True)

    def _handle_other(self, message: BotMessage) -> None:
        match message:
            case messages.Resign():
                raise Resign
            case messages.Error(code, reason) if code == "crashed":
                raise PlayerFailed(reason)
            case messages.Error(code, reason):
                self._report(f"{self._called} complains: {reason} ({code})")
            case messages.Move(_, id_) if id_ not in self._asked:
                self._report(f"{self._called} answers turn {id_}, which it was never asked; copy the id of the turn")
            case messages.Hello():
                self._report(f"{self._called} says hello, which a program on stdin and stdout need not; ignored")
            case _:
                return  # a late answer to a turn that is over, a second ready

    async def _send(self, message: ServerMessage) -> None:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        process.stdin.write(wire.encode(message, Encoding.JSON) + b"\n")
        try:
            await process.stdin.drain()
        except ConnectionError:
            raise await self._why_it_ended() from None

    async def _next(self) -> BotMessage:
        message = await self._received.get()
        if message is None:
            self._received.put_nowait(None)  # for the next call, too
            raise await self._why_it_ended()
        return message

    async def _why_it_ended(self) -> PlayerFailed:
        process = self._process
        assert process is not None
        try:
            async with asyncio.timeout(TERM_S):
                status = await process.wait()
                await asyncio.wait(self._readers)
        except TimeoutError:
            return PlayerFailed(f"{self._called} closed its stdout but runs on; it must keep stdout open to play")
        return ProgramDied(f"{self._called} {how_it_ended(status)} in mid-match", tuple(self._last_lines))

    async def _read(self, stdout: asyncio.StreamReader) -> None:
        async for line in lines_of(stdout):
            if line is None:
                self._report(f"{self._called} wrote a line of more than {MAX_BYTES} bytes, which is ignored")
            elif line.strip():
                try:
                    self._received.put_nowait(wire.decode_from_bot(line, Encoding.JSON))
                except WireError as error:
                    text = line[:80].decode(errors="replace")
                    self._report(f"{self._called} wrote {text!r}, which is no message: {error}; log to stderr instead")
        self._received.put_nowait(None)


def how_it_ended(status: int) -> str:
    return f"was killed by {signal.Signals(-status).name}" if status < 0 else f"exited with status {status}"


async def pass_on(stderr: asyncio.StreamReader, words: deque[str]) -> None:
    """Copy a program's stderr to ours, and remember its last lines in `words`."""
    async for line in lines_of(stderr):
        text = "(a very long line)" if line is None else line.decode(errors="replace")
        words.append(text)
        print(text, file=sys.stderr)  # noqa: T201  # the program's words reach its author unchanged


async def lines_of(stream: asyncio.StreamReader) -> AsyncIterator[bytes | None]:
    """The lines of a stream; None stands for one that is longer than a message may be."""
    rest, too_long = b"", False
    while chunk := await stream.read(MAX_BYTES):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield None if too_long or len(line) > MAX_BYTES else line
            too_long = False
        if len(rest) > MAX_BYTES:
            rest, too_long = b"", True
    if rest or too_long:
        yield None if too_long else rest


async def end(process: asyncio.subprocess.Process, leave_s: float, term_s: float) -> None:
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
                process.kill()  # whoever cancels us must not leave a program behind
            await _gone(process)
            raise
        else:
            return
    await _gone(process)


async def _gone(process: asyncio.subprocess.Process) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(GONE_S):
            await process.wait()
