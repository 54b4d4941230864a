"""The protocol between a bot and the server, without any socket: messages in, events and messages out.

All effects of a network on messages are handled here: of a message that comes twice only the first makes an event, an
overtaken one is dropped, a turn that comes again gets the same answer again, and after a lost connection `hello` asks
for the session back. A bot's thinking is in `player`, the sending of messages in the transports, reconnecting in
`runner`.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import cast

from msgspec import UNSET, UnsetType

from palio_clients.sdk.clock import Clock, Flag
from palio_clients.sdk.events import (
    Abandoned,
    Complaint,
    Event,
    GameBegins,
    HelloWanted,
    MatchOver,
    MovePlayed,
    MoveRejected,
    Refused,
    SeatAbsent,
    SeatBack,
    ServerStops,
    Think,
    Welcomed,
)
from palio_rules.contract import messages
from palio_rules.contract.messages import BotMessage, GameMessage, Info, Omission, ServerMessage
from palio_rules.errors import WireError

# One match of a session, without any socket: the open turn, its answer, and the messages received before.

MatchMessage = (
    messages.Turn | messages.Rejected | messages.Played | messages.Absent | messages.Back | messages.Over
)  # the server's messages within a match, after `game`


@dataclass(slots=True, eq=False)
class MatchSession:
    """The state of one match's protocol; `send` takes the outgoing messages."""

    game: GameMessage
    announced: int  # the number of welcomes when `game` last came
    send: Callable[[BotMessage], None]
    strict: bool = False  # a rejected move loses at once
    strikes_left: int = 0
    ready: bool = False
    turn: messages.Turn | None = None
    clock: Clock | None = None
    answered: messages.Move | None = None  # our answer to `turn`
    given_up: messages.Error | messages.Resign | None = None  # the message that resigned the match
    plies: int = -1  # the highest ply received

    def __post_init__(self) -> None:
        self.strikes_left = self.game.strikes

    # --- what the bot does -------------------------------------------------------------------------------------------

    def is_ready(self) -> None:
        self.ready = True
        self.send(messages.Ready(self.game.match))

    def answer(self, id_: int, move: object, info: Info | UnsetType) -> bool:
        """Answer the open turn; return False if `id_` is not open."""
        if self.turn is None or self.turn.id != id_ or self.answered is not None or self.given_up is not None:
            return False
        self.answered = messages.Move(self.game.match, id_, move, info)
        self.send(self.answered)
        return True

    def give_up(self, message: messages.Error | messages.Resign) -> None:
        """Send `message`, which resigns the match. Every later turn gets it again, and no other answer."""
        if self.given_up is None:
            self.given_up = message
            self.cancel_thought()
            self.send(message)

    def cancel_thought(self) -> None:
        """Signal the bot, by its clock, that its answer is no longer needed."""
        if self.clock:
            self.clock.cancel()

    # --- what the server sends ---------------------------------------------------------------------------------------

    def receive(self, message: MatchMessage, now: float) -> list[Event]:
        """Handle a message that arrived at `now` (monotonic seconds); return the events for the bot."""
        match message:
            case messages.Turn():
                return self._turn(message, now)
            case messages.Rejected():
                return self._rejected(message, now)
            case messages.Played():
                return self._played(message)
            case messages.Absent():
                return [SeatAbsent(message.match, message)]
            case messages.Back():
                return [SeatBack(message.match, message)]
            case messages.Over(match, outcome):
                self.cancel_thought()
                return [MatchOver(match, outcome)]

    def introduced_again(self, welcomes: int) -> None:
        """Handle a repeated `game` message: after a lost connection, or doubled by the network."""
        self.announced = welcomes
        if self.ready:
            self.send(messages.Ready(self.game.match))

    def _turn(self, turn: messages.Turn, now: float) -> list[Event]:
        if self.given_up is not None:
            self.send(self.given_up)
            return []
        if self.turn is not None and turn.id <= self.turn.id:
            if turn.id == self.turn.id and self.answered is not None:
                self.send(self.answered)
            return []  # the bot thinks about it already, or a newer one has overtaken it
        self.cancel_thought()
        self.turn, self.answered = turn, None
        self.clock = self._clock(turn, now)
        return [Think(turn.match, turn, self.clock)]

    def _rejected(self, message: messages.Rejected, now: float) -> list[Event]:
        turn, clock = self.turn, self.clock
        if turn is None or clock is None or message.id != turn.id or message.strikes_left >= self.strikes_left:
            return []
        self.strikes_left = message.strikes_left
        if self.answered is None or self.given_up is not None:
            return []  # the network has doubled a move that was rejected before: the strike counts, we think already
        event = MoveRejected(message.match, message)
        if message.strikes_left == 0:
            return [event]
        if self.strict:  # a lenient referee ignores it, and awaits another move
            self.send(messages.Error(messages.ILLEGAL_MOVE, message.reason, id=message.id, match=message.match))
        self.answered = None
        seat, clocks = self.game.seat, message.clocks_ms
        remaining = clocks[seat] if seat < len(clocks) else clock.remaining_ms
        limit = None if clock.limit_ms is None else max(0, round((clock.deadline - now) * 1000))  # the time runs on
        self.clock = replace(clock, remaining_ms=remaining, limit_ms=limit, _cancelled=Flag())
        return [event, Think(message.match, turn, self.clock)]

    def _played(self, message: messages.Played) -> list[Event]:
        if message.ply <= self.plies:
            return []
        self.plies = message.ply
        return [MovePlayed(message.match, message)]

    def _clock(self, turn: messages.Turn, now: float) -> Clock:
        clocks, seat = turn.clocks_ms, self.game.seat
        remaining = clocks[seat] if seat < len(clocks) else None
        others = tuple(clocks[seat + 1 :] + clocks[:seat])
        deadline = inf if turn.limit_ms is None else now + turn.limit_ms / 1000
        moves_to_go = None if turn.moves_to_go is UNSET else turn.moves_to_go
        time = self.game.time
        byoyomi = None if time.byoyomi is UNSET else time.byoyomi
        return Clock(remaining, time.increment_ms, turn.limit_ms, others, deadline, moves_to_go, byoyomi)


REMEMBERED = 256  # finished matches whose late messages are recognised
_USUAL = frozenset({messages.Turn, messages.Played})  # nearly all messages
HELLO_AGAIN = frozenset({"hello-first", "no-session", "unknown-session"})  # errors after which a new hello helps


class Session:
    """The protocol of one bot.

    Call `connect` for each new connection, feed `receive`, send the result of `outgoing`.
    """

    def __init__(
        self,
        name: str,
        games: Sequence[str],
        *,
        token: str | None = None,
        slots: int = 1,
        without: Sequence[Omission] = (),
        about: str = "",
        build: str = "",
        strict: bool = False,
    ) -> None:
        """Prepare a session; `without`: messages that the bot does not use. `about` and `build`: see `Hello`.

        `strict`: a move that the referee rejects loses at once, as other programs referee engines.
        """
        self.name = name
        self.session: str | None = None
        self._games = list(games)
        self._token = token
        self._slots = slots
        self._without = list(without)
        self._about, self._build, self._strict = about, build, strict
        self._welcomes = 0
        self.welcomed = False  # whether the server has accepted us on this connection
        self._matches: dict[str, MatchSession] = {}
        self._finished: deque[str] = deque(maxlen=REMEMBERED)
        self._outgoing: list[BotMessage] = []

    # --- the connection ----------------------------------------------------------------------------------------------

    def connect(self) -> None:
        """Begin on a new connection: say hello, and ask for the old session if there was one."""
        self.welcomed = False
        hello = messages.Hello(
            self.name,
            self._games,
            token=UNSET if self._token is None else self._token,
            resume=UNSET if self.session is None else self.session,
            slots=UNSET if self._slots == 1 else self._slots,
            without=self._without or UNSET,
            about=self._about or UNSET,
            build=self._build or UNSET,
        )
        self._outgoing = [hello]  # no other message may come before it, and the server asks again for what it needs

    def disconnect(self) -> None:
        """Mark the connection as lost. The bot thinks on; its answers are sent when the server asks again."""
        self.welcomed = False
        self._outgoing = []

    def outgoing(self) -> list[BotMessage]:
        """Return the messages to send now, each of them once."""
        outgoing, self._outgoing = self._outgoing, []
        return outgoing

    def _send(self, message: BotMessage) -> None:
        if self.welcomed:
            self._outgoing.append(message)

    # --- what the bot does -------------------------------------------------------------------------------------------

    def ready(self, match: str) -> None:
        if playing := self._matches.get(match):
            playing.is_ready()

    def answer(self, match: str, id_: int, move: object, info: Info | UnsetType = UNSET) -> bool:
        """Send `move`, in wire form, for the turn `id_`; return False if that turn is no longer open."""
        playing = self._matches.get(match)
        return playing is not None and playing.answer(id_, move, info)

    def crashed(self, match: str, text: str) -> None:
        """Resign `match` because the bot failed; the end of `text`, a traceback, goes into the record."""
        if playing := self._matches.get(match):
            playing.give_up(messages.Error("crashed", text[-messages.MAX_TRACEBACK :], match=match))

    def resign(self, match: str, reason: str = "") -> None:
        """Resign `match` on purpose; `reason`, a sentence, goes into the record."""
        if playing := self._matches.get(match):
            playing.give_up(messages.Resign(match, reason[: messages.MAX_TRACEBACK] or UNSET))

    def unreadable(self, error: WireError) -> None:
        """Report bytes that are not a message to the server, and continue."""
        self._send(messages.Error(error.code, str(error)))

    # --- what the server sends ---------------------------------------------------------------------------------------

    def receive(self, message: ServerMessage, now: float) -> list[Event]:
        """Handle a message that arrived at `now` (monotonic seconds); return the events for the bot."""
        if type(message) in _USUAL:
            return self._in_match(cast("MatchMessage", message), now)
        match message:
            case messages.Welcome():
                return self._welcome(message)
            case messages.Refused(code, reason, retry_ms):
                return [Refused(code, reason, None if retry_ms is UNSET else retry_ms / 1000)]
            case messages.GameMessage():
                return self._game(message)
            case messages.Error():
                return self._error(message)
            case messages.ServerStopping(reason, back_in_ms):
                return [ServerStops(reason, None if back_in_ms is UNSET else back_in_ms / 1000)]
            case messages.DrawOffered():
                return []  # a bot plays on
            case _:
                return self._in_match(message, now)

    def _welcome(self, message: messages.Welcome) -> list[Event]:
        resumed = self.session == message.session
        self.session = message.session
        if self.welcomed:  # an answer to a hello that was sent twice
            return []
        self.welcomed = True
        self._welcomes += 1
        notice = "" if message.notice is UNSET else message.notice
        return [Welcomed(message.session, message.server, resumed, notice)]

    def _game(self, message: messages.GameMessage) -> list[Event]:
        if message.match in self._finished:
            return []
        if message.game not in self._games:
            reason = f"{self.name} does not play {message.game!r}; its hello offered {', '.join(self._games)}"
            self._send(messages.Error("unknown-game", reason, match=message.match))
            return []
        if playing := self._matches.get(message.match):
            playing.introduced_again(self._welcomes)
            return []
        events = self._lost_matches()
        self._matches[message.match] = MatchSession(message, self._welcomes, self._send, self._strict)
        return [*events, GameBegins(message.match, message)]

    def _lost_matches(self) -> list[Event]:
        """Return the end of lost matches: a new match uses a slot, so those not introduced again have ended."""
        if len(self._matches) < self._slots:
            return []
        lost = [match for match, playing in self._matches.items() if playing.announced < self._welcomes]
        return [event for match in lost for event in self._abandon(match, "it ended while the connection was lost")]

    def _abandon(self, match: str, reason: str) -> list[Event]:
        playing = self._matches.pop(match, None)
        if playing is None:
            return []
        playing.cancel_thought()
        return [Abandoned(match, reason)]

    def _error(self, message: messages.Error) -> list[Event]:
        if message.code == "unknown-match" and isinstance(message.match, str):
            return self._abandon(message.match, message.reason)
        if message.code in HELLO_AGAIN:
            return [HelloWanted(message.reason)]
        return [Complaint(message)]

    def _in_match(self, message: MatchMessage, now: float) -> list[Event]:
        if playing := self._matches.get(message.match):
            events = playing.receive(message, now)
            if events and type(events[-1]) is MatchOver:
                del self._matches[message.match]
                self._finished.append(message.match)
            return events
        if isinstance(message, messages.Over) and message.match not in self._finished:
            self._finished.append(message.match)  # it has overtaken its `game`, which will come too late
        if isinstance(message, messages.Turn) and message.match not in self._finished:
            reason = f"turn {message.id} belongs to a match that no game message has introduced"
            self._send(messages.Error("unknown-match", reason, id=message.id, match=message.match))
            return [HelloWanted(reason)]
        return []
