"""A Unix socket for one program of one bot: whoever comes by it is that bot, and the rest of the server is not there.

A confined program reaches nothing else. Where nobody needs a token, a name is believed; here it is known.
"""

from dataclasses import dataclass
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from palio_rules.contract.endpoints import POLICY

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

BY_LISTENER = "palio.bot_listener"  # in the scope of a WebSocket
FOR_BOTS = "/ws/bot"


@dataclass(frozen=True, slots=True, eq=False)
class BotListener:
    """`confined`: how its program is confined, for the record."""

    bot: str
    confined: str
    sock: socket

    @property
    def url(self) -> str:
        """As `palio join` takes it."""
        return f"ws+unix://{quote(str(Path(self.sock.getsockname()).absolute()))}"


class BotsOnly:
    """The ASGI application behind such a socket: as much of `app` as a bot needs."""

    def __init__(self, app: Any, bot_listener: BotListener) -> None:
        self._app, self._listener = app, bot_listener

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] == "websocket" and scope["path"] == FOR_BOTS:
            await self._app({**scope, BY_LISTENER: self._listener}, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": POLICY})
        else:
            text = b"this socket is for bots only"
            head = [(b"content-type", b"text/plain"), (b"content-length", str(len(text)).encode())]
            await send({"type": "http.response.start", "status": 403, "headers": head})
            await send({"type": "http.response.body", "body": text})
