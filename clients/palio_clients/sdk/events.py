"""What happens to a bot, for the program that runs it. Frozen, and matched by class.

`Event` is what the session makes of the server's messages; each class carries the message, or its parts, and a match
its id. `Notice` is all that the person who runs the bot may want to read: the events, the state of the connection, and
failures of the bot.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from msgspec import Struct

from palio_clients.sdk.clock import Clock
from palio_rules.contract import messages


class Welcomed(Struct, frozen=True):
    """The server has accepted us; `resumed` when it still knows our session. `notice`: what our author should know."""

    session: str
    server: str
    resumed: bool
    notice: str = ""


class Refused(Struct, frozen=True):
    """The server has refused our hello. Another one will not help, or not before `retry_s` seconds have passed."""

    code: str
    reason: str
    retry_s: float | None = None


class GameBegins(Struct, frozen=True):
    """A new match: prepare for it, then call `Session.ready`."""

    match: str
    game: messages.GameMessage


class Think(Struct, frozen=True):
    """Find a move and call `Session.answer`. An earlier `Think` of this match is void."""

    match: str
    turn: messages.Turn
    clock: Clock


class MovePlayed(Struct, frozen=True):
    """A seat has played, perhaps our own."""

    match: str
    played: messages.Played


class MoveRejected(Struct, frozen=True):
    """The referee has rejected our last answer. Unless it was the last strike, a `Think` for the same turn follows."""

    match: str
    rejected: messages.Rejected


class SeatAbsent(Struct, frozen=True):
    """Another seat has lost its connection."""

    match: str
    absent: messages.Absent


class SeatBack(Struct, frozen=True):
    """Another seat has its connection back."""

    match: str
    back: messages.Back


class MatchOver(Struct, frozen=True):
    """The match has ended."""

    match: str
    result: messages.Result


class Abandoned(Struct, frozen=True):
    """The server does not know this match any more, and we have missed how it ended."""

    match: str
    reason: str


class ServerStops(Struct, frozen=True):
    """The server ends in a moment; in `back_s` seconds it may be back, if it knows."""

    reason: str
    back_s: float | None


class Complaint(Struct, frozen=True):
    """The server found a fault in what we sent; the conversation goes on."""

    error: messages.Error


class HelloWanted(Struct, frozen=True):
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
    | ServerStops
    | Complaint
    | HelloWanted
)


class Connected(Struct, frozen=True):
    """The server at `url` has welcomed us."""

    url: str


class Disconnected(Struct, frozen=True):
    """The connection is gone or could not be made; the next attempt comes after `retry_s` seconds."""

    reason: str
    retry_s: float


class Crashed(Struct, frozen=True):
    """The bot failed, and its match was given up; `text` is a traceback or a sentence."""

    match: str
    text: str


class Fault(Struct, frozen=True):
    """Something is wrong, but the match goes on."""

    text: str
    match: str | None = None


Notice = Connected | Disconnected | Crashed | Fault | Event


# The event loop in which a bot plays: uvloop where it is installed, else asyncio's own.

T = TypeVar("T")


def run_in_loop(work: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.run`. To wake up and go to sleep again is most of what a quick bot does, and uvloop does it best."""
    with asyncio.Runner(loop_factory=_factory()) as runner:
        return runner.run(work)


def _factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop  # noqa: PLC0415  # it need not be there, and on Windows it cannot be
    except ImportError:
        return None
    return uvloop.new_event_loop
