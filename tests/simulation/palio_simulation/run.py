"""Plays one schedule, from an empty database to what is left of it, and says what was wrong."""

import asyncio
import logging
import os
import random
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from palio_server.arena import analysis_queue, store_watch
from palio_server.bus import arrival
from palio_server.ratings import bradley_terry  # noqa: F401  # what is imported within a world would take its time
from palio_simulation.beside import judging
from palio_simulation.entropy import seeded
from palio_simulation.games import installed
from palio_simulation.invariants import broken
from palio_simulation.loop import EPOCH, SimulatedLoop
from palio_simulation.schedule import Schedule
from palio_simulation.template import template
from palio_simulation.world import World


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a schedule. `digest` is that of all its events; without complaints all was well."""

    schedule: Schedule
    digest: str
    complaints: tuple[str, ...]
    steps: int  # of the loop
    seconds: float  # of virtual time


class _Errors(logging.Handler):
    """The complaints from logged errors: no fault of the world justifies one."""

    def __init__(self, world: World) -> None:
        super().__init__(logging.ERROR)
        self._world = world

    def emit(self, record: logging.LogRecord) -> None:
        if record.name == store_watch.__name__ and self._world.disk.suffered:
            return  # who runs the server is told that its database takes nothing
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            text += f": {record.exc_info[1]!r}"
        self._world.complain(f"logged: {text}")


def simulate(schedule: Schedule, *, verbose: bool = False) -> Outcome:
    """Play the schedule. The same one gives the same outcome, wherever and however often it is played."""
    file = _folder() / f"{os.getpid()}.db"
    for leftover in (file, *(Path(f"{file}-{part}") for part in ("wal", "shm"))):
        leftover.unlink(missing_ok=True)
    file.write_bytes(template())
    loop = SimulatedLoop()
    world = World(schedule, file, loop, verbose=verbose)
    loop.set_exception_handler(lambda _, context: world.complain(f"in the loop: {_told(context)}"))
    with _judged(world), seeded(random.Random(f"entropy {schedule.seed}"), loop.time, world.wall):
        asyncio.set_event_loop(loop)
        try:
            loop.run_until_complete(world.play())
            for complaint in broken(world):
                world.complain(complaint)
            outcome = Outcome(schedule, world.digest, tuple(world.complaints), loop.steps, loop.time() - EPOCH)
        except Exception as error:
            if verbose:
                raise
            outcome = Outcome(
                schedule, world.digest, (*world.complaints, f"broke: {error!r}"), loop.steps, loop.time() - EPOCH
            )
        finally:
            loop.set_exception_handler(lambda *_: None)
            _bury(world, loop)
    return outcome


def _bury(world: World, loop: SimulatedLoop) -> None:
    logging.disable(logging.CRITICAL)
    try:
        with suppress(Exception):
            loop.run_until_complete(world.bury())
        world.ledger.close()
        loop.drop_timers()
        asyncio.set_event_loop(None)
        loop.close()
    finally:
        logging.disable(logging.WARNING)


@contextmanager
def _judged(world: World) -> Iterator[None]:
    """Errors are seen, warnings are not even written; a message's time is known to a tenth of what is usual."""
    handler = _Errors(world)
    root = logging.getLogger()
    former = root.manager.disable
    logging.disable(logging.WARNING)
    root.addHandler(handler)
    try:
        with (
            # A tick each 5 ms of virtual time would be most of the work. No pause here is shorter than 200 ms.
            patch.multiple(arrival, TICK_S=0.050, LATE_S=0.100),
            patch.object(analysis_queue, "judging", judging),  # else a process, in real time
            installed(),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        root.removeHandler(handler)
        logging.disable(former)


def _told(context: dict[str, Any]) -> str:
    error = context.get("exception")
    return f"{context.get('message')}" + ("" if error is None else f": {error!r}")


@cache
def _folder() -> Path:
    """Return a folder that is not on a real disk, if there is one."""
    memory = Path("/dev/shm")
    folder = tempfile.mkdtemp(prefix="palio-simulation-", dir=memory if os.access(memory, os.W_OK) else None)
    import atexit
    import shutil

    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
