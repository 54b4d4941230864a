"""The channel between the referee and the seats of one match: what it receives, and how it sends."""

from collections.abc import Callable, Collection
from typing import Protocol

import msgspec

from palio_rules.contract.messages import BotMessage, Omission, ServerMessage, Termination
from palio_rules.errors import WireError

UNREADABLE = "unreadable"  # the code of an `Error` by which a gateway tells of a bot's message that it could not read


class Said(msgspec.Struct, frozen=True):
    """A message from the bot in `seat`; `at` is when it arrived, in the event loop's monotonic seconds."""

    seat: int
    message: BotMessage
    at: float


class Garbled(msgspec.Struct, frozen=True):
    """Bytes from the bot in `seat` that are not a message of the protocol (only where no gateway has answered them)."""

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
    """The bot in `seat` must stop playing and forfeits: its token is revoked, or a limit is used up."""

    seat: int
    termination: Termination
    reason: str  # a code, as in a result
    detail: str
    at: float


class Stopped(msgspec.Struct, frozen=True):
    """The operator ends the match: it is adjudicated a draw for `reason`."""

    reason: str


Incoming = Said | Garbled | Left | Joined | Expelled | Stopped


Post = Callable[[int, ServerMessage], None]  # sends to a seat; never waits, a message that cannot be delivered is lost
Without = Callable[[int], Collection[Omission]]  # the parts of messages that the bot now in a seat does not need


class Channel(Protocol):
    """The interface by which the referee reaches the seats of one match and receives what they send."""

    def post(self, seat: int, message: ServerMessage) -> None:
        """Send a message to `seat` without waiting; a message that cannot be delivered is lost, as on any network."""

    def without(self, seat: int) -> Collection[Omission]:
        """Return the parts of messages that the bot now in `seat` does not need."""

    def measured(self, seat: int) -> tuple[float, float] | None:
        """Return the seconds that the program in `seat` has run so far, and waited for a processor; None if it is not
        known. Only asked where the clock counts processor time.
        """

    def time(self) -> float:
        """Return the event loop's monotonic seconds, with the finest resolution available."""

    async def next(self, deadline: float | None) -> Incoming | None:
        """Return the next incoming item, in order of arrival; None once the loop's time reaches `deadline`."""
