"""A Unix socket for one program of one bot: whoever comes by it is that bot, and the rest of the server is not there.

A confined program reaches nothing else. Where nobody needs a token, a name is believed; here it is known.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from msgspec import UNSET

from palio_rules.contract.endpoints import POLICY
from palio_rules.contract.messages import Error, GameMessage, Message, Move, Over, Ready, Rejected, Resign, Turn

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

BY_LISTENER = "palio.bot_listener"  # in the scope of a WebSocket
FOR_BOTS = "/ws/bot"
READY = -1  # what is awaited before the first turn


class Awaited:
    """Which answers the server awaits from one program: it may use the processor as long as there is one.

    A program that has not joined yet is awaited, too.
    """

    def __init__(self) -> None:
        self._tell: Callable[[bool], None] | None = None
        self._told: bool | None = None
        self._joined = False
        self._turns: dict[tuple[object, str], int] = {}  # by connection and match, the turn or READY
        self._prepared: set[str] = set()  # matches for which it was ready; a match that is taken up again needs nothing

    def tell(self, tell: Callable[[bool], None]) -> None:
        """From now on call `tell` with whether there is one, at once and whenever that changes; a program begins."""
        self._tell, self._told, self._joined = tell, None, bool(self._turns)
        self._say()

    def joined(self) -> None:
        """The program has said hello."""
        self._joined = True
        self._say()

    def asked(self, connection: object, message: Message) -> None:
        """The server has sent this on a connection of the program."""
        match message:
            case Turn(match=match, id=turn) | Rejected(match=match, id=turn):
                self._turns[connection, match] = turn
            case GameMessage(match=match) if match not in self._prepared:
                self._turns[connection, match] = READY
            case Over(match=match):
                self._turns.pop((connection, match), None)
                self._prepared.discard(match)
        self._say()

    def answered(self, connection: object, message: Message) -> None:
        """The program has sent this on a connection."""
        match message:
            case Ready(match=match):
                self._prepared.add(match)
                if self._turns.get((connection, match)) == READY:
                    del self._turns[connection, match]
            case Move(match=match, id=turn):
                if self._turns.get((connection, match)) == turn:
                    del self._turns[connection, match]
            case Resign(match=match) | Error(match=match) if match is not UNSET:
                self._turns.pop((connection, match), None)
        self._say()

    def lost(self, connection: object) -> None:
        """A connection is gone; what was asked there is asked again on the next one."""
        self._turns = {key: turn for key, turn in self._turns.items() if key[0] is not connection}
        self._say()

    def _say(self) -> None:
        now = bool(self._turns) or not self._joined
        if now is not self._told and self._tell is not None:
            self._told = now
            self._tell(now)


@dataclass(frozen=True, slots=True, eq=False)
class BotListener:
    """`confined`: how its program is confined, for the record; `awaited`: what the server awaits from it."""

    bot: str
    confined: str
    sock: socket.socket
    awaited: Awaited = field(default_factory=Awaited)

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
