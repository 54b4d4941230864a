"""What the coordinator has done in a worker, through Dask: admit it to a run, play, watch, call off, leave.

Games are played in a thread of their own with its own event loop, so that Dask's work and theirs wait for each other as
little as they can. A task's thread only waits for its games.
"""

import asyncio
import os
import threading
from collections.abc import Coroutine, Iterable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from palio_rules.errors import BadOption
from palio_server.cluster import wire
from palio_server.cluster.calibration import FASTEST, SLOWEST, factor, nodes_per_second
from palio_server.cluster.parcels import missing, unpack
from palio_server.cluster.reporter import Reporter

T = TypeVar("T")

ADMITTED_S = 60.0  # a task may be here before its worker has been admitted; longer means that it never will be
SILENT_S = 90.0  # without a word from its coordinator a run is over: it was killed
LOOK_S = 5.0
ENDED_S = 20.0  # in which the bots of a run have ended


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
            from palio_server.cluster.game_server import game_server  # noqa: PLC0415  # takes a while: not for misfits

            async with game_server(roster, folder, cores, factor_, reporter.tell) as games:
                with self.changed:
                    self.runs[run] = found = _Run(games, ended, self.loop.time())
                    self.changed.notify_all()
                ready.set_result(None)
                while not ended.is_set() and self.loop.time() < found.heard + SILENT_S:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(ended.wait(), LOOK_S)
                games.call_all_off("nobody waits for it any more")
        except Exception as error:  # noqa: BLE001  # whatever it is, whoever admits us is told
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
    import uvloop  # noqa: PLC0415  # not everywhere

    return uvloop.new_event_loop()


# --- what Dask calls, on the worker's own event loop ------------------------------------------------------------------


def wanted(digests: Iterable[str], dask_worker: Any = None) -> list[str]:
    """The parcels that this worker has not unpacked."""
    return missing([*digests], _folder(dask_worker))


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
    """Somebody looks at these games, and at no others; also a sign of life of the coordinator."""
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
    """Where Dask says that there is room, until this worker ends."""
    return Path(dask_worker.local_directory) / "palio-bots"
