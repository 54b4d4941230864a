"""One bot's conversation on a socket: what it says is checked and published, what it is told is written at once.

Nothing here waits. A bot that does not read is cut off after a few seconds, one that sends nonsense or more than
anybody asked for (`Credit`) is told so, and its connection is closed; nobody else notices.
"""

import asyncio
import logging
from collections import deque
from typing import Protocol

from msgspec import UNSET

from palio_rules.contract import topics
from palio_rules.contract.codec import Encoding, decode_from_bot, decode_from_server, encode
from palio_rules.contract.endpoints import POLICY
from palio_rules.contract.messages import BotMessage, Error, Hello, Message, Played, Turn
from palio_rules.errors import WireError
from palio_rules.plain_text import plain
from palio_server.bus import Bus, Envelope
from palio_server.lobby.session import Session
from palio_server.network.bot_listener import Awaited
from palio_server.network.credit import Credit

log = logging.getLogger(__name__)

SEND_TIMEOUT_S = 5.0  # a peer that reads nothing for so long is cut off
QUEUE = 256  # messages kept for a peer that has stopped reading; more than any honest bot leaves unread
MAX_FAULTS = 10  # messages that cannot be read, before the connection is closed


class Socket(Protocol):
    """What a connection needs; `WebSocket` and `LineSocket` are such."""

    credit: Credit

    def silent_s(self) -> float | None: ...
    def write(self, data: bytes, *, text: bool, urgent: bool) -> None: ...
    def close(self, code: int, reason: str) -> None: ...
    def abort(self) -> None: ...


class Connection:
    """The conversation with one bot; the lobby's Link to it."""

    def __init__(self, socket: Socket, bus: Bus, encoding: Encoding | None) -> None:
        """`encoding` None: the bot has asked for no subprotocol, its first frame decides (text: JSON)."""
        self._socket, self._bus = socket, bus
        self._encoding = encoding or Encoding.MSGPACK
        self._text = self._encoding is Encoding.JSON
        self._undecided = encoding is None
        self._loop = asyncio.get_running_loop()
        self._session: Session | None = None
        self._out = ""  # where it speaks: a topic but for the match
        self.hello: asyncio.Future[Hello] = self._loop.create_future()  # the bot's first message
        self._faults = 0
        self._credit = socket.credit
        self._unsent: deque[bytes] | None = None  # not None while the peer does not read
        self._patience: asyncio.TimerHandle | None = None
        self.awaited: Awaited | None = None  # of a program that the server has started

    def enter(self, session: Session, awaited: Awaited | None = None) -> None:
        """The lobby has let the bot in: from now on it may speak in its matches.

        `awaited` is told what the server and the bot's program say to each other.
        """
        self._session, self._out = session, topics.bot_out(session.name, "")
        self.awaited = awaited
        if awaited is not None:
            awaited.joined()

    # --- to the bot ---------------------------------------------------------------------------------------------------

    def send(self, message: Message) -> None:
        """Send a message in the bot's encoding."""
        self._write(encode(message, self._encoding))

    def post(self, topic: str, envelope: Envelope) -> None:
        """Pass on a message from the bus."""
        message = envelope.message or envelope.read(decode_from_server)  # nearly always the former
        kind = type(message)
        if kind is Turn:
            self._credit.allow()
        if self.awaited is not None:
            self.awaited.asked(self, message)
        self.pass_on(encode(message, Encoding.JSON) if self._text else envelope.data, urgent=kind is not Played)

    def pass_on(self, data: bytes, *, urgent: bool) -> None:
        """Write a message that is encoded already; one that is not urgent may wait a moment."""
        if self._unsent is None:
            self._socket.write(data, text=self._text, urgent=urgent)
        else:
            self._write(data)

    def close(self, code: int, reason: str) -> None:
        """Close the connection, and say why if the bot reads."""
        if self._unsent is not None:
            self._socket.abort()  # a peer that does not read would not hear it
        else:
            self._socket.close(code, reason)

    def lost(self) -> None:
        """The socket is gone. The session, which can be resumed, still knows us."""
        self._session = None
        self.hello.cancel()
        if self.awaited is not None:
            self.awaited.lost(self)
        self._be_patient(None)

    def _write(self, data: bytes) -> None:
        if self._unsent is None:
            self._socket.write(data, text=self._text, urgent=True)
        elif len(self._unsent) < QUEUE:
            self._unsent.append(data)
        else:
            self._socket.abort()

    def flow(self, reading: bool) -> None:  # noqa: FBT001  # the socket's Listener
        """The peer has stopped reading, or reads again."""
        if not reading:
            self._unsent = deque() if self._unsent is None else self._unsent
            self._be_patient(SEND_TIMEOUT_S)
            return
        self._be_patient(None)
        unsent, self._unsent = self._unsent or deque(), None
        while unsent and self._unsent is None:  # writing may pause again
            self._socket.write(unsent.popleft(), text=self._text, urgent=True)
        if unsent:
            self._unsent = unsent

    def _be_patient(self, seconds: float | None) -> None:
        if self._patience is not None:
            self._patience.cancel()
        self._patience = None if seconds is None else self._loop.call_later(seconds, self._socket.abort)

    # --- from the bot -------------------------------------------------------------------------------------------------

    def hear(self, data: bytes, text: bool) -> None:  # noqa: FBT001  # the socket's Listener
        """Take one message in; every fault is answered."""
        if text is not self._text:
            if not self._undecided:
                self._fault("wrong-frame", f"{self._encoding.subprotocol} travels in the other kind of frame")
                return
            self._undecided = False
            self._encoding, self._text = (Encoding.JSON, True) if text else (Encoding.MSGPACK, False)
        try:
            message = decode_from_bot(data, self._encoding)
        except WireError as error:
            self._fault(error.code, str(error))
            return
        match = getattr(message, "match", UNSET)
        session = self._session
        if session is None or match not in session.matches:
            self._hear_aside(message)
            return
        if self.awaited is not None:
            self.awaited.answered(self, message)
        at = self._bus.arrivals.of(self._socket.silent_s)
        self._bus.publish(self._out + match, encode(message) if text else data, message, at=at)

    def _hear_aside(self, message: BotMessage) -> None:
        """A message that belongs to no match of this bot; it shows that the bot is there."""
        if self._session is not None:
            self._session.asides += 1
        match message:
            case Hello() if not self.hello.done():
                self._undecided = False
                self.hello.set_result(message)
            case Hello():
                self._fault("unexpected", "you have said hello already; a hello is said once on each connection")
            case Error(code=code, reason=reason):  # never answered: two such sides would not end
                name = self._session.name if self._session else "?"
                log.info("bot %s reports %s: %s", name, code, reason[:500], extra={"bot": name, "code": code})
            case _ if self._session is None:
                self._fault("hello-first", "say hello first, and wait for the welcome")
            case _:
                turn = getattr(message, "id", UNSET)
                reason = f"you do not play a match {message.match!r} on this connection, or it is over"
                said = {"bot": self._session.name, "match": message.match, "code": "unknown-match"}
                log.info("bot %s is refused: unknown-match: %s", said["bot"], plain(reason[:500]), extra=said)
                self.send(Error(code="unknown-match", reason=reason, id=turn, match=message.match))

    def _fault(self, code: str, reason: str) -> None:
        self.send(Error(code=code, reason=reason[:1000]))
        self._faults += 1
        if self._faults >= MAX_FAULTS:
            self.close(POLICY, f"{MAX_FAULTS} bad messages, the last: {reason}")
