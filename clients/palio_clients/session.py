"""The conversation between a bot and the server, without any socket: messages in, events and messages out.

Everything that a network does to messages is dealt with here: what comes twice is told once, what was overtaken is
dropped, a turn that is asked again gets the same answer again, and after a lost connection `hello` asks for the session
back. What a bot thinks, how messages travel and when to try again are other modules' business.
"""

from collections import deque
from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from palio_clients.events import Abandoned, Complaint, Event, GameBegins, MatchOver, Mystery, Refused, Welcomed
from palio_clients.match_talk import MatchMessage, MatchTalk
from palio_rules import messages
from palio_rules.errors import WireError
from palio_rules.messages import BotMessage, Info, ServerMessage

REMEMBERED = 256  # finished matches whose stragglers are recognised
MAX_TEXT = 8000  # characters of a traceback that travel
HELLO_AGAIN = frozenset({"hello-first", "no-session", "unknown-session"})  # errors that a hello mends


class Session:
    """One bot's conversation. Call `connect` for each new connection, feed `receive`, send what `outgoing` gives."""

    def __init__(self, name: str, games: Sequence[str], *, token: str | None = None, slots: int = 1) -> None:
        self.name = name
        self.session: str | None = None
        self._games = list(games)
        self._token = token
        self._slots = slots
        self._welcomes = 0
        self._welcomed = False
        self._talks: dict[str, MatchTalk] = {}
        self._finished: deque[str] = deque(maxlen=REMEMBERED)
        self._outgoing: list[BotMessage] = []

    # --- the connection ----------------------------------------------------------------------------------------------

    @property
    def welcomed(self) -> bool:
        """Whether the server has accepted us on this connection."""
        return self._welcomed

    @property
    def matches(self) -> tuple[str, ...]:
        """The matches in progress."""
        return tuple(self._talks)

    def connect(self) -> None:
        """A connection stands: say hello, and ask for the old session if there was one."""
        self._welcomed = False
        hello = messages.Hello(
            self.name,
            self._games,
            token=UNSET if self._token is None else self._token,
            resume=UNSET if self.session is None else self.session,
            slots=UNSET if self._slots == 1 else self._slots,
        )
        self._outgoing = [hello]  # nothing else may come before it, and the server asks again for what it wants

    def disconnect(self) -> None:
        """The connection is lost. Thoughts go on; their answers wait until the server asks again."""
        self._welcomed = False
        self._outgoing = []

    def outgoing(self) -> list[BotMessage]:
        """The messages to send now, each of them once."""
        outgoing, self._outgoing = self._outgoing, []
        return outgoing

    def _say(self, message: BotMessage) -> None:
        if self._welcomed:
            self._outgoing.append(message)

    # --- what the bot says -------------------------------------------------------------------------------------------

    def ready(self, match: str) -> None:
        """The bot is prepared for `match`."""
        if talk := self._talks.get(match):
            talk.is_ready()

    def answer(self, match: str, id_: int, move: object, info: Info | UnsetType = UNSET) -> bool:
        """Send `move`, as it goes on the wire, for the turn `id_`; False if nobody waits for it any more."""
        talk = self._talks.get(match)
        return talk is not None and talk.answer(id_, move, info)

    def crashed(self, match: str, text: str) -> None:
        """Give `match` up because the bot failed; the end of `text`, a traceback, goes into the record."""
        if talk := self._talks.get(match):
            talk.give_up(messages.Error("crashed", text[-MAX_TEXT:], match=match))

    def resign(self, match: str) -> None:
        """Give `match` up because the bot wants to."""
        if talk := self._talks.get(match):
            talk.give_up(messages.Resign(match))

    def garbled(self, error: WireError) -> None:
        """The server sent bytes that are no message: tell it so, and carry on."""
        self._say(messages.Error(error.code, str(error)))

    # --- what the server says ----------------------------------------------------------------------------------------

    def receive(self, message: ServerMessage, now: float) -> list[Event]:
        """Take in a message that arrived at `now` (monotonic seconds); what it means for the bot."""
        match message:
            case messages.Welcome():
                return self._welcome(message)
            case messages.Refused(code, reason):
                return [Refused(code, reason)]
            case messages.GameMessage():
                return self._game(message)
            case messages.Error():
                return self._error(message)
            case _:
                return self._in_match(message, now)

    def _welcome(self, message: messages.Welcome) -> list[Event]:
        resumed = self.session == message.session
        self.session = message.session
        if self._welcomed:  # an answer to a hello that was sent twice
            return []
        self._welcomed = True
        self._welcomes += 1
        return [Welcomed(message.session, message.server, resumed)]

    def _game(self, message: messages.GameMessage) -> list[Event]:
        if message.match in self._finished:
            return []
        if message.game not in self._games:
            reason = f"{self.name} does not play {message.game!r}; its hello offered {', '.join(self._games)}"
            self._say(messages.Error("unknown-game", reason, match=message.match))
            return []
        if talk := self._talks.get(message.match):
            talk.introduced_again(self._welcomes)
            return []
        events = self._orphans()
        self._talks[message.match] = MatchTalk(message, self._welcomes, self._say)
        return [*events, GameBegins(message.match, message)]

    def _orphans(self) -> list[Event]:
        """Where a new match begins though all slots are taken, those not introduced anew since we came back ended."""
        if len(self._talks) < self._slots:
            return []
        lost = [match for match, talk in self._talks.items() if talk.announced < self._welcomes]
        return [event for match in lost for event in self._abandon(match, "it ended while the connection was lost")]

    def _abandon(self, match: str, reason: str) -> list[Event]:
        talk = self._talks.pop(match, None)
        if talk is None:
            return []
        talk.forget_thought()
        return [Abandoned(match, reason)]

    def _error(self, message: messages.Error) -> list[Event]:
        if message.code == "unknown-match" and isinstance(message.match, str):
            return self._abandon(message.match, message.reason)
        if message.code in HELLO_AGAIN:
            return [Mystery(message.reason)]
        return [Complaint(message)]

    def _in_match(self, message: MatchMessage, now: float) -> list[Event]:
        if talk := self._talks.get(message.match):
            events = talk.receive(message, now)
            if any(isinstance(event, MatchOver) for event in events):
                del self._talks[message.match]
                self._finished.append(message.match)
            return events
        if isinstance(message, messages.Over):
            self._finished.append(message.match)  # it has overtaken its `game`, which comes too late now
        if isinstance(message, messages.Turn) and message.match not in self._finished:
            reason = f"turn {message.id} belongs to a match that no game message has introduced"
            self._say(messages.Error("unknown-match", reason, id=message.id, match=message.match))
            return [Mystery(reason)]
        return []
