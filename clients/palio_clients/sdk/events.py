"""What happens to a bot, for the program that runs it. Frozen, and matched by class.

`Event` is what the session makes of the server's messages; each class carries the message, or its parts, and a match
its id. `Notice` is all that the person who runs the bot may want to read: the events, the state of the connection, and
failures of the bot.
"""

from dataclasses import dataclass

from palio_clients.sdk.clock import Clock
from palio_rules.contract import messages


@dataclass(frozen=True, slots=True)
class Welcomed:
    """The server has accepted us; `resumed` when it still knows our session."""

    session: str
    server: str
    resumed: bool


@dataclass(frozen=True, slots=True)
class Refused:
    """The server has refused our hello. Another hello will not help."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class GameBegins:
    """A new match: prepare for it, then call `Session.ready`."""

    match: str
    game: messages.GameMessage


@dataclass(frozen=True, slots=True)
class Think:
    """Find a move and call `Session.answer`. An earlier `Think` of this match is void."""

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
    """The referee has rejected our last answer. Unless it was the last strike, a `Think` for the same turn follows."""

    match: str
    rejected: messages.Rejected


@dataclass(frozen=True, slots=True)
class SeatAbsent:
    """Another seat has lost its connection."""

    match: str
    absent: messages.Absent


@dataclass(frozen=True, slots=True)
class SeatBack:
    """Another seat has its connection back."""

    match: str
    back: messages.Back


@dataclass(frozen=True, slots=True)
class MatchOver:
    """The match has ended."""

    match: str
    result: messages.Result


@dataclass(frozen=True, slots=True)
class Abandoned:
    """The server does not know this match any more, and we have missed how it ended."""

    match: str
    reason: str


@dataclass(frozen=True, slots=True)
class Complaint:
    """The server found a fault in what we sent; the conversation goes on."""

    error: messages.Error


@dataclass(frozen=True, slots=True)
class HelloWanted:
    """The server speaks of a match that it has not introduced, or asks for a hello: say hello again."""

    reason: str


Event = (
    Welcomed
    | Refused
    | GameBegins
    | Think
    | MovePlayed
    | MoveRejected
    | SeatAbsent
    | SeatBack
    | MatchOver
    | Abandoned
    | Complaint
    | HelloWanted
)


@dataclass(frozen=True, slots=True)
class Connected:
    """The server at `url` has welcomed us."""

    url: str


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The connection is gone or could not be made; the next attempt comes after `retry_s` seconds."""

    reason: str
    retry_s: float


@dataclass(frozen=True, slots=True)
class Crashed:
    """The bot failed, and its match was given up; `text` is a traceback or a sentence."""

    match: str
    text: str


@dataclass(frozen=True, slots=True)
class Fault:
    """Something is wrong, but the match goes on."""

    text: str
    match: str | None = None


Notice = Connected | Disconnected | Crashed | Fault | Event
