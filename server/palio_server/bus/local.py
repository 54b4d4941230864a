"""The bus within one process: a dictionary of topics, and a list of filters with wildcards (MQTT 5, section 4.7)."""

import logging
import re
from functools import lru_cache
from typing import Any

from palio_server.bus import Envelope, Sink
from palio_server.bus.arrival import Arrivals

log = logging.getLogger(__name__)

COMPLAINT = "a subscriber of %s failed on %s"


class BadFilter(ValueError):
    """A text that is not a topic filter; the message says why."""


def is_wild(topic_filter: str) -> bool:
    """Return True if the filter can match more than the one topic that it spells."""
    return "+" in topic_filter or "#" in topic_filter


def beginning(topic_filter: str) -> str:
    """Return the common beginning of all topics that the filter matches."""
    return re.split("[+#]", topic_filter)[0].removesuffix("/")  # `a/#` matches `a` itself


@lru_cache(maxsize=1024)
def pattern(topic_filter: str) -> re.Pattern[str]:
    """Return the filter as a regular expression for `fullmatch`. Raises BadFilter."""
    levels = topic_filter.split("/")
    if not topic_filter:
        raise BadFilter("a topic filter has at least one character")
    for place, level in enumerate(levels):
        if ("+" in level and level != "+") or ("#" in level and level != "#"):
            raise BadFilter(f"a wildcard fills a whole level, not a part as in {level!r} of {topic_filter!r}")
        if level == "#" and place != len(levels) - 1:
            raise BadFilter(f"# stands at the end of a filter only, not within {topic_filter!r}")
    parts = ["[^/]*" if level == "+" else re.escape(level) for level in levels if level != "#"]
    text = "/".join(parts)
    if levels[-1] == "#":
        text += "(?:/.*)?" if parts else ".*"  # `a/#` matches `a` itself
    # a broker's own topics ($SYS/...) match only filters that name them
    guard = r"(?!\$)" if levels[0] in ("+", "#") else ""
    return re.compile(guard + text, re.DOTALL)


def check_topic(topic: str) -> None:
    """Raise BadFilter if the topic cannot be published to."""
    if not topic or is_wild(topic):
        raise BadFilter(f"{topic!r} is no topic: it is empty or has a wildcard")


class LocalSubscription:
    """One filter and its sink; closing it is safe at any time, even during a delivery."""

    def __init__(self, bus: "LocalBus", topic_filter: str, sink: Sink) -> None:
        self.topic_filter = topic_filter
        self.sink = sink
        self.open = True
        self._bus = bus

    def close(self) -> None:
        if self.open:
            self.open = False
            self._bus.forget(self)


class NoSubscription:
    """A subscription that needs no closing."""

    def close(self) -> None: ...


class LocalBus:
    """A bus that publishes by calling the sinks, one after the other, before `publish` returns.

    A sink that raises is logged and affects no other sink. Tuples of subscriptions are replaced, never changed, so that
    a delivery is not disturbed while sinks subscribe and unsubscribe.
    """

    def __init__(self) -> None:
        self.arrivals = Arrivals()
        self.published = 0
        self._exact: dict[str, tuple[LocalSubscription, ...]] = {}
        self._wild: tuple[tuple[str, re.Pattern[str], LocalSubscription], ...] = ()  # with the common beginning first
        self._retained: dict[str, Envelope] = {}

    @property
    def connected(self) -> bool:
        return True

    @property
    def waiting(self) -> int:
        return 0

    @property
    def lost(self) -> int:
        return 0

    def publish(self, topic: str, data: bytes, message: Any = None, *, retain: bool = False, at: float = 0.0) -> bool:
        """Deliver the message; return True if a sink took it."""
        self.published += 1
        envelope = Envelope(data, message, at)
        if retain:
            self._retain(topic, envelope)
        taken = False
        for subscription in self._exact.get(topic, ()):
            if subscription.open:
                taken = True
                try:  # inline instead of in a function of its own: every message of every match comes this way
                    subscription.sink(topic, envelope)
                except Exception:
                    log.exception(COMPLAINT, subscription.topic_filter, topic)
        for head, expression, subscription in self._wild:
            if topic.startswith(head) and subscription.open and expression.fullmatch(topic):
                taken = True
                _call(subscription, topic, envelope)
        return taken

    def subscribe(self, topic_filter: str, sink: Sink) -> LocalSubscription:
        subscription = LocalSubscription(self, topic_filter, sink)
        if is_wild(topic_filter):
            expression = pattern(topic_filter)
            self._wild = (*self._wild, (beginning(topic_filter), expression, subscription))
            kept = [item for item in self._retained.items() if expression.fullmatch(item[0])]
        else:
            check_topic(topic_filter)
            self._exact[topic_filter] = (*self._exact.get(topic_filter, ()), subscription)
            kept = [(topic_filter, self._retained[topic_filter])] if topic_filter in self._retained else []
        for topic, envelope in kept:
            if subscription.open:
                _call(subscription, topic, envelope)
        return subscription

    def listen(self, topic_filter: str) -> NoSubscription:
        pattern(topic_filter)
        return NoSubscription()

    def wanted(self, topic: str) -> bool:
        if topic in self._exact:
            return True
        return any(topic.startswith(head) and expression.fullmatch(topic) for head, expression, _ in self._wild)

    def forget(self, subscription: LocalSubscription) -> None:
        """Remove a closed subscription; `LocalSubscription.close` calls this."""
        topic_filter = subscription.topic_filter
        if is_wild(topic_filter):
            self._wild = tuple(entry for entry in self._wild if entry[2] is not subscription)
        elif left := tuple(other for other in self._exact[topic_filter] if other is not subscription):
            self._exact[topic_filter] = left
        else:
            del self._exact[topic_filter]

    def _retain(self, topic: str, envelope: Envelope) -> None:
        check_topic(topic)
        if envelope.data:
            self._retained[topic] = envelope
        else:
            self._retained.pop(topic, None)


def _call(subscription: LocalSubscription, topic: str, envelope: Envelope) -> None:
    try:
        subscription.sink(topic, envelope)
    except Exception:  # an error in one sink must not keep the next from the message
        log.exception(COMPLAINT, subscription.topic_filter, topic)
