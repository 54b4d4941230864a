"""How things travel: topics and bytes, in this process or through a broker."""

from collections.abc import Callable
from typing import Protocol

Sink = Callable[[str, bytes], None]  # called with (topic, payload), in the loop's thread; must not wait


class Subscription(Protocol):
    """One filter and its sink."""

    def close(self) -> None:
        """No more calls of the sink; closing twice is harmless."""


class Bus(Protocol):
    """Publish and subscribe with MQTT's topics and filters (`+` one level, `#` the rest). Nothing here ever waits."""

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Send `payload` to every matching subscriber; with `retain`, to later ones too (an empty one clears)."""

    def subscribe(self, topic_filter: str, sink: Sink) -> Subscription:
        """Call `sink` for each message from now on, and at once for the retained ones that match."""

    def wanted(self, topic: str) -> bool:
        """False only where it is certain that a message on `topic` would reach nobody, and so need not be made."""
