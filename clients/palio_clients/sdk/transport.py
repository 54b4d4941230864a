"""How a bot reaches its server: the address, and links that carry messages until they break."""

import re
from collections.abc import Collection
from contextlib import AbstractAsyncContextManager
from typing import Protocol
from urllib.parse import SplitResult, urlsplit

from palio_clients.sdk.failures import BadBot
from palio_rules.contract.messages import BotMessage, ServerMessage
from palio_rules.errors import WireError

WEBSOCKET = frozenset({"ws", "wss", "http", "https"})
MQTT = frozenset({"mqtt", "mqtts"})
REMEDY = "write ws://host:port, http://host:port or mqtt://host:port"


class Link(Protocol):
    """One connection. Both methods raise LinkLost when it is gone, and RefusedByServer where that is why."""

    async def send(self, message: BotMessage) -> None: ...

    async def receive(self) -> ServerMessage | WireError:
        """The next message, or what is wrong with the bytes that came instead."""


class Transport(Protocol):
    """Makes connections to one server."""

    url: str
    hello_again_s: float | None  # say hello again so often until it is answered; None: the link loses nothing

    def connect(self) -> AbstractAsyncContextManager[Link]:
        """Connect. Raises LinkLost or RefusedByServer."""


def address(text: str, schemes: Collection[str] = WEBSOCKET | MQTT) -> SplitResult:
    """The parts of an address with one of `schemes`. Raises BadBot, with the remedy, for any other text."""
    try:
        parts = urlsplit(text)
        complete = parts.scheme in schemes and parts.hostname and parts.port != 0
    except ValueError:  # a port that is no number, brackets that do not close
        complete = None
    if not complete:
        shown = re.sub(r"//([^/:@]*):[^/]*@", r"//\1:***@", text)  # never print a password
        raise BadBot(f"{shown!r} is no address of a server; {REMEDY}")
    return parts
