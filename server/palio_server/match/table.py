"""Where a match is played: what the referee hears from its seats, and says to them."""

from typing import Protocol

import msgspec

from palio_rules.errors import WireError
from palio_rules.messages import BotMessage, ServerMessage


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


class Stopped(msgspec.Struct, frozen=True):
    """The operator ends the match: it is adjudicated a draw for `reason`."""

    reason: str


Incoming = Said | Garbled | Left | Joined | Stopped


class Seats(Protocol):
    """Those who are told something. `post` never waits; what cannot be delivered is lost, as on any network."""

    def post(self, seat: int, message: ServerMessage) -> None: ...


class Table(Seats, Protocol):
    """One match's seats, which are listened to as well."""

    async def next(self, deadline: float | None) -> Incoming | None:
        """The next thing heard, in order of arrival; None once the loop's time reaches `deadline`."""
