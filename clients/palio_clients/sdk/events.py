"""The events of a bot, for the program that runs it. Frozen, and matched by class.

`Event` is made by the session from the server's messages; each class has the message, or its parts, and a match its id.
`Notice` has everything for the person who runs the bot: the events, the state of the connection, and failures of the
bot.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from msgspec import Struct

from palio_clients.sdk.clock import Clock
from palio_rules.contract import messages


class Welcomed(Struct, frozen=True):
    """The server accepted the bot; `resumed` if it still knows its session.

    `notice`: a message for the bot's author.
    """

    session: str
    server: str
    resumed: bool
    notice: str = ""


class Refused(Struct, frozen=True):
    """The server refused the hello. A retry does not help, or not before `retry_s` seconds have passed."""

    code: str
    reason: str
    retry_s: float | None = None


class GameBegins(Struct, frozen=True):
    """A new match: prepare for it, then call `Session.ready`."""

    match: str
    game: messages.GameMessage


class Think(Struct, frozen=True):
    """A turn: find a move and call `Session.answer`. An earlier `Think` of this match is void."""

    match: str
    turn: messages.Turn
    clock: Clock


class MovePlayed(Struct, frozen=True):
    """A move of a seat, maybe our own."""

    match: str
    played: messages.Played


class MoveRejected(Struct, frozen=True):
    """The rejection of our last answer. Unless it was the last strike, a `Think` for the same turn follows."""

    match: str
    rejected: messages.Rejected


class SeatAbsent(Struct, frozen=True):
    """Another seat lost its connection."""

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
    """The server no longer knows this match, and its end was missed."""

    match: str
    reason: str


class ServerStops(Struct, frozen=True):
    """The server shuts down in a moment; in `back_s` seconds it may be back, if known."""

    reason: str
    back_s: float | None


class Complaint(Struct, frozen=True):
    """The server's complaint about one of our messages; the connection continues."""

    error: messages.Error


class HelloWanted(Struct, frozen=True):
    """The server mentions a match that it has not introduced, or asks for a hello: say hello again."""

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
    """The server at `url` accepted the connection."""

    url: str


class Disconnected(Struct, frozen=True):
    """The connection is lost or failed; the next attempt comes after `retry_s` seconds."""

    reason: str
    retry_s: float


class Crashed(Struct, frozen=True):
    """The bot failed, and its match was resigned; `text` is a traceback or a sentence."""

    match: str
    text: str


class Fault(Struct, frozen=True):
    """An error after which the match continues."""

    text: str
    match: str | None = None


Notice = Connected | Disconnected | Crashed | Fault | Event


# The event loop in which a bot plays: uvloop if it is installed, else asyncio's own.

T = TypeVar("T")


def run_in_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run like `asyncio.run`. A quick bot mostly wakes up and sleeps again, which uvloop does fastest."""
    with asyncio.Runner(loop_factory=_factory()) as runner:
        return runner.run(work)


def _factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop  # noqa: PLC0415  # optional, and not for Windows
    except ImportError:
        return None
    return uvloop.new_event_loop
