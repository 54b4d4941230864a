"""Addresses of servers and brokers, as people write them."""

import re
from collections.abc import Collection
from urllib.parse import SplitResult, urlsplit

from palio_clients.failures import BadBot

WEBSOCKET = frozenset({"ws", "wss", "http", "https"})
MQTT = frozenset({"mqtt", "mqtts"})
REMEDY = "write ws://host:port, http://host:port or mqtt://host:port"


def address(text: str, schemes: Collection[str] = WEBSOCKET | MQTT) -> SplitResult:
    """The parts of an address with one of `schemes`. Raises BadBot, with the remedy, for what is none."""
    try:
        parts = urlsplit(text)
        complete = parts.scheme in schemes and parts.hostname and parts.port != 0
    except ValueError:  # a port that is no number, brackets that do not close
        complete = None
    if not complete:
        shown = re.sub(r"//([^/:@]*):[^/]*@", r"//\1:***@", text)  # a password is nobody else's business
        raise BadBot(f"{shown!r} is no address of a server; {REMEDY}")
    return parts
