"""The bots that play within the server's process: those of engines, as far as the client of their language is here."""

import asyncio
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from palio_rules.contract.hosting import GROUP, Line, Play
from palio_server.addons.engines.hosted_bot import Close, Hear, HostedBot
from palio_server.edge.accounts import Account
from palio_server.network.listeners import Listeners
from palio_server.processes import BotProcess, Entrant, Running, StartBot
from palio_server.processes.bot_output import BotOutput
from palio_server.sandbox.confinement import Confinement

if TYPE_CHECKING:  # other bots are started before the server is loaded
    from palio_server.app_state import ServerParts


def starter(served: asyncio.Event, server: Callable[[], "ServerParts"], listeners: Listeners) -> StartBot:
    """Return the function that starts a bot: an engine within this process, any other one in a process of its own.

    `server` is there once `served` is set.
    """

    async def start(
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
        play = client_of(entrant) if traffic is None else None  # `palio join` tells what an engine says
        if play is None:
            return await BotProcess.start(
                url,
                entrant,
                slots,
                remarked,
                confinement=confinement,
                hit_limit=hit_limit,
                output=output,
                traffic=traffic,
                account=account,
            )
        own = next((each for each in listeners.own if each.url == url), None)

        def connect(line: Line) -> tuple[Hear, Close]:
            from palio_server.addons.engines.link import EngineLink

            link = EngineLink(server(), own, line)
            return link.hear, link.close

        bot = HostedBot(entrant, connect, remarked, confinement, hit_limit, output)
        await bot.begin(play, slots, served)
        return bot

    return start


def client_of(entrant: Entrant) -> Play | None:
    """Return the client that plays as this bot within a server's process; None if it needs a process of its own.

    A bot with a folder of its own is started there, as coursework is.
    """
    scheme, colon, _ = entrant.spec.partition(":")
    found = entry_points(group=GROUP, name=scheme) if colon and not entrant.folder else ()
    for entry in found:
        play: Play = entry.load()
        return play
    return None
