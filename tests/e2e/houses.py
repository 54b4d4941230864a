"""A whole server within the test's own event loop, and programs that come to it."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from palio_rules.record import Record, Setup
from palio_server.house import House, running
from palio_server.settings import Settings

ROOT = Path(__file__).parent.parent.parent


@asynccontextmanager
async def house_in(folder: Path, **settings) -> AsyncIterator[House]:
    """A server on a free port with its database in `folder`."""
    async with running(Settings(port=0, db=f"sqlite:///{folder}/palio.db", **settings)) as house:
        yield house


@asynccontextmanager
async def program(*command: str, **environment: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process that is ended with the context; what it printed is shown when the test fails."""
    process = await asyncio.create_subprocess_exec(*command, env={**os.environ, **environment}, cwd=ROOT)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
            try:
                async with asyncio.timeout(10):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()


def joining(url: str, spec: str, name: str, *more: str) -> tuple[str, ...]:
    """The command line of a bot of ours."""
    return (sys.executable, "-m", "palio_clients", "join", url, spec, "--name", name, *more)


async def until(ready: Callable[[], object], what: str, seconds: float = 60) -> None:
    try:
        async with asyncio.timeout(seconds):
            while not ready():  # noqa: ASYNC110  # what is waited for lies in other processes
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(f"{what} did not happen within {seconds} s") from None


async def connected(house: House, *names: str) -> None:
    await until(lambda: set(names) <= {bot.name for bot in house.lobby.connected()}, f"the arrival of {names}")


async def played(house: House, setup: Setup, seconds: float = 60) -> Record:
    """Schedule a match and wait for its committed record."""
    results: asyncio.Queue[Record] = asyncio.Queue()
    house.arena.on_result.append(results.put_nowait)
    match = await house.arena.schedule(setup)
    try:
        async with asyncio.timeout(seconds):
            while (record := await results.get()).match != match:
                pass
    finally:
        house.arena.on_result.remove(results.put_nowait)
    return record
