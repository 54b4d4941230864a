"""The same topics on a broker: this process is served directly, everybody else through MQTT 5.

A message is delivered here first, so that WebSocket bots and viewers do not feel a broker's outage; what concerns one
bot goes to the broker only if nobody here has taken it.
"""

import asyncio
from contextlib import suppress
from typing import Any, Self

from palio_rules.contract import topics
from palio_server.bus import Envelope, Sink
from palio_server.bus.broker import Broker, BrokerConnection
from palio_server.bus.local import LocalBus, LocalSubscription
from palio_server.bus.outbox import Outbox

QUEUE = 5000  # messages kept while the broker is away; then the oldest are lost
GOODBYE_S = 3.0  # for the connection's task to end; publishing that we go may take a second
FLUSH_S = 1.0  # for the last messages, when the server ends


class MqttBus:
    """A bus for as long as the context lasts. It begins whether or not the broker is there, and reconnects for ever."""

    def __init__(self, url: str, *, queue: int = QUEUE) -> None:
        """Raises BadOption if `url` is no address of a broker."""
        self.untaken: Sink = lambda _topic, _envelope: None  # gets what comes from the broker for nobody here
        self._local, self.outbox = LocalBus(), Outbox(queue)
        self.arrivals = self._local.arrivals
        self.connection = BrokerConnection(Broker.parse(url), self.outbox, self._receive)
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
        if retain or not (taken and topic.startswith(topics.BOTS)):
            self.outbox.put(topic, data, retain=retain)

    def subscribe(self, topic_filter: str, sink: Sink) -> LocalSubscription:
        return self._local.subscribe(topic_filter, sink)

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

    def _receive(self, topic: str, data: bytes, retain: bool) -> None:  # noqa: FBT001  # as BrokerConnection calls it
        at = self.arrivals.of()
        if not self._local.publish(topic, data, retain=retain, at=at) and topic != topics.SERVER:
            self.untaken(topic, Envelope(data))
