"""The bots that run as processes: started, restarted after a crash, and given up if they are useless."""

import asyncio
import os
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from palio_rules.errors import BadOption
from palio_rules.records.record import Record
from palio_server.edge.accounts import Account
from palio_server.processes.bot_output import BotOutput, OutputFolder
from palio_server.processes.bot_process import BotProcess, how_it_ended, to_the_end
from palio_server.processes.entrants import Entrant
from palio_server.processes.lost_matches import CRASHED, GONE, MISSES, Appearances
from palio_server.processes.program_time import ProgramTime
from palio_server.sandbox.confinement import SHIPPED, Confinement
from palio_server.sandbox.spec_files import is_untrusted

CRASHES = 20  # of a bot, without playing a match to its end; then it is given up
UNUSABLE = 2  # the exit code of `palio join` for a bot that cannot be loaded
BACKOFF_S = (0.2, 1.0, 5.0)  # seconds before the first restart, the second, and every further one
TRIES = 2  # starts of a process that ends before it has joined
# processes that start at once, each for so many seconds at most
STARTS, STARTING_S = max(4, 2 * (os.cpu_count() or 1)), 10.0
# seconds from the start of process and server to the hello: importing numba takes a while on a busy machine
JOIN_S = 60.0
NOT_JOINED = "has not joined within"
SETTLE_S = 0.3  # seconds in which a bot's output up to the end of a match has come through its pipe
REMARKS = 5  # different ones of a bot that are passed on

Joins = Callable[[str], Awaitable[None]]  # returns once a bot of this name is connected
# an address for one program of a bot: with its name, how it is confined, and how many matches it plays at a time
NewAddress = Callable[[str, str, int], str]
UsedUp = Callable[[str, str], None]  # called with such an address, and the limit that has ended its program
# for such an address; the callback is called at each change
TellAwaited = Callable[[str, Callable[[bool], None]], None]
AccountOf = Callable[[str], Account]  # the account of what is read of the program at such an address
# asked about a bot that has failed, and how: do the others play on without it?
GoesOn = Callable[[str, str], Awaitable[bool]]
Traffic = Callable[[str, str], None]  # called with a bot's name, and a line that its engine is sent or says
Broken = Callable[[str, str], bool]  # called with a bot that did not join, and why; False: treat it as failed


class Running(Protocol):
    """A bot that has been started; `BotProcess` is one."""

    @property
    def used_up(self) -> str:
        """The limit of its sandbox that has ended it; "": none."""

    async def ended(self) -> int:
        """Return the exit code, once it has ended."""

    async def end(self) -> None:
        """End it; on return it has ended."""

    def awaited(self, awaited: bool) -> None:  # noqa: FBT001  # it is a callback
        """Tell its sandbox if the server expects an answer."""

    @property
    def pids(self) -> list[int]:
        """The processes that it has started itself, which may have started others."""

    def keep_on(self, cpu: int) -> None:
        """Keep all that it has started, and will start, on a CPU."""

    def new_lines(self) -> list[str]:
        """Return its last lines on stderr since the last call."""

    def last_lines(self) -> str:
        """Return its last lines on stderr, for a sentence."""


class StartBot(Protocol):
    """The function that starts a bot; see `BotProcess.start`."""

    async def __call__(
        self,
        url: str,
        entrant: Entrant,
        slots: int,
        remarked: Callable[[str], None],
        *,
        confinement: Confinement | None,
        hit_limit: Callable[[str], None],
        output: BotOutput | None,
        traffic: Callable[[str], None] | None,
        account: Account | None,
    ) -> Running:
        """Start it. Raises BadOption and OSError."""


class BotFailed(Exception):
    """A bot that could not be started, crashed too often or missed its matches; the message has its name and last
    lines. `usage`: it was named wrongly, and nothing has been played.
    """

    def __init__(self, message: str, *, usage: bool = False) -> None:
        super().__init__(message)
        self.usage = usage


class NotJoined(BotFailed):
    """A bot that could not be started, or ended or sent nothing before it joined."""


async def needs_every_bot(_bot: str, _why: str) -> bool:
    """Return False: the event needs every one of its bots."""
    return False


@dataclass(frozen=True)
class Sandbox:
    """The sandbox for untrusted programs: how they are confined, their own addresses, and the callback for used-up
    limits.

    `tell_awaited` takes a callback that is called with True while the server expects an answer of the program at an
    address.
    """

    confinement: Confinement
    new_address: NewAddress
    used_up: UsedUp
    tell_awaited: TellAwaited
    account_of: AccountOf


async def bots_are_independent(_bot: str, _why: str) -> bool:
    """Return True: every bot is independent of the others."""
    return True


def fail_if_broken(_bot: str, _why: str) -> bool:
    """Return False: a bot that does not join has failed."""
    return False


@asynccontextmanager
async def running_bots(
    joins: Joins,
    say: Callable[[str], None],
    *,
    goes_on: GoesOn = needs_every_bot,
    broken: Broken = fail_if_broken,
    served: asyncio.Event | None = None,
    sandbox: Sandbox | None = None,
    output: OutputFolder | None = None,
    counts_crashes: bool = False,
    traffic: Traffic | None = None,
    start: StartBot = BotProcess.start,
) -> AsyncIterator["Bots"]:
    """Keep bots running for as long as the context lasts; all their processes have ended at its end.

    `served` is set when there is a server to join, if bots are started before it; until then no bot is expected to have
    joined.

    A process that ends before it has joined is started once more. When a bot cannot be started, crashes too often or
    does not come to its matches, the context's body is cancelled and BotFailed is raised, unless `goes_on` returns
    True, and the bot stays away; for a bot that does not join, `broken` is called first. Messages for people are passed
    to `say`. Untrusted programs run in the `sandbox`. What bots write goes to `output`; without one, their stdout is
    thrown away. With `counts_crashes` the caller counts crashes and gives bots up (`give_up`); otherwise a bot is given
    up after crashes in a row. The lines between bots and their engines go to `traffic`. `start` starts a bot.
    """
    try:
        async with asyncio.TaskGroup() as tasks:
            if served is None:
                served = asyncio.Event()
                served.set()
            started = Bots(
                joins,
                say,
                tasks,
                goes_on=goes_on,
                broken=broken,
                served=served,
                sandbox=sandbox,
                output=output,
                counts_crashes=counts_crashes,
                traffic=traffic,
                start=start,
            )
            try:
                yield started
            finally:
                started.end()
    except ExceptionGroup as group:  # before Python 3.11.4 errors raised in `except*` are in a group of their own
        failed, other = group.split(BotFailed)
        if failed is None or other is not None:
            raise
        failure: BaseException = failed
        while isinstance(failure, BaseExceptionGroup):  # the server within makes groups of its own
            failure = failure.exceptions[0]
        raise failure from None


class Bots:
    """The bots that run, each as one or more processes."""

    def __init__(
        self,
        joins: Joins,
        say: Callable[[str], None],
        tasks: asyncio.TaskGroup,
        *,
        goes_on: GoesOn,
        broken: Broken = fail_if_broken,
        served: asyncio.Event,
        sandbox: Sandbox | None = None,
        output: OutputFolder | None = None,
        counts_crashes: bool = False,
        traffic: Traffic | None = None,
        start: StartBot = BotProcess.start,
    ) -> None:
        self._output, self._traffic, self._start_bot = output, traffic, start
        self._counts_crashes = counts_crashes
        self._joins = joins
        self._say = say
        self._group = tasks
        self._goes_on = goes_on
        self._broken = broken
        self._starting = asyncio.Semaphore(STARTS)
        self._served = served
        self._sandbox = sandbox
        self._warned = False  # of a feature that the sandbox lacks here
        self._tasks: list[tuple[str, asyncio.Task[None]]] = []  # one for each process, with the bot's name
        self._specs: dict[str, str] = {}  # by name
        self._crashes: Counter[str] = Counter()  # by name, since the last match that it has played to its end
        self._appearances = Appearances(GONE - {CRASHED} if counts_crashes else GONE)
        self._given_up: set[str] = set()
        self._ended = False
        self._remarks: defaultdict[str, set[str]] = defaultdict(set)  # by name
        self._processes: defaultdict[str, list[Running]] = defaultdict(list)  # that run now, by name
        self._at: dict[str, Running] = {}  # the same by address, where each has one of its own
        self._times: dict[str, ProgramTime] = {}  # of bots whose processor time was asked for, by name
        self._cpus: dict[str, int] = {}  # of the program at an address, if it is kept on one

    def add(self, url: str, entrant: Entrant, processes: int = 1, slots: int = 1) -> None:
        """Start `processes` processes of a bot for the server at `url`, and keep them running.

        The others follow when the first has joined: matches begin sooner if the processes do not all load their imports
        at once, and one process is enough to find a fault of a bot.
        """
        self._specs[entrant.name] = entrant.spec
        sandbox, how = self._sandbox, SHIPPED
        if sandbox is not None and is_untrusted(entrant.spec):
            how = sandbox.confinement.text(network=entrant.network)
            if sandbox.confinement.warning and not self._warned:
                self._warned = True
                self._say(sandbox.confinement.warning)
        for number in range(processes):
            if sandbox is not None:
                url = sandbox.new_address(entrant.name, how, slots)
            work = self._keep(url, entrant, slots) if number == 0 else self._follow(url, entrant, slots)
            task = self._group.create_task(work, name=f"bot {entrant.name}")
            self._tasks.append((entrant.name, task))

    def confines(self, entrant: Entrant) -> bool:
        """Return True if the bot's program runs in a sandbox here."""
        return self._sandbox is not None and is_untrusted(entrant.spec) and self._sandbox.confinement.works

    def keep_on(self, address: str, cpu: int) -> None:
        """Keep the program at this address on a CPU, and those that are started there later."""
        self._cpus[address] = cpu
        if (process := self._at.get(address)) is not None:
            process.keep_on(cpu)

    def processor_time(self, name: str) -> tuple[float, float] | None:
        """Return the seconds that a bot's programs have run so far, and waited for a processor; None if none runs."""
        if not (running := self._processes.get(name)):
            return None
        meter = self._times.setdefault(name, ProgramTime())
        return meter.read([pid for process in running for pid in process.pids])

    def finished_match(self, record: Record) -> None:
        """Take in a match that is over. Crashes of bots that have played it to a proper end are counted from zero
        again.

        A bot that has missed several matches in a row is given up, because it would hold up all others.
        """
        played, missing = self._appearances.note(record)
        for name in played:
            self._crashes.pop(name, None)
        for name in missing:
            self.give_up(name, f"made no move in {MISSES} games in a row")

    def give_up(self, name: str, why: str) -> None:
        """End a bot that the event must do without, or fail; `why` is what it has done."""
        if name in self._specs and not self._ended:
            failure = BotFailed(f"the bot {name} ({self._specs[name]}) {why}; {self._last_lines(name)}")
            self._group.create_task(self._give_up(name, failure), name=f"end of {name}")

    async def stderr(self, name: str) -> list[str]:
        """Return the last lines that a bot's running processes have written on stderr since the last call."""
        await asyncio.sleep(SETTLE_S)
        return [line for process in self._processes[name] for line in process.new_lines()]

    def end(self) -> None:
        """End them all; the context that gave this object waits until they have ended."""
        self._ended = True
        for _, task in self._tasks:
            task.cancel()

    async def _follow(self, url: str, entrant: Entrant, slots: int) -> None:
        await self._join(entrant.name)
        await self._keep(url, entrant, slots)

    async def _keep(self, url: str, entrant: Entrant, slots: int) -> None:
        try:
            await self._run(url, entrant, slots)
        except NotJoined as failure:
            if self._broken(entrant.name, str(failure)):
                self._end_others(entrant.name)
            else:
                await self._give_up(entrant.name, failure)
        except BotFailed as failure:
            await self._give_up(entrant.name, failure)

    async def _give_up(self, name: str, failure: BotFailed) -> None:
        """End all processes of a bot. Raises `failure` if nothing continues without it."""
        if name in self._given_up:
            return
        self._given_up.add(name)
        if not await self._goes_on(name, str(failure)):
            raise failure
        self._say(f"{failure}\n{name} stays away")
        self._end_others(name)

    def _end_others(self, name: str) -> None:
        """End the processes of a bot except the one whose task calls."""
        self._given_up.add(name)
        for bot, task in self._tasks:
            if bot == name and task is not asyncio.current_task():
                task.cancel()

    def _last_lines(self, name: str) -> str:
        running = self._processes[name]
        return running[0].last_lines() if running else "no process of it runs"

    async def _run(self, url: str, entrant: Entrant, slots: int) -> None:
        """Run one process after the other. Raises BotFailed."""
        tries, former = 0, ""  # starts without joining, and how the first of them ended
        while True:
            tries += 1
            joined, code, process = await self._run_once(url, entrant, slots, former if tries == TRIES else None)
            ended = how_it_ended(entrant, code)
            if process.used_up:
                ended = f"the bot {entrant.name} ({entrant.spec}) was ended: {process.used_up}"
            if joined:
                tries, former = TRIES, ""
            elif tries < TRIES:
                former = f"{ended} before it joined"
                await asyncio.sleep(BACKOFF_S[0])
                continue
            elif tries == TRIES:
                raise NotJoined(f"{ended} before it joined; {process.last_lines()}")
            elif code == UNUSABLE:
                raise BotFailed(f"{ended} before it joined; {process.last_lines()}")
            self._crashes[entrant.name] = crashes = self._crashes[entrant.name] + 1
            if crashes >= CRASHES and not self._counts_crashes:
                raise BotFailed(f"{ended}, {crashes} times without finishing a match; {process.last_lines()}")
            self._say(f"{ended} and is started again; {process.last_lines()}")
            await asyncio.sleep(BACKOFF_S[min(crashes, len(BACKOFF_S)) - 1])

    async def _run_once(self, url: str, entrant: Entrant, slots: int, former: str | None) -> tuple[bool, int, Running]:
        """Run a process to its end; return if it has joined, its exit code, and itself. `former`: how its first try
        ended.

        Only a limited number of processes start at once: eighty of them would delay each other beyond the time to join.
        """
        await self._starting.acquire()
        holding = True

        def release() -> None:
            nonlocal holding
            if holding:
                holding = False
                self._starting.release()

        timer = asyncio.get_running_loop().call_later(STARTING_S, release)

        def joined() -> None:
            release()
            if former:
                self._say(f"{former}; it has joined at the second try")

        try:
            process = await self._start(url, entrant, slots)
            self._processes[entrant.name].append(process)
            self._at[url] = process
            if (cpu := self._cpus.get(url)) is not None:
                process.keep_on(cpu)
            try:
                has_joined, code = await self._watch(entrant, process, joined)
            finally:
                self._processes[entrant.name].remove(process)
                self._at.pop(url, None)
                await process.end()
        finally:
            timer.cancel()
            release()
        return has_joined, code, process

    async def _start(self, url: str, entrant: Entrant, slots: int) -> Running:
        """Return a process, in a sandbox if it is untrusted and there is one. Raises BotFailed."""
        at = self._sandbox
        sandbox = at if self.confines(entrant) else None
        started: list[Running] = []

        async def start() -> None:
            process = await self._start_bot(
                url,
                entrant,
                slots,
                partial(self._pass_on, entrant.name),
                confinement=sandbox.confinement if sandbox is not None else None,
                hit_limit=partial(sandbox.used_up, url) if sandbox is not None else lambda _: None,
                output=None if self._output is None else self._output.of(entrant.name),
                traffic=None if self._traffic is None else partial(self._traffic, entrant.name),
                account=None if at is None else at.account_of(url),
            )
            started.append(process)

        try:
            await to_the_end(start())  # cancelled in the middle, it would leave a program behind
        except (BadOption, OSError) as error:
            raise NotJoined(f"the bot {entrant.name} ({entrant.spec}) cannot be started: {error}") from None
        except asyncio.CancelledError:
            for process in started:
                await process.end()
            raise
        (process,) = started
        if at is not None:
            at.tell_awaited(url, process.awaited)
        return process

    async def _watch(self, entrant: Entrant, process: Running, has_joined: Callable[[], None]) -> tuple[bool, int]:
        """Watch a process to its end; return if it has joined, and its exit code. Raises NotJoined if it does neither.

        Calls `has_joined` when it has.
        """
        ending = asyncio.ensure_future(process.ended())
        serving = asyncio.ensure_future(self._served.wait())
        joining = asyncio.ensure_future(self._join(entrant.name))
        try:
            await asyncio.wait({ending, serving}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({ending, joining}, timeout=JOIN_S, return_when=asyncio.FIRST_COMPLETED)
            joined = joining.done()
            if joined:
                joining.result()
                has_joined()
            elif not ending.done():
                late = f"the bot {entrant.name} ({entrant.spec}) {NOT_JOINED} {JOIN_S:g} s"
                raise NotJoined(f"{late}; {process.last_lines()}")
            return joined, await ending
        finally:
            for task in (ending, serving, joining):
                task.cancel()
            await asyncio.gather(ending, serving, joining, return_exceptions=True)

    async def _join(self, name: str) -> None:
        await self._served.wait()
        await self._joins(name)

    def _pass_on(self, name: str, remark: str) -> None:
        """Pass on a remark of one process of a bot, once for all its processes and restarts."""
        known = self._remarks[name]
        if remark not in known and len(known) < REMARKS:
            known.add(remark)
            self._say(f"{name}: {remark}")
