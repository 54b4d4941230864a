"""The searches that give people hints, in a process of their own: `palio hint`, which takes and gives lines of JSON.

It is started when somebody asks, and ends when nobody has asked for a while. One question is thought about at a time,
a few wait, the rest are refused. Whatever hangs or crashes is ended and started anew; with the server it ends for
certain. The server knows no search: that is the clients' business.
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

THINK_S = 2.0  # for one answer
ANSWER_S = 4.0  # then what thinks for so long hangs, and is killed
START_S = 30.0  # for the imports, on a busy machine
IDLE_S = 60.0  # without a question, until the process ends
WAITING = 8  # questions besides the one that is thought about: a quarter of a minute
OF_ONE = 2  # questions of one address that may wait or be thought about
GOODBYE_S = 0.5  # from SIGTERM to SIGKILL
MAX_LINE = 1_000_000  # bytes of an answer: a tour of some thousand cities


class NoHint(Exception):
    """There is nothing to be found in this position; the message says why."""


class TooManyHints(Exception):
    """More people ask than can be answered soon."""


class HintsFailed(Exception):
    """The searches crashed, or did not answer."""


class Found(msgspec.Struct, frozen=True):
    """A move that the searches would make, as on the wire. `complete`: false where the time was up before."""

    id: int
    move: Any = None
    text: str = ""
    complete: bool = False
    error: str | None = None


class HintProcess:
    """Asks the searches. A context, at whose end the process is gone."""

    def __init__(
        self, *program: str, think_s: float = THINK_S, answer_s: float = ANSWER_S, idle_s: float = IDLE_S
    ) -> None:
        """`program` is the command line of what answers; by default that of the clients."""
        self._program = program or tuple(python("-m", "palio_clients", "hint"))
        self._think_s, self.answer_s, self._idle_s = think_s, answer_s, idle_s
        self._process: asyncio.subprocess.Process | None = None
        self._one_at_a_time = asyncio.Lock()
        self._questions: dict[asyncio.Task[Found], str] = {}  # and who asks
        self._alarm: asyncio.TimerHandle | None = None  # set while nobody asks
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
        """Of the process that runs now, if there is one."""
        return None if self._process is None or self._process.returncode is not None else self._process.pid

    async def ask(self, game: str, state: str, depth: int, address: str = "") -> Found:
        """The best move that is found in time. A caller may be cancelled; the question is answered all the same.

        `address` is where it is asked; "": many share it, so that it has no limit of its own.

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
        task = asyncio.create_task(self._answer(question), name=f"hint {self._last}")
        self._questions[task] = address
        task.add_done_callback(self._done)
        found = await asyncio.shield(task)
        if found.error is not None:
            raise NoHint(found.error)
        return found

    def _done(self, task: asyncio.Task[Found]) -> None:
        del self._questions[task]
        if not task.cancelled():
            task.exception()  # whoever asked has it, or is gone

    async def _answer(self, question: dict[str, Any]) -> Found:
        async with self._one_at_a_time:
            self._awake()
            try:
                process = await self._running()
                async with asyncio.timeout(self.answer_s):
                    found = await _exchange(process, question)
            except BaseException as error:  # what is half answered would be taken for the answer to the next one
                await self._end()
                if isinstance(error, TimeoutError):
                    log.warning("the search for a hint in %s hung, and was killed", question["game"])
                    raise HintsFailed("the search did not end in time; try again, or with less depth") from None
                raise
            self._alarm = asyncio.get_running_loop().call_later(self._idle_s, self._retire)
            return found

    async def _running(self) -> asyncio.subprocess.Process:
        """The process, ready to answer."""
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
            start_new_session=True,  # Ctrl-C is for us
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
            if self._last == last:  # nobody has asked meanwhile
                await self._end()

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await end_for_certain(process)


async def _exchange(process: asyncio.subprocess.Process, question: dict[str, Any]) -> Found:
    """The answer to the question. Raises HintsFailed if the process ends instead."""
    assert process.stdin is not None
    process.stdin.write(msgspec.json.encode(question) + b"\n")
    with suppress(ConnectionError):  # it has ended: reading says so
        await process.stdin.drain()
    line = await _line(process)
    try:
        found = msgspec.json.decode(line, type=Found)
    except msgspec.DecodeError:
        raise HintsFailed("the search answered with something else than a move") from None
    if found.id != question["id"]:
        raise HintsFailed("the search answered another question")
    return found


async def _line(process: asyncio.subprocess.Process) -> bytes:
    """The next line. Raises HintsFailed if there is none."""
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
# Searching is the clients' business, and no import leads there: the record goes in as JSON, and a line comes out for
# each ply. `palio analyse` runs one while somebody waits for it, a server one after the other
# (`arena/analysis_queue.py`).

LINE_BYTES = 1 << 20  # of JSON, at most


class JudgeFailed(Exception):
    """The process ended before its work was done; the message is the last line it wrote."""


class Judge:
    """The process, while it works."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.stopped = False

    @property
    def pid(self) -> int:
        return self._process.pid

    async def plies(self, record: Record) -> AsyncIterator[JudgedPly]:
        """What it says of each ply, in whatever order. Raises JudgeFailed, unless it was told to `stop`."""
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
                if line.endswith(b"\n"):  # else it was killed in the middle of it
                    yield msgspec.json.decode(line, type=JudgedPly)
            code = await process.wait()
            said = (await words).decode(errors="replace").strip()
        finally:
            words.cancel()
        if code != 0 and not self.stopped:
            raise JudgeFailed(said.splitlines()[-1].removeprefix("Error: ") if said else f"it ended with code {code}")

    def stop(self) -> None:
        """Tell it to end; what it has judged by then comes all the same."""
        self.stopped = True
        with suppress(ProcessLookupError):
            self._process.terminate()


@asynccontextmanager
async def judging(seconds: float, goodbye_s: float) -> AsyncIterator[Judge]:
    """A process with `seconds` for each position. It ends with the block, and with this process, whatever happens.

    `goodbye_s` after it was told to end it is killed.
    """
    process = await asyncio.create_subprocess_exec(
        *tethered(goodbye_s, *python("-m", "palio_clients", "analyse", "-", "--seconds", str(seconds))),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=LINE_BYTES,
        start_new_session=True,  # the terminal's Ctrl-C is for us; we tell it
    )
    try:
        yield Judge(process)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.terminate()
            await process.wait()


def positions(record: Record) -> int:
    """How many there are to judge."""
    return 1 + len(record.setup.opening) + len(record.plies)
