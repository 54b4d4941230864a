"""`palio serve`: says where it is, then stands until it is told to stop."""

import asyncio
from collections.abc import Sequence
from importlib.metadata import version

import click
from msgspec import structs

from palio_rules.errors import BadOption
from palio_server.console.spawn import always, bots, entrants
from palio_server.console.stop_signals import stop_signals
from palio_server.console.stores import database_url
from palio_server.house import House, running
from palio_server.lobby import Lobby
from palio_server.settings import LOOPBACK, Settings


async def stand(settings: Settings, texts: Sequence[str] = ()) -> int:
    """Serve until SIGINT or SIGTERM, with the bots that `texts` describe as processes beside it."""
    guests = entrants(texts)
    if guests and not settings.open:
        raise BadOption("--bot is for servers without tokens; give each bot one (`palio bot add`) and use `palio join`")
    settings = structs.replace(settings, db=database_url(settings.db))
    standing: asyncio.Future[House] = asyncio.get_running_loop().create_future()

    async def joins(name: str) -> None:
        await present((await asyncio.shield(standing)).lobby, name)

    with stop_signals() as stop:
        async with bots(joins, tell, goes_on=always) as processes, running(settings) as house:
            standing.set_result(house)
            house.arena.on_result.append(lambda record: processes.forgive(record.setup.bots))
            for line in introduction(house):
                click.echo(line)
            for guest in guests:
                processes.add(house.url, guest, slots=2)
            await stop.wait()
            click.echo("stopping; matches in progress go on when the server is back", err=True)
    return 0


def introduction(house: House) -> list[str]:
    """Where the page is, how bots join, and who may."""
    socket = house.url.replace("http", "ws", 1)
    lines = [
        f"palio {version('palio')} serves on {house.url}, database {house.store.url}",
        f"bots join with: palio join {socket} SPEC --name NAME{'' if house.settings.open else ' --token TOKEN'}",
    ]
    if not house.settings.open:
        lines.append("tokens are required; `palio bot add NAME` makes one")
    elif house.settings.host not in LOOPBACK:
        lines.append("no tokens are required: anybody who reaches this address may play and start matches")
    return lines


async def present(lobby: Lobby, name: str) -> None:
    """Return once a bot of that name is connected."""
    while True:
        version = lobby.version
        if name in {bot.name for bot in lobby.connected()}:
            return
        await lobby.changed(version)


def tell(line: str) -> None:
    """Say something beside what was asked for."""
    click.echo(line, err=True)
