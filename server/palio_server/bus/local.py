"""The bus within one process: a dictionary of topics, and a list of filters with wildcards."""

import logging
import re

from palio_server.bus import Sink
from palio_server.bus.topics import beginning, check_topic, is_wild, pattern

log = logging.getLogger(__name__)

COMPLAINT = "a subscriber of %s failed on %s"


class LocalSubscription:
    """One filter and its sink; closing it is safe at any time, in the midst of a delivery too."""

    def __init__(self, bus: "LocalBus", topic_filter: str, sink: Sink) -> None:
        self.topic_filter = topic_filter
        self.sink = sink
        self.open = True
        self._bus = bus

    def close(self) -> None:
        if self.open:
            self.open = False
            self._bus.forget(self)


class LocalBus:
    """Publishes by calling the sinks, one after the other, before `publish` returns.

    A sink that raises is logged and hurts nobody else. Tuples of subscriptions are replaced, never changed, so that a
    delivery goes on undisturbed while sinks subscribe and unsubscribe.
    """

    def __init__(self) -> None:
        self._exact: dict[str, tuple[LocalSubscription, ...]] = {}
        self._wild: tuple[tuple[str, re.Pattern[str], LocalSubscription], ...] = ()  # first what it begins with
        self._retained: dict[str, bytes] = {}
        self._taken = False  # whether anybody took what was published last

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        if retain:
            self._retain(topic, payload)
        taken = False
        for subscription in self._exact.get(topic, ()):
            if subscription.open:
                taken = True
                try:  # here, and not in a function of its own: every message of every match comes this way
                    subscription.sink(topic, payload)
                except Exception:
                    log.exception(COMPLAINT, subscription.topic_filter, topic)
        for head, expression, subscription in self._wild:
            if topic.startswith(head) and subscription.open and expression.fullmatch(topic):
                taken = True
                _call(subscription, topic, payload)
        self._taken = taken

    def deliver(self, topic: str, payload: bytes, *, retain: bool = False) -> bool:
        """As `publish`; tells whether anybody took the message."""
        self.publish(topic, payload, retain=retain)
        return self._taken

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
        for topic, payload in kept:
            if subscription.open:
                _call(subscription, topic, payload)
        return subscription

    def wanted(self, topic: str) -> bool:
        return topic in self._exact or any(expression.fullmatch(topic) for _, expression, _ in self._wild)

    def forget(self, subscription: LocalSubscription) -> None:
        """Strike a closed subscription off; `LocalSubscription.close` calls this."""
        topic_filter = subscription.topic_filter
        if is_wild(topic_filter):
            self._wild = tuple(entry for entry in self._wild if entry[2] is not subscription)
        elif left := tuple(other for other in self._exact[topic_filter] if other is not subscription):
            self._exact[topic_filter] = left
        else:
            del self._exact[topic_filter]

    def _retain(self, topic: str, payload: bytes) -> None:
        check_topic(topic)
        if payload:
            self._retained[topic] = payload
        else:
            self._retained.pop(topic, None)


def _call(subscription: LocalSubscription, topic: str, payload: bytes) -> None:
    try:
        subscription.sink(topic, payload)
    except Exception:  # whatever one sink's fault is, the next one is served
        log.exception(COMPLAINT, subscription.topic_filter, topic)
