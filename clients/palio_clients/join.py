"""Enter a bot into a server's matches: the whole client in one call."""

import asyncio
from collections.abc import Callable, Sequence

from palio_clients.address import MQTT, address
from palio_clients.bot import Bot
from palio_clients.link import Transport
from palio_clients.notices import Notice
from palio_clients.player import BotPlayer, Entrant
from palio_clients.runner import Runner
from palio_clients.session import Session
from palio_clients.websocket import WebSocketTransport
from palio_rules import registry
from palio_rules.wire import Encoding


def transport_for(url: str, name: str, games: Sequence[str], encoding: Encoding = Encoding.MSGPACK) -> Transport:
    """The transport that the scheme of `url` asks for: ws, wss, http, https, mqtt or mqtts. Raises BadBot."""
    if address(url).scheme in MQTT:
        from palio_clients.mqtt import MqttTransport  # noqa: PLC0415  # most bots need no MQTT library loaded

        return MqttTransport(url, name, tuple(games))
    return WebSocketTransport(url, encoding)


async def join(
    url: str,
    entrant: Entrant,
    *,
    name: str | None = None,
    games: Sequence[str] = (),
    token: str | None = None,
    slots: int = 1,
    matches: int | None = None,
    reconnect: bool = True,
    encoding: Encoding = Encoding.MSGPACK,
    notify: Callable[[Notice], None] = lambda _: None,
) -> None:
    """Play on the server at `url` until `matches` are over or the task is cancelled.

    Raises RefusedByServer, and LinkLost unless `reconnect`.
    """
    name = name or entrant.name
    games = games or entrant.games
    session = Session(name, games, token=token, slots=slots)
    transport = transport_for(url, name, games, encoding)
    await Runner(session, entrant.make, transport, notify=notify, reconnect=reconnect, matches=matches).run()


def entrant_of(bot: type[Bot], make: Callable[[], Bot] | None = None) -> Entrant:
    """Makes a class of bots ready to be entered; `make` builds an instance where the class alone does not."""
    return Entrant(bot.__name__.lower(), bot.games or registry.games(), lambda report: BotPlayer(make or bot, report))


def run(
    bot: type[Bot],
    url: str,
    *,
    name: str | None = None,
    token: str | None = None,
    slots: int = 1,
    matches: int | None = None,
) -> None:
    """Play as `bot` on the server at `url`: for ever, or until `matches` are over. For the end of an author's file.

    Raises RefusedByServer with the reason if the server does not want the bot. Ctrl-C ends it.
    """
    asyncio.run(join(url, entrant_of(bot), name=name, token=token, slots=slots, matches=matches))
