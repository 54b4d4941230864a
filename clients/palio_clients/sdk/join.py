"""Enter a bot into a server's matches: the whole client in one call."""

from collections.abc import Callable, Sequence

from msgspec import UNSET

from palio_clients.sdk.bot import Bot, MoveT, StateT
from palio_clients.sdk.entrant import Entrant, entrant_of
from palio_clients.sdk.event_loop import run_in_loop
from palio_clients.sdk.events import Notice
from palio_clients.sdk.runner import Runner
from palio_clients.sdk.session import Session
from palio_clients.sdk.transport import MQTT, Transport, address, can_be_handed_on
from palio_rules.contract.codec import Encoding
from palio_rules.contract.messages import Hello


def transport_for(url: str, name: str, games: Sequence[str], encoding: Encoding = Encoding.MSGPACK) -> Transport:
    """The transport that the scheme of `url` asks for: ws, wss, http, https, ws+unix, mqtt or mqtts.

    Raises BadBot.
    """
    if address(url).scheme in MQTT:
        from palio_clients.sdk.mqtt import MqttTransport  # noqa: PLC0415  # each loads a library that others do not need

        return MqttTransport(url, name, tuple(games))
    from palio_clients.sdk.websocket import WebSocketTransport  # noqa: PLC0415  # as above

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
    only_failures: bool = False,
    notify: Callable[[Notice], None] = lambda _: None,
) -> None:
    """Play on the server at `url` until `matches` are over or the task is cancelled.

    `notify` hears of played moves only where the entrant does: what it is `without` is not sent. With `only_failures`
    it need not hear of matches either; then a program beside the server is connected to it directly.
    Raises BadBot for a `url` that is no address, RefusedByServer, and LinkLost unless `reconnect`.
    """
    name = name or entrant.name
    games = games or entrant.games
    if only_failures and matches is None and entrant.command and can_be_handed_on(url):
        from palio_clients.sdk.direct_program import DirectPrograms  # noqa: PLC0415  # on Linux only

        hello = Hello(name, list(games), token=UNSET if token is None else token, program=True)
        await DirectPrograms(entrant.command, url, hello, slots=slots, notify=notify, reconnect=reconnect).run()
        return
    session = Session(name, games, token=token, slots=slots, without=entrant.without)
    transport = transport_for(url, name, games, encoding)
    async with entrant.stay() as make:
        await Runner(session, make, transport, notify=notify, reconnect=reconnect, matches=matches).run()


def run(
    bot: type[Bot[StateT, MoveT]],
    url: str,
    *,
    name: str | None = None,
    token: str | None = None,
    slots: int = 1,
    matches: int | None = None,
) -> None:
    """Play as `bot` on the server at `url`: for ever, or until `matches` are over. For the end of an author's file.

    `name` is the bot's name on the server, by default that of its class in lower case; `token` proves that the name is
    yours, where the server asks for that; `slots` is how many matches may be played at once. A lost connection is made
    again. Ctrl-C ends it. Raises BadBot if `url` is no address, RefusedByServer with the server's reason.
    """
    run_in_loop(join(url, entrant_of(bot), name=name, token=token, slots=slots, matches=matches))
