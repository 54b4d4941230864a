"""The transport of a bot's messages: the server's address, and links that carry messages until they break."""

import asyncio
import re
import sys
from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol
from urllib.parse import SplitResult, urlsplit

from palio_clients.sdk.failures import BadBot, ClientError, RefusedByServer
from palio_rules.contract.endpoints import token_in_query
from palio_rules.contract.messages import BotMessage, ServerMessage
from palio_rules.errors import WireError

UNIX = "ws+unix"  # a WebSocket over the Unix socket with the path that follows
WEBSOCKET = frozenset({"ws", "wss", "http", "https", UNIX})
MQTT = frozenset({"mqtt", "mqtts"})
REMEDY = "write ws://host:port (host:port means that), http://host:port, mqtt://host:port or ws+unix:///path/to.sock"

_HOST_AND_PORT = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[^\s/:@?#\[\]]+):\d+(/.*)?", re.DOTALL)

ELSEWHERE = "leave it out there, and give it as --token TOKEN or in PALIO_TOKEN: proxies and logs keep addresses"

Hear = Callable[[ServerMessage | WireError], None]  # takes a message, or the error about received bytes


class Link(Protocol):
    """One connection."""

    def send(self, message: BotMessage) -> None:
        """Send, without waiting. Does nothing on a lost link: `listen` reports it."""

    async def listen(self, hear: Hear) -> None:
        """Call `hear` for every message. Raises LinkLost when the link is lost, and RefusedByServer if that is why.

        Exceptions of `hear` are raised here.
        """


class Transport(Protocol):
    """A maker of connections to one server."""

    url: str
    hello_again_s: float | None  # seconds until hello is repeated if it is not answered; None: the link loses nothing

    def connect(self) -> AbstractAsyncContextManager[Link]:
        """Connect. Raises LinkLost or RefusedByServer."""


def address(text: str, schemes: Collection[str] = WEBSOCKET | MQTT) -> SplitResult:
    """Return the parts of an address with one of `schemes`. Raises BadBot, with the remedy, for any other text.

    `host:port` is ws://host:port. A scheme is not a host: `ws:8000` lacks its slashes.
    """
    plain = _HOST_AND_PORT.fullmatch(text)
    try:
        parts = urlsplit(f"ws://{text}" if plain and plain[1] not in WEBSOCKET | MQTT else text)
        if parts.scheme == UNIX:
            complete = UNIX in schemes and not parts.netloc and len(parts.path) > 1
        else:
            complete = bool(parts.scheme in schemes and parts.hostname and parts.port != 0)
    except ValueError:  # a port that is no number, brackets that do not close
        complete = False
    if complete and token_in_query(parts.query):
        raise BadBot(f"a token in the address {text.partition('?')[0]!r} is not read; {ELSEWHERE}")
    if not complete:
        shown = re.sub(r"(^|//)([^/:@]*):[^/]*@", r"\1\2:***@", text.partition("?")[0])  # never print a password
        raise BadBot(f"{shown!r} is no address of a server; {REMEDY}")
    return parts


def can_be_handed_on(url: str) -> bool:
    """Return whether a connection to the server at `url` can be a program's stdin and stdout, watched from here."""
    return address(url).scheme == UNIX and sys.platform == "linux"


async def until_one_fails(*work: Coroutine[Any, Any, None]) -> None:
    """Do all of `work` until a part of it fails, and raise the most serious failure.

    No TaskGroup: before Python 3.13 it loses a cancellation that meets a failure, and we would never end.
    """
    parts = [asyncio.ensure_future(part) for part in work]
    try:
        await asyncio.wait(parts, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for part in parts:
            part.cancel()
        ended = await asyncio.gather(*parts, return_exceptions=True)
    raise most_serious([error for error in ended if isinstance(error, Exception)])


def most_serious(errors: Sequence[Exception]) -> Exception:
    """Return the most serious of the errors that ended a connection: our bug, a refusal, then the broken link."""
    return min(errors, key=lambda error: (isinstance(error, ClientError), not isinstance(error, RefusedByServer)))
