"""The conversation with a program whose standard input and output are a connection to us.

Whoever has started the program has said hello for it (`Hello.program`). The program knows nothing of connections, so it
hears what the protocol promises to programs and nothing else, a turn only once; what it says that is no message, or
comes too late, is ignored, and reported where that helps its author. It plays one match after the other if it stays
(`Ready.again`); else the connection ends with the match.

Whoever has started it notices its end, and says so in its place by an `error` with the code "died". It need not know
which match that was about, because the program may have played others before; the answer names the match, if one was
given up. A program that stays, and dies before it is ready for the next match, has lost nothing: the match waits for
another one.
"""

import logging
from collections.abc import Callable

from msgspec import UNSET
from msgspec.structs import replace

from palio_rules.contract import topics
from palio_rules.contract.codec import MAX_BYTES, Encoding, decode_from_bot, decode_from_server, encode
from palio_rules.contract.endpoints import NORMAL
from palio_rules.contract.messages import Error, GameMessage, Hello, Move, Over, Played, Ready, Rejected, Resign, Turn
from palio_rules.errors import WireError
from palio_server.bus import Bus, Envelope
from palio_server.lobby.session import Session
from palio_server.network.connection import Connection, Socket

log = logging.getLogger(__name__)

SHOWN = 80  # bytes of a line that is no message
CRASHED = "crashed"  # the code by which a bot gives its match up
DIED = "died"  # the same, from whoever has started the program


class ProgramConnection:
    """The conversation with one program; the lobby's Link to it. Nothing here waits."""

    def __init__(self, connection: Connection, socket: Socket, bus: Bus, report: Callable[[str], None]) -> None:
        """`connection` is what hello was said on; `report` takes what a program does wrong, without its name."""
        self._connection, self._socket, self._bus, self._report = connection, socket, bus, report
        self._leave: Callable[[], None] = lambda: None
        self._out = ""  # where it speaks: a topic but for the match
        self._match = ""  # that it plays
        self._later = False  # it has played another one before
        self._ready = False
        self._stays = False  # it takes another match
        self._turn = -1  # the last turn that it was given in its match
        self._wanted = False  # an answer to it
        self._given_up = False  # the match; whatever it still says there means nothing

    def enter(self, session: Session, leave: Callable[[], None]) -> None:
        """The lobby has let it in; `leave` takes it out again."""
        self._out, self._leave = topics.bot_out(session.name, ""), leave

    # --- to the program -----------------------------------------------------------------------------------------------

    def post(self, _topic: str, envelope: Envelope) -> None:
        """Pass on a message from the bus, if it is for programs."""
        message = envelope.message or envelope.read(decode_from_server)
        if isinstance(message, Turn):
            if message.id == self._turn:
                return  # it thinks about that
            self._turn, self._wanted = message.id, True
            self._socket.credit.allow()
        elif isinstance(message, GameMessage):
            if message.match == self._match:
                return
            self._begin(message.match)
        elif isinstance(message, Rejected):
            self._wanted = True
        elif not isinstance(message, Played | Over):
            return  # it is not for programs
        if self._connection.awaited is not None:
            self._connection.awaited.asked(self._connection, message)
        self._connection.pass_on(encode(message, Encoding.JSON), urgent=type(message) is not Played)
        if type(message) is Over:
            self._finish()

    def close(self, code: int, reason: str) -> None:
        """Let it read the end."""
        self._connection.close(code, reason)

    def flow(self, reading: bool) -> None:  # noqa: FBT001  # the socket's Listener
        self._connection.flow(reading)

    def _begin(self, match: str) -> None:
        """Its next match: turns are numbered anew."""
        self._match, self._ready, self._stays, self._turn, self._wanted = match, False, False, -1, False

    def _finish(self) -> None:
        """Its match is over."""
        self._match, self._later = "", True
        if not self._stays or self._given_up:
            self._hang_up()

    def _hang_up(self) -> None:
        self._leave()  # at once: nobody shall give it a match that it cannot play
        self.close(NORMAL, "")

    # --- from the program ---------------------------------------------------------------------------------------------

    def hear(self, data: bytes, _text: bool) -> None:  # noqa: FBT001  # the socket's Listener
        """Take one line in."""
        try:
            message = decode_from_bot(data, Encoding.JSON)
        except WireError as error:
            self._report(_no_message(data, error))
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
            if self._means_something(message):
                self._publish(message)

    def _means_something(self, message: Move | Ready | Resign) -> bool:
        """Whether the referee should hear of it."""
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

    def _hear_error(self, message: Error) -> None:
        about = message.match
        if message.code == DIED:
            self._bury(message)
        elif about not in (UNSET, self._match) and self._later:
            return  # about a match that is over
        elif message.code != CRASHED:
            self._report(f"complains: {message.reason[:1000]} ({message.code})")
        elif self._match and not self._given_up:
            self._give_up()
            self._publish(replace(message, match=self._match))

    def _bury(self, died: Error) -> None:
        """The program is no more; what is sent now reaches whoever has started it."""
        if self._given_up:
            return
        self._given_up = True
        if not self._match or (self._later and not self._ready):
            self._hang_up()
            return
        self._connection.send(Error(DIED, "the match is given up", match=self._match))
        self._publish(Error(CRASHED, died.reason, match=self._match))

    def _give_up(self) -> None:
        self._wanted, self._given_up = False, True

    def _publish(self, message: Move | Ready | Resign | Error) -> None:
        if self._connection.awaited is not None:
            self._connection.awaited.answered(self._connection, message)
        at = self._bus.arrivals.of(self._socket.silent_s)
        self._bus.publish(self._out + self._match, encode(message), message, at=at)


def _no_message(line: bytes, error: WireError) -> str:
    if len(line) > MAX_BYTES:
        return f"wrote a line of more than {MAX_BYTES} bytes, which is ignored"
    return f"wrote {line[:SHOWN].decode(errors='replace')!r}, which is no message: {error}; log to stderr instead"
