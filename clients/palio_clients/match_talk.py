"""One match as far as the conversation goes: which turn is open, what was answered, what was heard before."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from threading import Event as Flag

from msgspec import UnsetType

from palio_clients.clock import Clock
from palio_clients.events import Event, MatchOver, MovePlayed, MoveRejected, SeatAway, Think
from palio_rules import messages
from palio_rules.messages import BotMessage, GameMessage, Info

MatchMessage = (
    messages.Turn | messages.Rejected | messages.Played | messages.Absent | messages.Back | messages.Over
)  # what the server says within a match, after `game`


@dataclass(slots=True, eq=False)
class MatchTalk:
    """The state of one match's conversation; `say` takes the messages that go out."""

    game: GameMessage
    announced: int  # how many times we had been welcomed when `game` last came
    say: Callable[[BotMessage], None]
    strikes_left: int = 0
    ready: bool = False
    turn: messages.Turn | None = None
    clock: Clock | None = None
    word: messages.Move | None = None  # our answer to `turn`
    last_word: messages.Error | messages.Resign | None = None  # we have given the match up
    plies: int = -1  # the highest ply heard of

    def __post_init__(self) -> None:
        self.strikes_left = self.game.strikes

    # --- what the bot says -------------------------------------------------------------------------------------------

    def is_ready(self) -> None:
        self.ready = True
        self.say(messages.Ready(self.game.match))

    def answer(self, id_: int, move: object, info: Info | UnsetType) -> bool:
        """Answer the open turn; False if `id_` is not open."""
        if self.turn is None or self.turn.id != id_ or self.word is not None or self.last_word is not None:
            return False
        self.word = messages.Move(self.game.match, id_, move, info)
        self.say(self.word)
        return True

    def give_up(self, word: messages.Error | messages.Resign) -> None:
        """Nothing is answered after `word`, but whoever asks hears it again."""
        if self.last_word is None:
            self.last_word = word
            self.forget_thought()
            self.say(word)

    def forget_thought(self) -> None:
        """Nobody is interested any more in what the bot is thinking about."""
        if self.clock:
            self.clock.cancel()

    # --- what the server says ----------------------------------------------------------------------------------------

    def receive(self, message: MatchMessage, now: float) -> list[Event]:
        match message:
            case messages.Turn():
                return self._turn(message, now)
            case messages.Rejected():
                return self._rejected(message, now)
            case messages.Played():
                return self._played(message)
            case messages.Absent() | messages.Back():
                return [SeatAway(message.match, message)]
            case messages.Over(match, outcome):
                self.forget_thought()
                return [MatchOver(match, outcome)]

    def introduced_again(self, welcomes: int) -> None:
        """The `game` message has come once more: after a lost connection, or because the network doubled it."""
        self.announced = welcomes
        if self.ready:
            self.say(messages.Ready(self.game.match))

    def _turn(self, turn: messages.Turn, now: float) -> list[Event]:
        if self.last_word is not None:
            self.say(self.last_word)
            return []
        if self.turn is not None and turn.id <= self.turn.id:
            if turn.id == self.turn.id and self.word is not None:
                self.say(self.word)
            return []  # being thought about, or overtaken by a newer one
        self.forget_thought()
        self.turn, self.word = turn, None
        self.clock = self._clock(turn, now)
        return [Think(turn.match, turn, self.clock)]

    def _rejected(self, message: messages.Rejected, now: float) -> list[Event]:
        turn, clock = self.turn, self.clock
        if turn is None or clock is None or message.id != turn.id or message.strikes_left >= self.strikes_left:
            return []
        self.strikes_left = message.strikes_left
        if self.word is None or self.last_word is not None:
            return []  # the network has doubled a move that was refused before: the strike counts, we think already
        event = MoveRejected(message.match, message)
        if message.strikes_left == 0:
            return [event]
        self.word = None
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
