"""Between the referee and the seats of one match: what it hears, and how it speaks to them."""

from collections.abc import Callable, Collection
from typing import Protocol

import msgspec

from palio_rules.contract.messages import BotMessage, Omission, ServerMessage, Termination
from palio_rules.errors import WireError


class Said(msgspec.Struct, frozen=True):
    """A message from the bot in `seat`; `at` is when it arrived, in the event loop's monotonic seconds."""

    seat: int
    message: BotMessage
    at: float


class Garbled(msgspec.Struct, frozen=True):
    """Bytes from the bot in `seat` that are no message of the protocol (only where no gateway has answered them)."""

    seat: int
    error: WireError
    at: float


class Left(msgspec.Struct, frozen=True):
    """The bot in `seat` has lost its connection."""

    seat: int
    at: float


class Joined(msgspec.Struct, frozen=True):
    """The bot in `seat` has a connection again, perhaps in a new process that knows nothing of the match."""

    seat: int
    at: float


class Expelled(msgspec.Struct, frozen=True):
    """Somebody else ends the play of the bot in `seat`, which forfeits: its token is revoked, a limit used up."""

    seat: int
    termination: Termination
    reason: str  # a code, as in a result
    detail: str
    at: float


class Stopped(msgspec.Struct, frozen=True):
    """The operator ends the match: it is adjudicated a draw for `reason`."""

    reason: str


Incoming = Said | Garbled | Left | Joined | Expelled | Stopped


Post = Callable[[int, ServerMessage], None]  # to a seat; never waits, what cannot be delivered is lost
Without = Callable[[int], Collection[Omission]]  # what the bot that is in a seat now need not be sent


class Channel(Protocol):
    """How the referee reaches the seats of one match, and hears them."""

    def post(self, seat: int, message: ServerMessage) -> None:
        """Send a message to `seat`. Never waits; what cannot be delivered is lost, as on any network."""

    def without(self, seat: int) -> Collection[Omission]:
        """What the bot that is in `seat` now has no use for, and need not be sent."""

    def time(self) -> float:
        """The event loop's monotonic seconds, as finely as they can be had."""

    async def next(self, deadline: float | None) -> Incoming | None:
        """The next thing heard, in order of arrival; None once the loop's time reaches `deadline`."""
