"""One bot's conversation on a socket: its messages are checked and published, messages to it are written at once.

No method waits. A bot that does not read is disconnected after a few seconds. One that sends unreadable messages, or
more than it was asked for (`Credit`), is told so and disconnected; no other bot is affected.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Protocol

from msgspec import UNSET
from msgspec.structs import replace

from palio_rules.contract import topics
from palio_rules.contract.codec import MAX_BYTES, Encoding, decode_from_bot, decode_from_server, encode
from palio_rules.contract.endpoints import NORMAL, POLICY
from palio_rules.contract.messages import (
    BotMessage,
    Draw,
    Error,
    GameMessage,
    Hello,
    Message,
    Move,
    Over,
    Played,
    Ready,
    Rejected,
    Resign,
    Turn,
)
from palio_rules.errors import WireError
from palio_rules.plain_text import plain
from palio_server.bus import Bus, Envelope
from palio_server.lobby.session import Session
from palio_server.match.channel import UNREADABLE
from palio_server.network.bot_listener import ExpectedAnswers
from palio_server.network.corked_socket import Credit

log = logging.getLogger(__name__)

SEND_TIMEOUT_S = 5.0  # seconds; a peer that reads nothing for so long is disconnected
QUEUE = 256  # messages kept for a peer that has stopped reading; more than any honest bot leaves unread
MAX_FAULTS = 10  # messages that cannot be read, before the connection is closed


class BotSocket(Protocol):
    """The interface of a socket that a connection needs; `WebSocket` and `LineSocket` have it."""

    credit: Credit

    def silent_s(self) -> float | None: ...
    def write(self, data: bytes, *, text: bool, urgent: bool) -> None: ...
    def close(self, code: int, reason: str) -> None: ...
    def abort(self) -> None: ...


class Connection:
    """The conversation with one bot; the lobby's Link to it."""

    def __init__(self, socket: BotSocket, bus: Bus, encoding: Encoding | None) -> None:
        """`encoding` None: the bot has requested no subprotocol, its first frame decides (text: JSON)."""
        self._socket, self._bus = socket, bus
        self._encoding = encoding or Encoding.MSGPACK
        self._text = self._encoding is Encoding.JSON
        self._undecided = encoding is None
        self._loop = asyncio.get_running_loop()
        self._session: Session | None = None
        self._out = ""  # the topic of its messages, without the match
        self.hello: asyncio.Future[Hello] = self._loop.create_future()  # the bot's first message
        self._faults = 0
        self._credit = socket.credit
        self._unsent: deque[bytes] | None = None  # None while the peer reads
        self._patience: asyncio.TimerHandle | None = None
        self.awaited: ExpectedAnswers | None = None  # of a program that the server has started

    def enter(self, session: Session, awaited: ExpectedAnswers | None = None) -> None:
        """Allow the bot, which the lobby has let in, to send messages to its matches.

        `awaited` is told of the messages between the server and the bot's program.
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
        message = envelope.message or envelope.read(decode_from_server)  # the usual case: it is decoded
        kind = type(message)
        if kind is Turn:
            self._credit.allow()
        if self.awaited is not None:
            self.awaited.asked(self, message)
        self.pass_on(encode(message, Encoding.JSON) if self._text else envelope.data, urgent=kind is not Played)

    def pass_on(self, data: bytes, *, urgent: bool) -> None:
        """Write an encoded message; one that is not urgent may wait a moment."""
        if self._unsent is None:
            self._socket.write(data, text=self._text, urgent=urgent)
        else:
            self._write(data)

    def close(self, code: int, reason: str) -> None:
        """Close the connection, with the reason if the bot reads."""
        if self._unsent is not None:
            self._socket.abort()  # a peer that does not read would not receive it
        else:
            self._socket.close(code, reason)

    def lost(self) -> None:
        """Clean up after the socket is gone. The session, which can be resumed, still refers to this object."""
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
        """Take note that the peer has stopped reading, or reads again."""
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
        """Take in one message; every fault is answered."""
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
            self.tell_unreadable(_unreadable(data, error, text=text))
            return
        match = getattr(message, "match", UNSET)
        session = self._session
        if session is None or match not in session.matches:
            self._hear_aside(message)
            return
        awaited = self.awaited
        expected = awaited is not None and awaited.answered(self, message)
        at = self._bus.arrivals.of(self._socket.silent_s)
        self._bus.publish(self._out + match, encode(message) if text else data, message, at=at)
        if expected and awaited is not None:
            awaited.account.answered()

    def _hear_aside(self, message: BotMessage) -> None:
        """Take in a message that belongs to no match of this bot; it shows that the bot is alive."""
        if self._session is not None:
            self._session.asides += 1
        match message:
            case Hello() if not self.hello.done():
                self._undecided = False
                self.hello.set_result(message)
            case Hello():
                self._fault("unexpected", "you have said hello already; a hello is said once on each connection")
            case Error(code=code, reason=reason):  # never answered: two programs that answer errors would not stop
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

    def tell_unreadable(self, sentence: str) -> None:
        """Tell the bot's matches of a message that was perhaps its answer: its author looks for it there."""
        session = self._session
        for match in () if session is None else tuple(session.matches):
            message = Error(UNREADABLE, sentence, match=match)
            self._bus.publish(self._out + match, encode(message), message, at=self._bus.arrivals.now())

    def _fault(self, code: str, reason: str) -> None:
        self.send(Error(code=code, reason=reason[:1000]))
        self._faults += 1
        if self._faults >= MAX_FAULTS:
            self.close(POLICY, f"{MAX_FAULTS} bad messages, the last: {reason}")


# The conversation with a program whose standard input and output are a connection to the server.
#
# The starter of the program has said hello for it (`Hello.program`). The program knows nothing of connections, so it
# gets only the messages that the protocol promises to programs, and each turn only once. Its output that is not a
# message, or comes too late, is ignored, and reported where that helps its author. It plays one match after the other
# if it stays (`Ready.again`); otherwise the connection ends with the match.
#
# The starter notices the program's end, and reports it by an `error` with the code "died". It need not know the match
# concerned, because the program may have played others before; the answer names the match, if one was given up. A
# program that stays, and dies before it is ready for the next match, has lost nothing: the match waits for another
# program.

SHOWN = 80  # bytes shown of a line that is not a message
CRASHED = "crashed"  # the code by which a bot gives its match up
DIED = "died"  # the same, sent by the starter of the program


class ProgramConnection:
    """The conversation with one program; the lobby's Link to it. No method waits."""

    def __init__(self, connection: Connection, socket: BotSocket, bus: Bus, report: Callable[[str], None]) -> None:
        """`connection` is the one that said hello; `report` takes a description of the program's faults, without its
        name.
        """
        self._connection, self._socket, self._bus, self._report = connection, socket, bus, report
        self._leave: Callable[[], None] = lambda: None
        self._out = ""  # the topic of its messages, without the match
        self._match = ""  # that it plays
        self._later = False  # True: it has played another match before
        self._ready = False
        self._stays = False  # True: it takes another match
        self._turn = self._told = -1  # the last turn that it was given in its match, and in which it was not understood
        self._wanted = False  # True: an answer to it is expected
        self._given_up = False  # True: further messages about the match are ignored

    def enter(self, session: Session, leave: Callable[[], None]) -> None:
        """Begin after the lobby has let it in; `leave` takes it out again."""
        self._out, self._leave = topics.bot_out(session.name, ""), leave

    # --- to the program -----------------------------------------------------------------------------------------------

    def post(self, _topic: str, envelope: Envelope) -> None:
        """Pass on a message from the bus, if it is for programs."""
        message = envelope.message or envelope.read(decode_from_server)
        if isinstance(message, Turn):
            if message.id == self._turn:
                return  # the program is working on that turn
            self._turn, self._wanted = message.id, True
            self._socket.credit.allow()
        elif isinstance(message, GameMessage):
            if message.match == self._match:
                return
            self._begin(message.match)
        elif isinstance(message, Rejected):
            self._wanted = True
        elif not isinstance(message, Played | Over):
            return  # not for programs
        if self._connection.awaited is not None:
            self._connection.awaited.asked(self._connection, message)
        self._connection.pass_on(encode(message, Encoding.JSON), urgent=type(message) is not Played)
        if type(message) is Over:
            self._finish()

    def close(self, code: int, reason: str) -> None:
        """Close its input, so that it reads the end."""
        self._connection.close(code, reason)

    def flow(self, reading: bool) -> None:  # noqa: FBT001  # the socket's Listener
        self._connection.flow(reading)

    def _begin(self, match: str) -> None:
        """Begin its next match: turn numbers start again."""
        self._match, self._ready, self._stays, self._wanted = match, False, False, False
        self._turn = self._told = -1

    def _finish(self) -> None:
        """End its match."""
        self._match, self._later = "", True
        if not self._stays or self._given_up:
            self._disconnect()

    def _disconnect(self) -> None:
        self._leave()  # at once, so that it gets no match that it cannot play
        self.close(NORMAL, "")

    # --- from the program ---------------------------------------------------------------------------------------------

    def hear(self, data: bytes, _text: bool) -> None:  # noqa: FBT001  # the socket's Listener
        """Take in one line."""
        try:
            message = decode_from_bot(data, Encoding.JSON)
        except WireError as error:
            sentence = _unreadable(data, error, text=True)
            self._report(sentence if len(data) > MAX_BYTES else f"{sentence}; log to stderr instead")
            if self._wanted and self._told != self._turn:
                self._told = self._turn
                self._connection.tell_unreadable(sentence)
            return
        if isinstance(message, Hello):
            self._report("says hello, which a program on stdin and stdout need not; ignored")
        elif isinstance(message, Error):
            self._hear_error(message)
        elif self._match and not self._given_up:
            if message.match != self._match:
                if self._later:
                    return  # about a match that is over
                message = replace(message, match=self._match)
            if self._is_relevant(message):
                self._publish(message)

    def _is_relevant(self, message: Move | Ready | Resign | Draw) -> bool:
        """Return True if the message must be passed to the referee."""
        match message:
            case Move(_, id_):
                wanted = self._wanted and id_ == self._turn
                if id_ > self._turn:
                    self._report(f"answers turn {id_}, which it was never asked; copy the id of the turn")
                self._wanted = self._wanted and not wanted
                return wanted
            case Ready(_, again):
                first, self._ready = not self._ready, True
                self._stays = again is True if first else self._stays
                return first
            case Resign():
                self._give_up()
                return True
            case Draw():
                return True

    def _hear_error(self, message: Error) -> None:
        about = message.match
        if message.code == DIED:
            self._end_program(message)
        elif about not in (UNSET, self._match) and self._later:
            return  # about a match that is over
        elif message.code != CRASHED:
            self._report(f"complains: {message.reason[:1000]} ({message.code})")
        elif self._match and not self._given_up:
            self._give_up()
            self._publish(replace(message, match=self._match))

    def _end_program(self, died: Error) -> None:
        """Clean up after the program has ended; further messages reach its starter."""
        if self._given_up:
            return
        self._given_up = True
        if not self._match or (self._later and not self._ready):
            self._disconnect()
            return
        self._connection.send(Error(DIED, "the match is given up", match=self._match))
        self._publish(Error(CRASHED, died.reason, match=self._match))

    def _give_up(self) -> None:
        self._wanted, self._given_up = False, True

    def _publish(self, message: Move | Ready | Resign | Draw | Error) -> None:
        awaited = self._connection.awaited
        expected = awaited is not None and awaited.answered(self._connection, message)
        at = self._bus.arrivals.of(self._socket.silent_s)
        self._bus.publish(self._out + self._match, encode(message), message, at=at)
        if expected and awaited is not None:
            awaited.account.answered()


def _unreadable(data: bytes, error: WireError, *, text: bool) -> str:
    if len(data) > MAX_BYTES:
        return f"wrote a line of more than {MAX_BYTES} bytes, which is ignored"
    shown = f"{data[:SHOWN].decode(errors='replace')!r}" if text else f"{len(data)} bytes"
    return f"wrote {shown}, which is no message: {error}"
