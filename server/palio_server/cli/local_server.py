"""A server within a command, with bots as processes beside it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from msgspec import structs

from palio_server.cli.source import database_url
from palio_server.lobby.lobby import Lobby
from palio_server.parts import ServerParts
from palio_server.processes import Bots, GoesOn, never, running_bots
from palio_server.server import running
from palio_server.settings import Settings, load


@asynccontextmanager
async def server_with_bots(
    settings: Settings, say: Callable[[str], None], *, goes_on: GoesOn = never
) -> AsyncIterator[tuple[ServerParts, Bots]]:
    """A running server, and the bots that are started for it; first the server ends with the context, then the bots.

    Raises what `running` and `running_bots` raise.
    """
    settings = structs.replace(settings, db=database_url(settings.db))
    joins = running_bots(lambda name: joined(server.lobby, name), say, goes_on=goes_on)
    async with joins as bots, running(settings) as server:
        server.arena.on_result.append(lambda record: bots.finished_match(record.setup.bots))
        yield server, bots


def local_settings(**flags: Any) -> Settings:
    """Settings of a server for this machine and this command only. Raises BadOption."""
    return load(host="127.0.0.1", auth="open", ladder=False, **flags)


async def joined(lobby: Lobby, name: str) -> None:
    """Return once a bot of that name is connected."""
    while True:
        version = lobby.version
        if name in {bot.name for bot in lobby.connected()}:
            return
        await lobby.changed(version)
