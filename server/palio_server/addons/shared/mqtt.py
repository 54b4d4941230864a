"""The bus with a broker: subscribers in this process are called directly, all others get messages through MQTT 5.

A message is delivered here first, so that WebSocket bots and viewers do not notice a broker's outage; a message for one
bot goes to the broker only if no subscriber here has taken it.

A server that has the broker to itself receives everything. Of several servers, each receives only the filters of its
`listen` calls, because otherwise every server would read everything.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Self

from palio_rules.contract import topics
from palio_server.addons.shared.broker import Broker, BrokerConnection, Outbox
from palio_server.bus import Envelope, Sink
from palio_server.bus.local import LocalBus, LocalSubscription, NoSubscription, pattern

QUEUE = 5000  # messages kept while the broker is away; then the oldest are lost
GOODBYE_S = 3.0  # for the connection's task to end; publishing the goodbye may take a second
FLUSH_S = 1.0  # for the last messages, when the server ends


class MqttBus:
    """A bus for as long as the context lasts. It may begin before the broker is available, and
    reconnects without end.
    """

    def __init__(self, url: str, *, queue: int = QUEUE, shared: bool = False) -> None:
        """`shared`: with other servers. Raises BadOption if `url` is not the address of a broker."""
        # gets messages from the broker that no subscriber here takes
        self.on_unclaimed: Sink = lambda _topic, _envelope: None
        self._local, self.outbox = LocalBus(), Outbox(queue)
        self.arrivals, self._shared = self._local.arrivals, shared
        self.connection = BrokerConnection(Broker.parse(url), self.outbox, self._receive, shared=shared)
        self._listening: Counter[str] = Counter()
        self._task: asyncio.Task[None] | None = None

    @property
    def connected(self) -> bool:
        return self.connection.online.is_set()

    @property
    def published(self) -> int:
        return self._local.published

    @property
    def waiting(self) -> int:
        return self.outbox.waiting

    @property
    def lost(self) -> int:
        return self.outbox.lost

    def publish(self, topic: str, data: bytes, message: Any = None, *, retain: bool = False, at: float = 0.0) -> None:
        taken = self._local.publish(topic, data, message, retain=retain, at=at)
        if self._shared and topic == topics.STOPPING:
            return  # other subscriptions remain
        if retain or not (taken and topic.startswith(topics.BOTS)):
            self.outbox.put(topic, data, retain=retain)

    def subscribe(self, topic_filter: str, sink: Sink) -> LocalSubscription:
        return self._local.subscribe(topic_filter, sink)

    def listen(self, topic_filter: str) -> "Listening | NoSubscription":
        pattern(topic_filter)  # raises BadFilter
        if not self._shared:
            return NoSubscription()
        self._listening[topic_filter] += 1
        if self._listening[topic_filter] == 1:
            self.outbox.subscribe(topic_filter)
        return Listening(partial(self._listen_no_more, topic_filter))

    def publish_here(self, topic: str, data: bytes, *, at: float = 0.0) -> bool:
        """Deliver only to subscribers in this process; return True if there was one."""
        return self._local.publish(topic, data, at=at)

    def wanted(self, topic: str) -> bool:
        return True  # only the broker knows its subscribers

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self.connection.run(), name="mqtt")
        return self

    async def __aexit__(self, *_error: object) -> None:
        assert self._task is not None
        if self.connection.online.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self.outbox.drained.wait(), FLUSH_S)
        # A cancellation is lost if the connection breaks at the same moment, so it is repeated until it takes effect.
        while not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task], timeout=GOODBYE_S)

    def _listen_no_more(self, topic_filter: str) -> None:
        self._listening[topic_filter] -= 1
        if self._listening[topic_filter] == 0:
            del self._listening[topic_filter]
            self.outbox.unsubscribe(topic_filter)

    def _receive(self, topic: str, data: bytes, retain: bool) -> None:  # noqa: FBT001  # as BrokerConnection calls it
        at = self.arrivals.of()
        if not self._local.publish(topic, data, retain=retain, at=at) and topic != topics.SERVER:
            self.on_unclaimed(topic, Envelope(data))


class Listening:
    """A subscription at the broker."""

    def __init__(self, end: Callable[[], None]) -> None:
        self._end: Callable[[], None] | None = end

    def close(self) -> None:
        if self._end is not None:
            end, self._end = self._end, None
            end()
