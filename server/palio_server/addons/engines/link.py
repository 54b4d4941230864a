"""The connection of a bot that plays within the server's process: messages are passed on as values."""

import logging

from msgspec import UNSET

from palio_rules.contract import topics
from palio_rules.contract.codec import decode_from_server, encode
from palio_rules.contract.hosting import Line
from palio_rules.contract.messages import BotMessage, Error, Hello, Refused, ServerMessage, Welcome
from palio_server.app_state import ServerParts
from palio_server.bus import Envelope
from palio_server.edge.budgets import TooMuch
from palio_server.lobby.lobby import LobbyError, ServerStops
from palio_server.lobby.session import Session
from palio_server.network.bot_listener import BotListener
from palio_server.network.gateway import SERVER

log = logging.getLogger(__name__)

TRANSPORT = "engine"  # of its sessions


class EngineLink:
    """One connection; the lobby's Link to the bot. No method waits."""

    def __init__(self, server: ServerParts, own: BotListener | None, line: Line) -> None:
        """`own` has what is known of the bot's sandbox, and whom it tells that an answer is awaited."""
        self._lobby, self._bus, self._line = server.lobby, server.bus, line
        self._own = own
        self._awaited = None if own is None else own.awaited
        self._arrived = server.bus.arrivals.of
        self._publish = server.bus.publish
        self._session: Session | None = None
        self._out = ""  # the topic of its messages, without the match
        self._closed = False

    # --- to the bot ---------------------------------------------------------------------------------------------------

    def post(self, topic: str, envelope: Envelope) -> None:
        """Pass on a message from the bus."""
        self._send(envelope.read(decode_from_server))

    def close(self, code: int, reason: str) -> None:
        """Close the connection, from either side."""
        if self._closed:
            return
        self._closed = True
        if self._awaited is not None:
            self._awaited.lost(self)
        if self._session is not None:
            self._lobby.leave(self._session)
        self._line.close(reason)

    def _send(self, message: ServerMessage) -> None:
        if self._awaited is not None:
            self._awaited.asked(self, message)
        self._line.post(message)

    # --- from the bot -------------------------------------------------------------------------------------------------

    def hear(self, message: BotMessage) -> None:
        """Take in a message of the bot."""
        session = self._session
        if self._closed:
            return
        match = getattr(message, "match", UNSET)
        if session is None or match not in session.matches:
            self._hear_aside(message)
            return
        if self._awaited is not None:
            self._awaited.answered(self, message)
        self._publish(self._out + match, encode(message), message, at=self._arrived())

    def _hear_aside(self, message: BotMessage) -> None:
        """Take in a message that belongs to no match of this bot."""
        session = self._session
        match message:
            case Hello() if session is None:
                self._enter(message)
            case Error(code=code, reason=reason):
                name = session.name if session is not None else "?"
                log.info("bot %s reports %s: %s", name, code, reason[:500], extra={"bot": name, "code": code})
            case _ if session is not None and not isinstance(message, Hello):
                session.asides += 1
                turn = getattr(message, "id", UNSET)
                reason = f"you do not play a match {message.match!r} on this connection, or it is over"
                self._send(Error(code="unknown-match", reason=reason, id=turn, match=message.match))

    def _enter(self, hello: Hello) -> None:
        """Let the bot into the lobby, under the name that the server has given it."""
        try:
            session = self._lobby.join(hello, self, TRANSPORT)
        except ServerStops as error:
            self._lobby.refusals[error.code] += 1
            self._send(error.notice)
            self._send(Refused(error.code, str(error)))
            return
        except (LobbyError, TooMuch) as error:
            self._lobby.refusals[error.code] += 1
            self._send(Refused(error.code, str(error), error.retry_ms if isinstance(error, TooMuch) else UNSET))
            return
        self._session, self._out = session, topics.bot_out(session.name, "")
        if self._own is not None:
            session.confined, session.own_address = self._own.confined, self._own.url
        if self._awaited is not None:
            self._awaited.joined()
        told = self._lobby.greeting(session, hello, local=True)
        self._send(Welcome(session.id, SERVER, told or UNSET))
