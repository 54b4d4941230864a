"""Bots as processes of ours: started, watched, started again after a crash, and ended for certain."""

import asyncio
import contextlib
import os
import re
import signal
import sys
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from palio_rules.errors import BadOption
from palio_server.console import tether

CRASHES = 20  # of a bot, without finishing a match; one that crashes more often is no bot
UNUSABLE = 2  # the exit code of `palio join` for a bot that cannot be loaded
BACKOFF_S = (0.2, 1.0, 5.0)  # before the first restart, the second, and every further one
JOIN_S = 60.0  # from the start of a process to its hello: an import of numba takes a while on a busy machine
GOODBYE_S = 2.0  # from SIGTERM to SIGKILL
TETHER_S = 5.0  # in which the tether has ended its program for certain
SETTLE_S = 0.3  # in which what a bot has written before the end of a match, and of it, has come through its pipe
LAST_WORDS_S = 0.5  # for what a dead bot has written last; something that it has started may keep its stderr open
TAIL_BYTES, TAIL_LINES = 4000, 12  # of a dead bot's stderr that are kept, and shown
REMARK, REMARKS = (
    b"remark: ",
    5,
)  # how a line of stderr begins that is passed on at once; so many different ones of a bot

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)=(.+)", re.DOTALL)
_COURSEWORK = re.compile(r"[^:]+:(?P<file>.+?)(?::(?P<settings>[^:/\\]*=[^:]*))?")  # what follows `handout:`

Joins = Callable[[str], Awaitable[None]]
GoesOn = Callable[[str], Awaitable[bool]]  # asked about a bot that has failed: whether the others play on without it


async def never(_bot: str) -> bool:
    """Nothing goes on without any of the bots."""
    return False


async def always(_bot: str) -> bool:
    """Every bot is by itself."""
    return True


class BotFailed(Exception):
    """A bot could not be started, or crashed too often; the message has its name and last words."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot in a tournament: its name there, and the SPEC that `palio join` understands."""

    name: str
    spec: str


def entrants(texts: Sequence[str]) -> list[Entrant]:
    """Read `SPEC` or `name=SPEC`; without a name the spec gives it, and repeated ones are numbered. Raises BadOption.

    >>> [entrant.name for entrant in entrants(["random", "random", "alpha_beta:depth=2", "best=./mine.py"])]
    ['random', 'random-2', 'alpha_beta-depth2', 'best']
    """
    found: list[Entrant] = []
    taken: set[str] = set()
    for text in texts:
        named = _NAMED.fullmatch(text)
        name, spec = (named[1], named[2]) if named else (_name_of(text), text)
        if named and (name in taken or not _NAME.fullmatch(name)):
            raise BadOption(
                f"two bots are called {name!r}; give one of them another name"
                if name in taken
                else f"{name!r} is too long for a name; use at most 40 characters"
            )
        number, base = 1, name
        while name in taken:
            number += 1
            name = f"{base[:37]}-{number}"
        taken.add(name)
        found.append(Entrant(name, spec))
    return found


def _name_of(spec: str) -> str:
    """A name for the bot behind `spec`, settings included: another depth is another player, with its own rating."""
    kind, colon, rest = spec.partition(":")
    if kind == "handout" and (found := _COURSEWORK.fullmatch(rest)):
        file = Path(found["file"])
        text = "-".join(part for part in (file.parent.name, file.stem, found["settings"]) if part)
    elif kind == "exec" and colon:
        text = Path(rest.split()[0]).stem if rest.split() else ""
    elif "/" in kind or kind.endswith(".py"):
        text = Path(kind).stem + (f"-{rest}" if rest else "")
    else:
        text = f"{kind}-{rest}" if rest else kind
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", text.replace("=", "")).strip("-._")[:40]
    if not name:
        raise BadOption(f"{spec!r} gives no name; write NAME=SPEC")
    return name


class Bots:
    """The processes of a tournament's bots. `joins(name)` returns once a bot of that name is connected."""

    def __init__(self, joins: Joins, say: Callable[[str], None], tasks: asyncio.TaskGroup, *, goes_on: GoesOn) -> None:
        self._joins = joins
        self._say = say
        self._tasks = tasks
        self._goes_on = goes_on
        self._keepers: list[tuple[str, asyncio.Task[None]]] = []
        self._crashes: Counter[str] = Counter()  # by name, since its last finished match
        self._remarks: defaultdict[str, set[str]] = defaultdict(set)  # by name
        self._living: defaultdict[str, list[_Process]] = defaultdict(list)  # by name

    def add(self, url: str, entrant: Entrant, processes: int = 1, slots: int = 1) -> None:
        """Start `processes` processes of a bot for the server at `url`, and keep them running."""
        for _ in range(processes):
            task = self._tasks.create_task(self._keep(url, entrant, slots), name=f"bot {entrant.name}")
            self._keepers.append((entrant.name, task))

    def forgive(self, names: Iterable[str]) -> None:
        """These bots have finished a match, however badly: their crashes are counted anew."""
        for name in names:
            self._crashes.pop(name, None)

    async def said(self, name: str) -> list[str]:
        """The last lines that the living processes of a bot have written on stderr since this was asked last."""
        await asyncio.sleep(SETTLE_S)
        return [line for process in self._living[name] for line in process.news()]

    def end(self) -> None:
        """End them all; the context that gave this object waits until they are gone."""
        for _, keeper in self._keepers:
            keeper.cancel()

    async def _keep(self, url: str, entrant: Entrant, slots: int) -> None:
        try:
            await self._run(url, entrant, slots)
        except BotFailed as failure:
            if not await self._goes_on(entrant.name):
                raise
            self._say(f"{failure}\n{entrant.name} stays away")
            for name, keeper in self._keepers:
                if name == entrant.name and keeper is not asyncio.current_task():
                    keeper.cancel()

    async def _run(self, url: str, entrant: Entrant, slots: int) -> None:
        """Run one process after the other. Raises BotFailed."""
        first = True
        while True:
            process = _Process(await self._start(url, entrant, slots), partial(self._pass_on, entrant.name))
            self._living[entrant.name].append(process)
            try:
                joined, code = await self._live(entrant, process)
            finally:
                self._living[entrant.name].remove(process)
                await process.end()
            if not joined and (first or code == UNUSABLE):
                raise BotFailed(f"{_ended(entrant, code)} before it joined; {process.last_words()}")
            first = False
            self._crashes[entrant.name] += 1
            crashes = self._crashes[entrant.name]
            if crashes >= CRASHES:
                often = f"{crashes} times without finishing a match"
                raise BotFailed(f"{_ended(entrant, code)}, {often}; {process.last_words()}")
            self._say(f"{_ended(entrant, code)} and is started again; {process.last_words()}")
            await asyncio.sleep(BACKOFF_S[min(crashes, len(BACKOFF_S)) - 1])

    async def _live(self, entrant: Entrant, process: "_Process") -> tuple[bool, int]:
        """Watch a process to its end: whether it has joined, and its exit code. Raises BotFailed if it does neither."""
        ending = asyncio.ensure_future(process.ended())
        joining = asyncio.ensure_future(self._joins(entrant.name))
        try:
            await asyncio.wait({ending, joining}, timeout=JOIN_S, return_when=asyncio.FIRST_COMPLETED)
            joined = joining.done()
            if joined:
                joining.result()
            elif not ending.done():
                raise BotFailed(
                    f"the bot {entrant.name} ({entrant.spec}) has not joined within {JOIN_S:g} s; "
                    f"{process.last_words()}"
                )
            return joined, await ending
        finally:
            ending.cancel()
            joining.cancel()
            await asyncio.gather(ending, joining, return_exceptions=True)

    def _pass_on(self, name: str, remark: str) -> None:
        """Say what one process of a bot remarks; of several, and after a crash, once is enough."""
        known = self._remarks[name]
        if remark not in known and len(known) < REMARKS:
            known.add(remark)
            self._say(f"{name}: {remark}")

    async def _start(self, url: str, entrant: Entrant, slots: int) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", tether.__file__, str(os.getpid()), str(GOODBYE_S)),
            *_command(url, entrant, slots),
            env={name: value for name, value in os.environ.items() if name != "PALIO_TOKEN"},  # not for this server
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for us; we end the bots when their matches are put away
        )


def _command(url: str, entrant: Entrant, slots: int) -> list[str]:
    join = ["-m", "palio_clients", "join", url, entrant.spec]
    return [sys.executable, *join, "--name", entrant.name, "--slots", str(slots), "--quiet"]


class _Process:
    """One process, the end of its stderr, and what it remarks there."""

    def __init__(self, process: asyncio.subprocess.Process, remarked: Callable[[str], None]) -> None:
        self._process = process
        self._remarked = remarked
        self._tail = self._line = b""
        self._news: deque[bytes] = deque(maxlen=TAIL_LINES)

    async def ended(self) -> int:
        """The exit code, once it is there."""
        reading = asyncio.ensure_future(self._read())
        try:
            code = await self._process.wait()
            await asyncio.wait({reading}, timeout=LAST_WORDS_S)
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
        return code

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
                    self._news.append(line[:TAIL_BYTES])

    async def end(self) -> None:
        """End it for certain. A caller that is cancelled meanwhile (a group may do so more than once) still waits."""
        ending, cancelled = asyncio.ensure_future(self._end()), None
        while not ending.done():
            try:
                await asyncio.shield(ending)
            except asyncio.CancelledError as error:
                cancelled = error
        if cancelled is not None:
            raise cancelled

    async def _end(self) -> None:
        """The tether ends it, and all that it has started."""
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GOODBYE_S + TETHER_S):
                await self._process.wait()
                return
        self._process.kill()
        await self._process.wait()

    def news(self) -> list[str]:
        """The last whole lines that it has written since this was asked last, without what it remarked."""
        lines = [line.decode(errors="replace") for line in self._news]
        self._news.clear()
        return lines

    def last_words(self) -> str:
        lines = [line for line in self._tail.decode(errors="replace").splitlines() if line.strip()][-TAIL_LINES:]
        return "its last words:\n" + "\n".join(f"  {line}" for line in lines) if lines else "it said nothing on stderr"


def _ended(entrant: Entrant, code: int) -> str:
    how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
    return f"the bot {entrant.name} ({entrant.spec}) {how}"


@asynccontextmanager
async def bots(joins: Joins, say: Callable[[str], None], *, goes_on: GoesOn = never) -> AsyncIterator[Bots]:
    """Keep bots running for as long as the context lasts; all their processes are gone at its end.

    When a bot cannot be started or crashes too often, the context's body is cancelled and BotFailed is raised, unless
    it `goes_on` without that bot, which then stays away.
    """
    try:
        async with asyncio.TaskGroup() as tasks:
            stable = Bots(joins, say, tasks, goes_on=goes_on)
            try:
                yield stable
            finally:
                stable.end()
    except* BotFailed as failures:
        raise failures.exceptions[0] from None
