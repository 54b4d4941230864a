"""A server within a command, with bots as processes beside it."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from palio_server.cli.command import loading
from palio_server.cli.source import database_url
from palio_server.lobby.programs import forfeit, joined
from palio_server.lobby.session import Expulsion
from palio_server.network.listeners import listening
from palio_server.processes import (
    Bots,
    Broken,
    GoesOn,
    OutputFolder,
    Sandbox,
    fail_if_broken,
    needs_every_bot,
    running_bots,
)
from palio_server.sandbox.bubblewrap import SandboxLimits, parse_size
from palio_server.sandbox.confinement import confinement
from palio_server.settings import Settings, load

if TYPE_CHECKING:
    from palio_server.app_state import ServerParts


SQLITE_FILES = ("", "-wal", "-shm", "-journal")  # of one database: no bot's program reads them


@asynccontextmanager
async def server_with_bots(
    settings: Settings,
    say: Callable[[str], None],
    start: Callable[[Bots, str], None],
    *,
    private: bool = False,
    goes_on: GoesOn = needs_every_bot,
    thinking: int | None = None,
    broken: Broken = fail_if_broken,
    output: OutputFolder | None = None,
) -> AsyncIterator[tuple["ServerParts", Bots]]:
    """Yield a running server, and the bots that `start` starts for its address; first the server ends, then the bots.

    Bots are started before the server: both take a while to import their modules, and early connections wait. With
    `private` they come by a Unix socket of their own. `thinking` is how many of them think at once, who share the cores
    (None: one of each match). What bots write goes to `output`. Raises the errors of `running` and `running_bots`.
    """
    settings = structs.replace(settings, db=database_url(settings.db))
    served = asyncio.Event()
    confined = confinement(
        settings.sandbox,
        SandboxLimits(
            memory=parse_size(settings.memory),
            processes=settings.processes,
            cores=max(1, (os.cpu_count() or 1) // (thinking or settings.concurrency)),
        ),
        database_files(settings.db),
    )

    def used_up(address: str, limit: str) -> None:
        if served.is_set():
            forfeit(server.lobby, address, Expulsion("crashed", "limit-used-up", limit))

    with listening(settings, private=private) as listeners:
        sandbox = Sandbox(confined, listeners.open_for, used_up, listeners.tell_awaited)
        async with running_bots(
            lambda name: joined(server.lobby, name),
            say,
            goes_on=goes_on,
            broken=broken,
            served=served,
            sandbox=sandbox,
            output=output,
        ) as bots:
            start(bots, listeners.local_url)
            await asyncio.sleep(0)  # their processes are started; the next steps keep the event loop busy
            with loading():
                from palio_server.server import running

            async with running(settings, listeners) as server:
                served.set()
                server.arena.on_result.append(bots.finished_match)
                yield server, bots


def local_settings(**flags: Any) -> Settings:
    """Return settings of a server for this machine and this command only, usually without house bots.
    Raises BadOption.
    """
    return structs.replace(load(**{"house_bots": 0, **flags}, host="127.0.0.1", auth="open", ladder=False), socket=None)


def sqlite_file(url: str) -> str:
    """Return the file that a database's URL names; "" for another kind of database."""
    return url.removeprefix("sqlite:///") if url.startswith("sqlite:///") else ""


def database_files(url: str) -> list[Path]:
    """Return the files of a database, existing or not; none if it is not a file of this machine."""
    if not sqlite_file(url):
        return []
    file = Path(sqlite_file(url)).absolute()
    places = dict.fromkeys((file, file.parent.resolve() / file.name, file.resolve()))
    return [Path(f"{place}{end}") for place in places for end in SQLITE_FILES]
