"""Engines within the process of the server that has started them: the client of `palio join` without its process.

Everything that is said to the server, and in which order, is the sdk's: only the connection is another one, which
passes on messages as values.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial

from palio_clients.cli.join import EventPrinter
from palio_clients.engines import gtp as gtp_engines
from palio_clients.engines import spec
from palio_clients.engines.process import EngineProcess, Start
from palio_clients.engines.uci import UCI
from palio_clients.engines.ugi import UGI
from palio_clients.sdk.failures import BadBot, ClientError, LinkLost, PlayerFailed
from palio_clients.sdk.join import build_of_spec
from palio_clients.sdk.loader import Entrant
from palio_clients.sdk.runner import Runner
from palio_clients.sdk.session import Session
from palio_clients.sdk.transport import Hear
from palio_rules.contract.engine_specs import GTP
from palio_rules.contract.hosting import Host, Play
from palio_rules.contract.messages import BotMessage, ServerMessage
from palio_rules.plain_text import plain

UNUSABLE, REFUSED = 2, 1  # exit codes, as of `palio join`


class HostedLink:
    """One connection to the server around us; see `Link`."""

    def __init__(self, host: Host) -> None:
        self._early: deque[ServerMessage] = deque()  # what came before `listen`
        self._hear: Callable[[ServerMessage], None] = self._early.append
        self._lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.send: Callable[[BotMessage], None] = host.connect(self)

    def post(self, message: ServerMessage) -> None:
        if self._lost.done():
            return
        try:
            self._hear(message)
        except Exception as error:  # noqa: BLE001  # `listen` raises it: the caller is the server
            self._fail(error)

    def close(self, reason: str) -> None:
        self._fail(LinkLost(f"the server closed the connection: {reason}" if reason else "the connection is closed"))

    async def listen(self, hear: Hear) -> None:
        while self._early:
            hear(self._early.popleft())
        self._hear = hear
        await self._lost

    def _fail(self, error: Exception) -> None:
        if not self._lost.done():
            self._lost.set_exception(error)
            self._lost.exception()  # it may close before it is listened to, or after


class HostedTransport:
    """A maker of connections to the server around us; see `Transport`."""

    url = "this server"
    hello_again_s: float | None = None

    def __init__(self, host: Host) -> None:
        self._host = host

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[HostedLink]:
        link = HostedLink(self._host)
        try:
            yield link
        finally:
            link.close("")


EntrantOf = Callable[[str, Start], Entrant]  # takes the text after the colon, and what starts an engine


async def play(
    scheme: str, entrant_of: EntrantOf, text: str, name: str, slots: int, first_game: str, host: Host
) -> int:
    """Play as the engine that `text` names; see `palio_rules.contract.hosting.Play`."""

    def say(sentence: str) -> None:
        for line in sentence.split("\n"):
            host.print(line)

    async def start(argv: Sequence[str], called: str) -> EngineProcess:
        try:
            return await host.start(partial(EngineProcess, called, host.print), argv)
        except (OSError, ValueError) as error:
            raise PlayerFailed(f"{called} cannot be started: {error}") from error

    try:
        entrant = entrant_of(text, start).named(name)
        if first_game:
            entrant = entrant.checked_for(first_game)
        build = build_of_spec(f"{scheme}:{text}")
        session = Session(name, entrant.games, slots=slots, without=entrant.without, build=build, strict=entrant.strict)
        printer = EventPrinter(name, quiet=True, print_trouble=say)
        async with entrant.stay() as make:
            await Runner(session, make, HostedTransport(host), notify=printer).run()
    except BadBot as error:
        say(f"Error: {plain(str(error), lines=True)}")
        return UNUSABLE
    except ClientError as error:
        say(f"Error: {plain(str(error), lines=True)}")
    return REFUSED


uci: Play = partial(play, UCI.scheme, partial(spec.entrant, UCI))
ugi: Play = partial(play, UGI.scheme, partial(spec.entrant, UGI))
gtp: Play = partial(play, GTP, gtp_engines.entrant)
