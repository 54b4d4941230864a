"""The searches that give people hints, in a process of their own: `palio hint`, with lines of JSON in both directions.

It is started by the first request, and ends when there has been none for a while. One question is answered at a time, a
few wait, the rest are refused. A search that hangs or crashes is ended and restarted; it always ends with the server.
The server contains no search, because that is part of the clients.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Self

import msgspec

from palio_rules.interpreter import python
from palio_rules.records.record import JudgedPly, Record
from palio_server.processes.bot_process import end_for_certain, environment_of
from palio_server.processes.tether import tethered

log = logging.getLogger(__name__)

THINK_S = 2.0  # seconds for one answer
ANSWER_S = 4.0  # seconds after which a search counts as hanging, and is killed
START_S = 30.0  # seconds for the imports, on a busy machine
PREPARE_S = 60.0  # seconds for compiling the searches of a game, the first time on a machine
IDLE_S = 60.0  # seconds without a question, until the process ends
WAITING = 8  # questions besides the current one: a quarter of a minute
OF_ONE = 2  # questions of one address that may wait or be in progress
GOODBYE_S = 0.5  # seconds from SIGTERM to SIGKILL
MAX_LINE = 1_000_000  # bytes of an answer: a tour of some thousand cities


class NoHint(Exception):
    """No hint exists for this position; the message says why."""


class TooManyHints(Exception):
    """There are more questions than can be answered soon."""


class HintsFailed(Exception):
    """The searches crashed, or did not answer."""


class FoundLine(msgspec.Struct, frozen=True):
    """One of the best moves, as on the wire, and its value for the side to move."""

    move: Any
    value: float


class FoundMove(msgspec.Struct, frozen=True):
    """A move that the searches suggest, as on the wire. `complete`: False if the time was up before the end."""

    id: int
    move: Any = None
    text: str = ""
    complete: bool = False
    error: str | None = None
    lines: list[FoundLine] = []  # msgspec copies it
    preparing: bool = False  # no answer yet: the searches of the game are compiled first


class HintProcess:
    """The process of the searches. A context, at whose end the process has ended."""

    def __init__(
        self, *program: str, think_s: float = THINK_S, answer_s: float = ANSWER_S, idle_s: float = IDLE_S
    ) -> None:
        """`program` is the command line of the process; by default that of the clients."""
        self._program = program or tuple(python("-m", "palio_clients", "hint"))
        self._think_s, self.answer_s, self._idle_s = think_s, answer_s, idle_s
        self._process: asyncio.subprocess.Process | None = None
        self._one_at_a_time = asyncio.Lock()
        self._questions: dict[asyncio.Task[FoundMove], str] = {}  # and the address of the asker
        self._alarm: asyncio.TimerHandle | None = None  # set while there is no question
        self._retiring: asyncio.Task[None] | None = None
        self._last = 0  # question, by number
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closed = True
        self._awake()
        tasks = [*self._questions, *([self._retiring] if self._retiring else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._end()

    @property
    def pid(self) -> int | None:
        """The process that runs now, if there is one."""
        return None if self._process is None or self._process.returncode is not None else self._process.pid

    async def ask(self, game: str, state: str, depth: int, address: str = "", best: int = 0) -> FoundMove:
        """Return the best move that is found in time. A caller may be cancelled; the question is still answered.

        `best`: how many of the best moves are wanted with their values, in a game with an opponent.
        `address` is where the question comes from; "": many share it, so that it has no limit of its own.

        Raises NoHint, TooManyHints or HintsFailed.
        """
        if self._closed:
            raise HintsFailed("the server is ending")
        if len(self._questions) > WAITING:
            raise TooManyHints(f"{WAITING} others wait for a hint already")
        if address and list(self._questions.values()).count(address) >= OF_ONE:
            raise TooManyHints(f"{OF_ONE} hints for your address are being looked for already")
        self._last += 1
        question = {"id": self._last, "game": game, "state": state, "depth": depth, "seconds": self._think_s}
        if best:
            question["best"] = best
        task = asyncio.create_task(self._answer(question), name=f"hint {self._last}")
        self._questions[task] = address
        task.add_done_callback(self._done)
        found = await asyncio.shield(task)
        if found.error is not None:
            raise NoHint(found.error)
        return found

    def _done(self, task: asyncio.Task[FoundMove]) -> None:
        del self._questions[task]
        if not task.cancelled():
            task.exception()  # the caller has it, or is gone

    async def _answer(self, question: dict[str, Any]) -> FoundMove:
        async with self._one_at_a_time:
            self._awake()
            try:
                process = await self._running()
                async with asyncio.timeout(self.answer_s) as limit:
                    found = await _exchange(process, question)
                    if found.preparing:
                        limit.reschedule(asyncio.get_running_loop().time() + PREPARE_S)
                        found = await _answered(process, question)
            except BaseException as error:  # a half-read answer would be taken for the answer to the next question
                await self._end()
                if isinstance(error, TimeoutError):
                    log.warning("the search for a hint in %s hung, and was killed", question["game"])
                    raise HintsFailed("the search did not end in time; try again, or with less depth") from None
                raise
            self._alarm = asyncio.get_running_loop().call_later(self._idle_s, self._retire)
            return found

    async def _running(self) -> asyncio.subprocess.Process:
        """Return the process, ready to answer."""
        if self._process is not None and self._process.returncode is None:
            return self._process
        await self._end()
        self._process = process = await asyncio.create_subprocess_exec(
            *tethered(GOODBYE_S, *self._program),
            env=environment_of("", os.environ),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=MAX_LINE,
            start_new_session=True,  # Ctrl-C is for the server
        )
        async with asyncio.timeout(START_S):
            await _line(process)  # it is ready
        return process

    def _awake(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _retire(self) -> None:
        self._retiring = asyncio.create_task(self._end_idle(self._last), name="idle hints")

    async def _end_idle(self, last: int) -> None:
        async with self._one_at_a_time:
            if self._last == last:  # there was no question meanwhile
                await self._end()

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await end_for_certain(process)


async def _exchange(process: asyncio.subprocess.Process, question: dict[str, Any]) -> FoundMove:
    """Return the answer to the question. Raises HintsFailed if the process ends instead."""
    assert process.stdin is not None
    process.stdin.write(msgspec.json.encode(question) + b"\n")
    with suppress(ConnectionError):  # it has ended, which reading finds
        await process.stdin.drain()
    return await _answered(process, question)


async def _answered(process: asyncio.subprocess.Process, question: dict[str, Any]) -> FoundMove:
    """Return what the process says next about the question. Raises as `_exchange`."""
    line = await _line(process)
    try:
        found = msgspec.json.decode(line, type=FoundMove)
    except msgspec.DecodeError:
        raise HintsFailed("the search answered with something else than a move") from None
    if found.id != question["id"]:
        raise HintsFailed("the search answered another question")
    return found


async def _line(process: asyncio.subprocess.Process) -> bytes:
    """Return the next line. Raises HintsFailed if there is none."""
    assert process.stdout is not None
    try:
        line = await process.stdout.readline()
    except ValueError:
        raise HintsFailed("the search gave an endless answer") from None
    if not line:
        code = await process.wait()
        log.warning("the process that gives hints ended with exit code %d", code)
        raise HintsFailed("the search crashed; try again")
    return line


# A client's process that judges the plies of a record.
#
# Searching is part of the clients, which the server must not import: the record goes in as JSON, and a line comes out
# for each ply. `palio analyse` runs one process while its user waits, a server one after the other
# (`arena/analysis_queue.py`).

LINE_BYTES = 1 << 20  # of JSON, at most


class JudgeFailed(Exception):
    """The process ended before its work was done; the message is the last line it wrote."""


class JudgeProcess:
    """The process, while it works."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.stopped = False

    @property
    def pid(self) -> int:
        return self._process.pid

    async def plies(self, record: Record) -> AsyncIterator[JudgedPly]:
        """Yield the judgement of each ply, in any order. Raises JudgeFailed, unless it was told to `stop`."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        words = asyncio.ensure_future(process.stderr.read())
        try:
            with suppress(ConnectionError):  # it did not read all of it; its last lines say why
                process.stdin.write(msgspec.json.encode(record))
                await process.stdin.drain()
                process.stdin.close()
            async for line in process.stdout:
                if line.endswith(b"\n"):  # otherwise it was killed in the middle of it
                    yield msgspec.json.decode(line, type=JudgedPly)
            code = await process.wait()
            said = (await words).decode(errors="replace").strip()
        finally:
            words.cancel()
        if code != 0 and not self.stopped:
            raise JudgeFailed(said.splitlines()[-1].removeprefix("Error: ") if said else f"it ended with code {code}")

    def stop(self) -> None:
        """Tell it to end; the plies judged by then are still returned."""
        self.stopped = True
        with suppress(ProcessLookupError):
            self._process.terminate()


@asynccontextmanager
async def judging(seconds: float, goodbye_s: float, engine: str = "") -> AsyncIterator[JudgeProcess]:
    """Start a process with `seconds` for each position. It always ends with the block, and with this process.

    It is killed `goodbye_s` seconds after it was told to end. `engine`: the spec of an engine that judges positions.
    """
    words = ["analyse", "-", "--seconds", str(seconds), *(["--engine", engine] if engine else [])]
    process = await asyncio.create_subprocess_exec(
        *tethered(goodbye_s, *python("-m", "palio_clients", *words)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=LINE_BYTES,
        start_new_session=True,  # the terminal's Ctrl-C is for this process, which passes it on
    )
    try:
        yield JudgeProcess(process)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.terminate()
            await process.wait()


def positions(record: Record) -> int:
    """Return the number of positions to judge."""
    return 1 + len(record.setup.opening) + len(record.plies)
