"""How things travel, in this process or through a broker: topics, and messages in envelopes."""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import msgspec

from palio_server.bus.arrival import Arrivals

T = TypeVar("T")


class Envelope(msgspec.Struct, frozen=True, gc=False):
    """A message on its way: its bytes, and what they mean if the sender is in this process and has given it.

    `at` is when it reached this machine, in the event loop's monotonic seconds; 0: it was made here, just now.
    """

    data: bytes
    message: Any = None
    at: float = 0.0

    def read(self, decode: Callable[[bytes], T]) -> T:
        """The message; `decode` is called if it came as bytes only. Raises what `decode` raises."""
        message: T = decode(self.data) if self.message is None else self.message
        return message


Sink = Callable[[str, Envelope], None]  # called with (topic, envelope), in the loop's thread; must not wait


class Subscription(Protocol):
    """One filter and its sink."""

    def close(self) -> None:
        """No more calls of the sink; closing twice is harmless."""


class Bus(Protocol):
    """Publish and subscribe with MQTT's topics and filters (`+` one level, `#` the rest). Nothing here ever waits."""

    arrivals: Arrivals  # of what comes from outside

    @property
    def published(self) -> int:
        """How many messages have been published in this process, those from the broker included."""

    @property
    def connected(self) -> bool:
        """Whether the broker is there, or none is needed."""

    @property
    def waiting(self) -> int:
        """Messages that are still to be sent to the broker."""

    @property
    def lost(self) -> int:
        """Messages for the broker that there was no room for while it was away."""

    def publish(
        self, topic: str, data: bytes, message: Any = None, *, retain: bool = False, at: float = 0.0
    ) -> bool | None:
        """Send `data` to every matching subscriber; with `retain`, to later ones too (an empty one clears).

        `message` is what `data` decodes to, for those in this process who would have to find out; `at` as in Envelope.
        Returns whether anybody took it; None where only a broker knows.
        """

    def subscribe(self, topic_filter: str, sink: Sink) -> Subscription:
        """Call `sink` for each message from now on, and at once for the retained ones that match."""

    def listen(self, topic_filter: str) -> Subscription:
        """Let what matches come from the broker, to be told to subscribers; harmless where it comes anyway."""

    def wanted(self, topic: str) -> bool:
        """False only where it is certain that a message on `topic` would reach nobody, and so need not be made."""
