"""A whole server within the test's own event loop, and matches on it."""

import asyncio
import re
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from command import Palio, Started

from palio_rules.records.record import Record, Setup
from palio_server.app_state import ServerParts
from palio_server.server import running
from palio_server.settings import Settings

ROOT = Path(__file__).parent.parent.parent


@asynccontextmanager
async def server_in(folder: Path, **settings) -> AsyncIterator[ServerParts]:
    """A server on a free port with its database in `folder`, unless `db` names another one."""
    async with running(Settings(**{"port": 0, "db": f"sqlite:///{folder}/palio.db", **settings})) as server:
        yield server


def join(palio: Palio, url: str, *specs: str) -> list[Started]:
    """A `palio join` for each `SPEC` or `NAME=SPEC`."""
    joined = []
    for spec in specs:
        named = re.fullmatch(r"([\w-]+)=(.+)", spec)
        words = (named[2], "--name", named[1]) if named else (spec,)
        joined.append(palio.start("join", url, *words))
    return joined


@asynccontextmanager
async def bots(palio: Palio, url: str, *specs: str) -> AsyncIterator[list[Started]]:
    """A `palio join` for each `SPEC` or `NAME=SPEC`; they are ended with the context."""
    joined = join(palio, url, *specs)
    async with ending(*joined):
        yield joined


@asynccontextmanager
async def ending(*programs: Started) -> AsyncIterator[None]:
    """Ends them with the context, while the server still answers them."""
    try:
        yield
    finally:
        for program in programs:
            program.process.send_signal(signal.SIGTERM)
        for program in programs:
            await asyncio.to_thread(program.wait)


async def until(ready: Callable[[], object], what: str, seconds: float = 60) -> None:
    try:
        async with asyncio.timeout(seconds):
            while not ready():  # noqa: ASYNC110  # what is waited for lies in other processes
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(f"{what} did not happen within {seconds} s") from None


async def connected(server: ServerParts, *names: str) -> None:
    await until(lambda: set(names) <= {bot.name for bot in server.lobby.connected()}, f"the arrival of {names}")


async def played(server: ServerParts, setup: Setup, seconds: float = 60) -> Record:
    """Schedule a match and wait for its committed record."""
    results: asyncio.Queue[Record] = asyncio.Queue()
    server.arena.on_result.append(results.put_nowait)
    match = await server.arena.schedule(setup)
    try:
        async with asyncio.timeout(seconds):
            while (record := await results.get()).match != match:
                pass
    finally:
        server.arena.on_result.remove(results.put_nowait)
    return record
