"""A bot whose moves come by calls: the lobby's link to it, and what it has heard of each of its matches.

Nothing here knows of the protocol by which the calls come. A call that waits does so in `changed`.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from msgspec import UNSET

from palio_rules.contract import topics
from palio_rules.contract.codec import decode_from_server, encode
from palio_rules.contract.messages import (
    Absent,
    Back,
    BotMessage,
    Error,
    GameMessage,
    Move,
    Over,
    Played,
    Ready,
    Refused,
    Rejected,
    Resign,
    Result,
    ServerStopping,
    Turn,
)
from palio_rules.errors import BadOption
from palio_rules.game import Game
from palio_rules.registry import game as rules_of
from palio_server.bus import Bus, Envelope

REMEMBERED = 16  # matches that are over, of which it can still be told how they ended


@dataclass(eq=False, slots=True)
class Seat:
    """One match of the player."""

    game: GameMessage
    strikes_left: int
    ready: bool = False
    turn: Turn | None = None  # the newest one
    since: float = 0.0  # loop time at which it came
    sent: Move | None = None  # our answer to it, unless that was rejected
    refused: Rejected | None = None  # what became of the last answer
    played: list[Played] = field(default_factory=list)  # as heard, perhaps not from the beginning
    absent: dict[int, int] = field(default_factory=dict)  # seats whose bots are away, and milliseconds of grace
    outcome: Result | None = None
    told: bool = False  # its end has been reported

    @property
    def match(self) -> str:
        return self.game.match

    @property
    def rules(self) -> Game[Any, Any]:
        return rules_of(self.game.game)

    @property
    def to_move(self) -> Turn | None:
        """The turn that waits for an answer."""
        return self.turn if self.sent is None and self.outcome is None else None


class Player:
    """One player, for as long as it is in the lobby or may come back."""

    def __init__(self, name: str, bus: Bus) -> None:
        self.name = name
        self.ended = ""  # why it has left the lobby, in a sentence
        self.stopping = ""  # what the server says before it ends
        self._bus = bus
        self._seats: OrderedDict[str, Seat] = OrderedDict()
        self._attending = 0  # calls that wait for a turn now
        self._waiters: set[asyncio.Future[None]] = set()
        self.on_end: Callable[[], None] = lambda: None

    # --- what it plays ------------------------------------------------------------------------------------------------

    @property
    def seats(self) -> list[Seat]:
        """Its matches, the oldest first, those that are over included."""
        return list(self._seats.values())

    def seat(self, match: str) -> Seat | None:
        return self._seats.get(match)

    @property
    def going_on(self) -> list[Seat]:
        return [seat for seat in self._seats.values() if seat.outcome is None]

    def attend(self) -> None:
        """Let the clocks of its matches run: a client looks at them from now on."""
        self._attending += 1
        for seat in self.going_on:
            self._be_ready(seat)

    def look_away(self) -> None:
        self._attending -= 1

    async def changed(self) -> None:
        """Return at the next event of any match, or when the player is in the lobby no more."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.add(waiter)
        try:
            await waiter
        finally:
            self._waiters.discard(waiter)

    # --- what it does -------------------------------------------------------------------------------------------------

    def answer(self, seat: Seat, move: Any) -> None:
        """Answer the open turn with a move in its wire form."""
        assert seat.turn is not None
        seat.refused = None
        seat.sent = Move(seat.match, seat.turn.id, move)
        self._say(seat.sent)

    def resign(self, seat: Seat) -> None:
        self._say(Resign(seat.match))

    def _be_ready(self, seat: Seat) -> None:
        if not seat.ready:
            seat.ready = True
            self._say(Ready(seat.match))

    def _say(self, message: BotMessage) -> None:
        match = getattr(message, "match", UNSET)
        self._bus.publish(topics.bot_out(self.name, str(match)), encode(message), message)

    # --- what it hears: the lobby's Link ------------------------------------------------------------------------------

    def post(self, _topic: str, envelope: Envelope) -> None:
        message = envelope.message or envelope.read(decode_from_server)
        match message:
            case GameMessage():
                self._begin(message)
            case ServerStopping():
                self.stopping = message.reason
                asyncio.get_running_loop().call_soon(self.on_end)  # later: the caller does not wait for that
            case Refused():
                self.ended = message.reason
            case Turn() | Rejected() | Played() | Absent() | Back() | Over() if message.match in self._seats:
                _hear(self._seats[message.match], message, self._say)
            case Error(reason=reason, match=str(match)) if match in self._seats:
                self._lose_turn(self._seats[match], reason)
        self._wake()

    def close(self, _code: int, reason: str) -> None:
        self.ended = self.ended or self.stopping or reason
        self.on_end()
        self._wake()

    def came_back(self) -> None:
        """It is in the lobby again."""
        self.ended = self.stopping = ""

    def _begin(self, message: GameMessage) -> None:
        known = self._seats.get(message.match)
        if known is not None:  # taken up again: after an absence, or because the server was started again
            known.ready = False
        else:
            known = self._seats[message.match] = Seat(message, message.strikes)
            over = [seat for seat in self._seats.values() if seat.outcome is not None]
            for seat in over[: max(0, len(over) - REMEMBERED)]:
                del self._seats[seat.match]
        if self._attending:
            self._be_ready(known)

    def _lose_turn(self, seat: Seat, reason: str) -> None:
        """The server could not do anything with our answer: its turn is over, or will come again."""
        if seat.sent is not None:
            seat.refused = Rejected(seat.match, seat.sent.id, "error", reason, seat.strikes_left, [])

    def _wake(self) -> None:
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)


def _hear(
    seat: Seat, message: Turn | Rejected | Played | Absent | Back | Over, say: Callable[[BotMessage], None]
) -> None:
    match message:
        case Turn() if seat.turn is not None and message.id <= seat.turn.id:
            if message.id == seat.turn.id and seat.sent is not None:
                say(seat.sent)  # it was lost on its way
        case Turn():
            seat.turn, seat.sent, seat.refused = message, None, None
            seat.since = asyncio.get_running_loop().time()
        case Rejected() if seat.turn is not None and message.id == seat.turn.id:
            seat.sent, seat.refused, seat.strikes_left = None, message, message.strikes_left
        case Played():
            seat.played.append(message)
        case Absent():
            seat.absent[message.seat] = message.grace_ms
        case Back():
            seat.absent.pop(message.seat, None)
        case Over():
            seat.outcome = message.outcome


# Long polls: a call that waits for something to happen to its player, and ends in time in any case.

T = TypeVar("T")


async def until(player: Player, ready: Callable[[], T | None], seconds: float) -> T | None:
    """Return the finding of `ready` as soon as there is one; None if there is none within `seconds`.

    Raises BadOption when the player is in the lobby no more, or the server stops.
    """
    try:
        async with asyncio.timeout(seconds):
            while (found := ready()) is None:
                if player.ended or player.stopping:
                    raise BadOption(_gone(player))
                await player.changed()
            return found
    except TimeoutError:
        return None


async def news(player: Player, match: str | None, seconds: float) -> Seat | None:
    """The match, of all or just that one, in which it is the player's turn, or that has ended and was not told of.

    None if nothing happens within `seconds`. Meanwhile matches that begin are taken up: their clocks run.
    """
    player.attend()
    try:
        return await until(player, lambda: _news(player, match), seconds)
    finally:
        player.look_away()


def _news(player: Player, match: str | None) -> Seat | None:
    seats = [seat for seat in player.seats if match in (None, seat.match)]
    ended = next((seat for seat in seats if seat.outcome is not None and not seat.told), None)
    waiting = [seat for seat in seats if seat.to_move is not None]
    return ended or min(waiting, key=lambda seat: seat.since, default=None)


def _gone(player: Player) -> str:
    why = player.ended or player.stopping
    return f"{player.name} is not in the lobby any more: {why}; call any tool again to come back, or join"
