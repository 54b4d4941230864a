"""A server within a command, with bots as processes beside it."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import structs

from palio_server.cli.command import loading
from palio_server.cli.source import database_url
from palio_server.lobby.programs import addresses_in, forfeit, joined
from palio_server.lobby.session import Expulsion
from palio_server.network.listeners import listening
from palio_server.processes import (
    Bots,
    Broken,
    CpuShares,
    GoesOn,
    OutputFolder,
    Sandbox,
    StartBot,
    fail_if_broken,
    needs_every_bot,
    running_bots,
)
from palio_server.processes.affinity import of_bots
from palio_server.processes.bots import Traffic
from palio_server.registry import addon
from palio_server.sandbox.bubblewrap import SandboxLimits, parse_size
from palio_server.sandbox.confinement import confinement
from palio_server.settings import Settings, database_files, load

if TYPE_CHECKING:
    from palio_server.app_state import ServerParts
    from palio_server.lobby.lobby import Lobby


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
    counts_crashes: bool = False,
    cpus: CpuShares | None = None,
    traffic: Traffic | None = None,
    watched: bool = False,
) -> AsyncIterator[tuple["ServerParts", Bots]]:
    """Yield a running server, and the bots that `start` starts for its address; first the server ends, then the bots.

    Bots are started before the server: both take a while to import their modules, and early connections wait. With
    `private` they come by a Unix socket of their own. `thinking` is how many of them think at once, who share the cores
    (None: one of each match). What bots write goes to `output`. Each game gets its part of `cpus`. Lines of
    engines go to `traffic`. A server that is `watched` loads its page at once. Raises the errors of `running` and
    `running_bots`.
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

    def running_server() -> "ServerParts":
        return server

    def used_up(address: str, limit: str) -> None:
        if served.is_set():
            forfeit(server.lobby, address, Expulsion("crashed", "limit-used-up", limit))

    with listening(settings, private=private) as listeners:
        start_bot: StartBot = addon("engines")(served, running_server, listeners)
        sandbox = Sandbox(confined, listeners.open_for, used_up, listeners.tell_awaited, listeners.account_of)
        async with running_bots(
            lambda name: joined(server.lobby, name),
            say,
            goes_on=goes_on,
            broken=broken,
            served=served,
            sandbox=sandbox,
            output=output,
            counts_crashes=counts_crashes,
            traffic=traffic,
            start=start_bot,
        ) as bots:
            start(bots, listeners.local_url)
            await asyncio.sleep(0)  # their processes are started; the next steps keep the event loop busy
            with loading():
                from palio_server.server import running

            async with running(settings, listeners, watched=watched) as server:
                served.set()
                server.arena.on_result.append(bots.finished_match)
                server.arena.measure = bots.processor_time
                if cpus is not None:
                    server.arena.on_start.append(partial(_keep_on_cpus, cpus, server.lobby, bots))
                yield server, bots


def _keep_on_cpus(cpus: CpuShares, lobby: "Lobby", bots: Bots, match: str) -> None:
    """Keep the programs of a match that begins on CPUs of their own."""
    found = cpus.take(match, {match for session in lobby.sessions() for match in session.matches})
    addresses = addresses_in(lobby, match)
    for address, cpu in zip(addresses, of_bots(found, len(addresses)), strict=True):
        bots.keep_on(address, cpu)


def local_settings(**flags: Any) -> Settings:
    """Return settings of a server for this machine and this command only, usually without house bots.
    Raises BadOption.
    """
    return structs.replace(load(**{"house_bots": 0, **flags}, host="127.0.0.1", auth="open", ladder=False), socket=None)
