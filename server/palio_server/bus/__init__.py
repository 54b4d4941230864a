"""The bus: topics, and messages in envelopes, delivered in this process or through a broker."""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import msgspec

from palio_server.bus.arrival import Arrivals

T = TypeVar("T")


class Envelope(msgspec.Struct, frozen=True, gc=False):
    """A message on its way: its bytes, and the decoded message if a sender in this process has given it.

    `at` is when it reached this machine, in the event loop's monotonic seconds; 0: it was made here, just now.
    """

    data: bytes
    message: Any = None
    at: float = 0.0

    def read(self, decode: Callable[[bytes], T]) -> T:
        """Return the message; `decode` is called if it came as bytes only. Raises what `decode` raises."""
        message: T = decode(self.data) if self.message is None else self.message
        return message


Sink = Callable[[str, Envelope], None]  # called with (topic, envelope), in the loop's thread; must not wait


class Subscription(Protocol):
    """One filter and its sink."""

    def close(self) -> None:
        """Stop the calls of the sink; does nothing if they have stopped."""


class Bus(Protocol):
    """Publish and subscribe with MQTT's topics and filters (`+` one level, `#` the rest). No method ever waits."""

    arrivals: Arrivals  # of messages from outside

    @property
    def published(self) -> int:
        """The number of messages published in this process, those from the broker included."""

    @property
    def connected(self) -> bool:
        """True if the broker is connected, or none is needed."""

    @property
    def waiting(self) -> int:
        """The number of messages that are still to be sent to the broker."""

    @property
    def lost(self) -> int:
        """The number of messages for the broker that were dropped for lack of room while it was away."""

    def publish(
        self, topic: str, data: bytes, message: Any = None, *, retain: bool = False, at: float = 0.0
    ) -> bool | None:
        """Send `data` to every matching subscriber; with `retain`, to later ones too (an empty one clears).

        `message` is what `data` decodes to, so that subscribers in this process need not decode it; `at` as in
        Envelope. Returns True if a subscriber took it; None if only a broker knows.
        """

    def subscribe(self, topic_filter: str, sink: Sink) -> Subscription:
        """Call `sink` for each message from now on, and at once for the retained ones that match."""

    def listen(self, topic_filter: str) -> Subscription:
        """Subscribe at the broker to messages that match, for delivery to subscribers; does nothing if the broker sends
        all.
        """

    def wanted(self, topic: str) -> bool:
        """Return False only if a message on `topic` would certainly reach no subscriber, and so need not be made."""
