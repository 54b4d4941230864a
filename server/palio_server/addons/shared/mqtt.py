"""The same topics on a broker: this process is served directly, all others through MQTT 5.

A message is delivered here first, so that WebSocket bots and viewers do not feel a broker's outage; what concerns one
bot goes to the broker only if no subscriber here has taken it.

A server that has the broker to itself hears all that is said there. Of several, each hears what it has asked for by
`listen`: else each would read everything.
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
GOODBYE_S = 3.0  # for the connection's task to end; publishing that we go may take a second
FLUSH_S = 1.0  # for the last messages, when the server ends


class MqttBus:
    """A bus for as long as the context lasts. It begins whether or not the broker is there, and reconnects for ever."""

    def __init__(self, url: str, *, queue: int = QUEUE, shared: bool = False) -> None:
        """`shared`: with other servers. Raises BadOption if `url` is no address of a broker."""
        self.untaken: Sink = lambda _topic, _envelope: None  # gets what comes from the broker for no subscriber here
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
            return  # the others go on
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
        """Only to subscribers in this process; whether there was one."""
        return self._local.publish(topic, data, at=at)

    def wanted(self, topic: str) -> bool:
        return True  # who listens at the broker, only the broker knows

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self.connection.run(), name="mqtt")
        return self

    async def __aexit__(self, *_error: object) -> None:
        assert self._task is not None
        if self.connection.online.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self.outbox.drained.wait(), FLUSH_S)
        # Lost when the connection breaks in the very same moment, a cancellation is repeated until it is heard.
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
            self.untaken(topic, Envelope(data))


class Listening:
    """What is listened to at the broker."""

    def __init__(self, end: Callable[[], None]) -> None:
        self._end: Callable[[], None] | None = end

    def close(self) -> None:
        if self._end is not None:
            end, self._end = self._end, None
            end()
