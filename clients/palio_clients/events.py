"""What a session tells the program that runs it. Frozen, and matched by class."""

from dataclasses import dataclass

from palio_clients.clock import Clock
from palio_rules import messages


@dataclass(frozen=True, slots=True)
class Welcomed:
    """The server has accepted us; `resumed` when it still knows our session."""

    session: str
    server: str
    resumed: bool


@dataclass(frozen=True, slots=True)
class Refused:
    """The server wants nothing of us, and says why. Coming again will not help."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class GameBegins:
    """A new match: prepare for it, then call `Session.ready`."""

    match: str
    game: messages.GameMessage


@dataclass(frozen=True, slots=True)
class Think:
    """Find a move and call `Session.answer`. Whatever this match was thinking about before is of no interest now."""

    match: str
    turn: messages.Turn
    clock: Clock


@dataclass(frozen=True, slots=True)
class MovePlayed:
    """A seat has played, perhaps our own."""

    match: str
    played: messages.Played


@dataclass(frozen=True, slots=True)
class MoveRejected:
    """Our last answer was refused. Unless it was the last strike, a `Think` for the same turn follows."""

    match: str
    rejected: messages.Rejected


@dataclass(frozen=True, slots=True)
class SeatAway:
    """Another seat has lost its connection, or has it back."""

    match: str
    message: messages.Absent | messages.Back


@dataclass(frozen=True, slots=True)
class MatchOver:
    match: str
    result: messages.Result


@dataclass(frozen=True, slots=True)
class Abandoned:
    """The server knows this match no more, and we missed how it ended."""

    match: str
    reason: str


@dataclass(frozen=True, slots=True)
class Complaint:
    """The server found a fault in what we sent; the conversation goes on."""

    error: messages.Error


@dataclass(frozen=True, slots=True)
class Mystery:
    """The server speaks of a match that was never introduced, or wants a hello: say hello again."""

    reason: str


Event = (
    Welcomed
    | Refused
    | GameBegins
    | Think
    | MovePlayed
    | MoveRejected
    | SeatAway
    | MatchOver
    | Abandoned
    | Complaint
    | Mystery
)
