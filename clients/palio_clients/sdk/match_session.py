"""One match of a session, without any socket: which turn is open, what was answered, what has been received before."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

from msgspec import UnsetType

from palio_clients.sdk.clock import Clock, Flag
from palio_clients.sdk.events import Event, MatchOver, MovePlayed, MoveRejected, SeatAbsent, SeatBack, Think
from palio_rules.contract import messages
from palio_rules.contract.messages import BotMessage, GameMessage, Info

MatchMessage = (
    messages.Turn | messages.Rejected | messages.Played | messages.Absent | messages.Back | messages.Over
)  # what the server sends within a match, after `game`


@dataclass(slots=True, eq=False)
class MatchSession:
    """The state of one match's conversation; `send` takes the messages that go out."""

    game: GameMessage
    announced: int  # how many times we had been welcomed when `game` last came
    send: Callable[[BotMessage], None]
    strikes_left: int = 0
    ready: bool = False
    turn: messages.Turn | None = None
    clock: Clock | None = None
    answered: messages.Move | None = None  # our answer to `turn`
    given_up: messages.Error | messages.Resign | None = None  # the message by which we gave the match up
    plies: int = -1  # the highest ply received

    def __post_init__(self) -> None:
        self.strikes_left = self.game.strikes

    # --- what the bot does -------------------------------------------------------------------------------------------

    def is_ready(self) -> None:
        self.ready = True
        self.send(messages.Ready(self.game.match))

    def answer(self, id_: int, move: object, info: Info | UnsetType) -> bool:
        """Answer the open turn; False if `id_` is not open."""
        if self.turn is None or self.turn.id != id_ or self.answered is not None or self.given_up is not None:
            return False
        self.answered = messages.Move(self.game.match, id_, move, info)
        self.send(self.answered)
        return True

    def give_up(self, message: messages.Error | messages.Resign) -> None:
        """Send `message`, which gives the match up. Every later turn gets it again, and no other answer."""
        if self.given_up is None:
            self.given_up = message
            self.cancel_thought()
            self.send(message)

    def cancel_thought(self) -> None:
        """Tell the bot, by its clock, that nobody waits for its answer any more."""
        if self.clock:
            self.clock.cancel()

    # --- what the server sends ---------------------------------------------------------------------------------------

    def receive(self, message: MatchMessage, now: float) -> list[Event]:
        """Take in a message that arrived at `now` (monotonic seconds); what it means for the bot."""
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
        """The `game` message has come once more: after a lost connection, or because the network doubled it."""
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
        self.answered = None
        seat, clocks = self.game.seat, message.clocks_ms
        remaining = clocks[seat] if seat < len(clocks) else clock.remaining_ms
        limit = None if clock.limit_ms is None else max(0, round((clock.deadline - now) * 1000))  # it runs on
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
        return Clock(remaining, self.game.time.increment_ms, turn.limit_ms, others, deadline)
