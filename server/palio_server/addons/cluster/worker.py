"""The functions that the coordinator calls in a worker, through Dask: admit it to a run, play, watch, call off, leave.

Games are played in a thread of their own with its own event loop, so that Dask's work and theirs wait for each other as
little as they can. A task's thread only waits for its games.
"""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from random import Random
from time import monotonic, perf_counter, time
from typing import Any, TypeVar

from palio_rules.errors import BadOption
from palio_rules.registry import game
from palio_server.addons.cluster import wire
from palio_server.addons.cluster.parcels import missing, unpack

# How fast a machine is at what bots do: a fixed search, counted in nodes a second.
#
# A worker is measured before its first game, and its clocks are scaled by how much slower it is than the machine that
# the time control was meant for, as fishtest does. Then bots think as far everywhere.

ROUNDS = 3  # the fastest one counts: a machine is slowed down by others, never sped up
SEED, GAMES, DEPTH = 1, 12, 3
SLOWEST, FASTEST = 4.0, 0.25  # a factor beyond these would make another game of it
NO_SCALING = 0.02  # a difference that measuring makes by itself


def nodes_per_second() -> float:
    """The speed of this machine; takes a second or so. Bots of others that run meanwhile make it slower."""
    best = 0.0
    for _ in range(ROUNDS):
        began = perf_counter()
        nodes = workload()
        best = max(best, nodes / (perf_counter() - began))
    return best


def workload() -> int:
    """The same positions on every machine: random games of Breakthrough, each searched; the nodes that were seen."""
    rules = game("breakthrough")
    random = Random(SEED)  # noqa: S311  # no secret
    nodes = 0
    for number in range(GAMES):
        state = rules.start(rules.parse_options({}), 0)
        for _ in range(number):
            state = state.play(random.choice(list(state.legal_moves())))
        nodes += _perft(state, DEPTH)
    return nodes


def factor(reference: float, speed: float) -> float:
    """By what the clocks of a machine of this `speed` are multiplied, with two decimals.

    >>> factor(1000.0, 500.0), factor(1000.0, 1001.0)
    (2.0, 1.0)
    """
    found = reference / speed
    return 1.0 if abs(found - 1) <= NO_SCALING else round(found, 2)


def _perft(state: Any, depth: int) -> int:
    if depth == 0 or state.to_move is None:
        return 1
    return 1 + sum(_perft(state.play(move), depth - 1) for move in state.legal_moves())


# A worker's words to its coordinator, gathered for a moment: one event of Dask for all that has happened meanwhile.

EVERY_S = 0.25  # between two words
WATCHED_S = 0.05  # the same while it is watched: what is seen may be so old
BEAT_S = 5.0  # a worker that says nothing for several of these is gone, or hangs
MOST = 2000  # items that wait; a coordinator that is so far behind gets the rest with the records
UNSEEN = (wire.Begun, wire.Remark)  # what is told without viewers, too


class Reporter:
    """`send` takes bytes for the coordinator, and never waits. `run` sends them."""

    def __init__(self, worker: str, send: Callable[[bytes], None]) -> None:
        self._worker, self._send = worker, send
        self._items: list[wire.Report] = []
        self._news = asyncio.Event()

    def tell(self, item: wire.Report) -> None:
        if len(self._items) < MOST:
            self._items.append(item)
            self._news.set()

    async def run(self) -> None:
        """Send what comes, and now and then that we are here, until cancelled."""
        while True:
            try:
                async with asyncio.timeout(BEAT_S):
                    await self._news.wait()
            except TimeoutError:
                pass  # nothing has happened; that is worth a word, too
            self._news.clear()
            items, self._items = self._items, []
            self._send(wire.encode(wire.Reports(self._worker, items)))
            await asyncio.sleep(WATCHED_S if any(not isinstance(item, UNSEEN) for item in items) else EVERY_S)


T = TypeVar("T")

ADMITTED_S = 60.0  # a task may be here before its worker has been admitted; longer means that it never will be
SILENT_S = 90.0  # without a word from its coordinator a run is over: it was killed
LOOK_S = 5.0


class _Run:
    """One run that this worker takes part in."""

    def __init__(self, games: Any, ended: asyncio.Event, heard: float) -> None:
        self.games, self.ended, self.heard = games, ended, heard


class _Thread:
    """The thread in which games are played, and the runs of this worker."""

    def __init__(self) -> None:
        self.loop = _new_loop()
        self.runs: dict[str, _Run] = {}
        self.changed = threading.Condition()
        self._serving: set[asyncio.Task[None]] = set()
        threading.Thread(target=self.loop.run_forever, name="palio-games", daemon=True).start()

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def run(self, name: str) -> _Run:
        """The run of that name, when this worker has been admitted to it. Raises LookupError."""
        with self.changed:
            if not self.changed.wait_for(lambda: name in self.runs, ADMITTED_S):
                raise LookupError(f"this worker has not been admitted to the run {name}")
            return self.runs[name]

    async def enter(self, roster: wire.Roster, folder: Path, cores: int, factor_: float, reporter: Reporter) -> None:
        """Start a server for the games of a run. Raises BadOption, OSError."""
        ready: asyncio.Future[None] = self.loop.create_future()
        task = self.loop.create_task(self._serve(roster, folder, cores, factor_, reporter, ready))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        await ready

    async def _serve(
        self,
        roster: wire.Roster,
        folder: Path,
        cores: int,
        factor_: float,
        reporter: Reporter,
        ready: "asyncio.Future[None]",
    ) -> None:
        run, ended = roster.run, asyncio.Event()
        telling = self.loop.create_task(reporter.run())
        try:
            from palio_server.addons.cluster.game_server import game_server  # takes a while: not for misfits

            async with game_server(roster, folder, cores, factor_, reporter.tell) as games:
                with self.changed:
                    self.runs[run] = found = _Run(games, ended, self.loop.time())
                    self.changed.notify_all()
                ready.set_result(None)
                while not ended.is_set() and self.loop.time() < found.heard + SILENT_S:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(ended.wait(), LOOK_S)
                games.call_all_off("nobody waits for it any more")
        except Exception as error:  # noqa: BLE001  # the scheduler that admits us is told of any fault
            if not ready.done():
                ready.set_exception(error)
        finally:
            telling.cancel()
            with self.changed:
                self.runs.pop(run, None)


_thread: _Thread | None = None


def _games_thread() -> _Thread:
    global _thread  # noqa: PLW0603  # one a process, as Dask has one worker a process
    if _thread is None:
        _thread = _Thread()
    return _thread


def _new_loop() -> asyncio.AbstractEventLoop:
    if find_spec("uvloop") is None:
        return asyncio.new_event_loop()
    import uvloop  # not everywhere

    return uvloop.new_event_loop()


# --- what Dask calls, on the worker's own event loop ------------------------------------------------------------------


def wanted(digests: Iterable[str], dask_worker: Any = None) -> list[str]:
    """The parcels that this worker has not unpacked."""
    return missing([*digests], _folder(dask_worker))


def clocks() -> tuple[float, float]:
    """Return this machine's monotonic clock, and its wall clock: seconds since 1970."""
    return monotonic(), time()


async def admit(roster: bytes, bodies: dict[str, bytes], topic: str, dask_worker: Any = None) -> bytes:
    """Unpack all files, measure this machine if its clocks are to be scaled, be ready to play: an Admission."""
    found, folder, thread = wire.roster_of(roster), _folder(dask_worker), _games_thread()
    cores = _cores(dask_worker)
    if lacks := without_key(found.bots, os.environ):
        return wire.encode(wire.Admission(cores, lacks=lacks))
    try:
        for digest, body in bodies.items():
            await asyncio.to_thread(unpack, digest, body, folder)
        scale = 1.0
        if found.reference:
            scale = factor(found.reference, await asyncio.to_thread(nodes_per_second))
            if not FASTEST <= scale <= SLOWEST:
                slow = f"its clocks would be scaled by {scale}, from {FASTEST} to {SLOWEST} are sane"
                return wire.encode(wire.Admission(cores, scale, f"{slow}; leave the machine out"))
        address = str(dask_worker.contact_address or dask_worker.address)
        reporter = Reporter(address, partial(dask_worker.log_event, topic))
        if found.run not in thread.runs:
            await asyncio.wrap_future(thread.submit(thread.enter(found, folder, cores, scale, reporter)))
    except (BadOption, OSError, ValueError) as error:
        return wire.encode(wire.Admission(cores, lacks=str(error)))
    if wire.RESOURCE not in dask_worker.state.total_resources:
        await dask_worker.set_resources(**{wire.RESOURCE: cores})
    return wire.encode(wire.Admission(cores, scale))


def without_key(bots: Iterable[wire.TravellingBot], environ: Mapping[str, str]) -> str:
    """The first bot whose key this worker's environment lacks, in one sentence; "" if there is none."""
    for bot in bots:
        if bot.keys and not any(environ.get(name, "").strip() for name in bot.keys):
            names = " or ".join(bot.keys)
            return (
                f"the environment of this worker has no {names}, from which the bot {bot.name} takes its key; "
                "export it where the worker is started, since keys do not travel"
            )
    return ""


def watch(run: str, matches: list[str]) -> None:
    """Note that these games are watched, and no others; also a sign of life of the coordinator."""
    _call(run, lambda found: found.games.feed.watch(matches))


def call_off(run: str, matches: list[str], reason: str) -> None:
    """End these games without a result."""
    _call(run, lambda found: [found.games.call_off(match, reason) for match in matches])


def stop(run: str, match: str, reason: str) -> None:
    """End this game as a draw."""
    _call(run, lambda found: found.games.stop(match, reason))


def leave(run: str) -> None:
    """The run is over."""
    _call(run, lambda found: found.ended.set())


def _call(run: str, act: Any) -> None:
    thread = _games_thread()
    if (found := thread.runs.get(run)) is None:
        return

    def acted() -> None:
        found.heard = thread.loop.time()
        act(found)

    thread.loop.call_soon_threadsafe(acted)


# --- a task -----------------------------------------------------------------------------------------------------------


def play(portion: bytes) -> bytes:
    """Play the games of a Portion one after the other: a list of what became of each."""
    found, thread = wire.portion_of(portion), _games_thread()
    run = thread.run(found.run)

    async def played() -> list[wire.Ended]:
        return [await run.games.play(claim) for claim in found.claims]

    return wire.encode(thread.submit(played()).result())


def try_bot(run: str, name: str, game: str) -> str:
    """Start a bot of a run: why it cannot play, "" if it can."""
    thread = _games_thread()
    found = thread.run(run)
    why: str = thread.submit(found.games.try_bot(name, game)).result()
    return why


def _cores(dask_worker: Any) -> int:
    """Games at once: as many as Dask has threads here, but no more than there are cores, nor than it was told."""
    cores = min(
        int(dask_worker.state.nthreads), len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    )
    told = dask_worker.state.total_resources.get(wire.RESOURCE)
    return max(1, cores if told is None else min(cores, int(told)))


def _folder(dask_worker: Any) -> Path:
    """Return a folder where Dask says that there is room; it lasts until this worker ends."""
    return Path(dask_worker.local_directory) / "palio-bots"
