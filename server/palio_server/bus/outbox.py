"""What waits for the broker: messages in order, bounded, and the newest retained one of each topic, for ever."""

import asyncio
import logging
from collections import deque

import aiomqtt
from paho.mqtt.subscribeoptions import SubscribeOptions

log = logging.getLogger(__name__)

LISTENING = SubscribeOptions(qos=1, noLocal=True, retainAsPublished=True)  # to everything that is not our own
BATCH = 32  # messages sent before others get their turn on the event loop


class Outbox:
    """Never waits and never fails; when it is full, the oldest message is lost."""

    def __init__(self, size: int) -> None:
        """`size`: how many messages that are not retained it holds."""
        self.lost = 0  # messages that there was no room for while the broker was away
        self.drained = asyncio.Event()  # everything has been sent
        self._waiting: deque[tuple[str, bytes]] = deque(maxlen=size)
        self.filters: set[str] = set()  # what we want to hear, beside what the connection asks for itself
        self._asked: dict[str, bool] = {}  # of them, those to be subscribed to (or no more) before anything is sent
        self.retained: dict[str, bytes] = {}  # what the broker has to keep
        self._unsent: dict[str, bytes] = {}  # those of them that it has not got yet
        self._news = asyncio.Event()

    def put(self, topic: str, data: bytes, *, retain: bool) -> None:
        """Send `data` when the broker is there."""
        if retain:
            self.retained[topic] = data
            self.put_now(topic, data)
            return
        if len(self._waiting) == self._waiting.maxlen:
            if self.lost % self._waiting.maxlen == 0:
                log.warning("%d messages wait for the broker; the oldest are lost", len(self._waiting))
            self.lost += 1
        self._waiting.append((topic, data))
        self._wake()

    def put_now(self, topic: str, data: bytes) -> None:
        """Retain `data` on the broker that is there now, ahead of what waits; not again on the next connection."""
        self._unsent[topic] = data
        self._wake()

    @property
    def waiting(self) -> int:
        """Messages that are to be sent still."""
        return len(self._waiting) + len(self._unsent)

    def subscribe(self, topic_filter: str) -> None:
        """Hear what matches, from before the next message is sent."""
        self.filters.add(topic_filter)
        self._asked[topic_filter] = True
        self._wake()

    def unsubscribe(self, topic_filter: str) -> None:
        """Hear it no more."""
        self.filters.discard(topic_filter)
        self._asked[topic_filter] = False
        self._wake()

    async def subscribe_all(self, client: aiomqtt.Client) -> None:
        """Ask a new connection's broker for all that we want to hear."""
        self._asked = dict.fromkeys(self.filters, True)
        await self._send_asked(client)

    async def send_retained(self, client: aiomqtt.Client, first: dict[str, bytes]) -> None:
        """Put on a new connection's broker what it has to keep for us, and `first`."""
        self._unsent = {**self.retained, **first}
        await self._send_unsent(client)

    async def send(self, client: aiomqtt.Client) -> None:
        """Send what is here and what comes, until the connection breaks: that raises MqttError."""
        while True:
            self._news.clear()
            await self._send_unsent(client)
            for _ in range(min(BATCH, len(self._waiting))):
                if self._asked:  # whoever is spoken to next may answer at once
                    await self._send_asked(client)
                topic, data = self._waiting.popleft()
                await client.publish(topic, data)
            await self._send_asked(client)
            if self._waiting:
                await asyncio.sleep(0)
            elif not self._news.is_set():
                self.drained.set()
                await self._news.wait()

    async def _send_asked(self, client: aiomqtt.Client) -> None:
        while self._asked:
            wanted = [topic_filter for topic_filter, want in self._asked.items() if want][:BATCH]
            others = [topic_filter for topic_filter, want in self._asked.items() if not want][:BATCH]
            for topic_filter in (*wanted, *others):
                del self._asked[topic_filter]
            if wanted:
                granted = await client.subscribe([(topic_filter, LISTENING) for topic_filter in wanted])
                refused = [name for name, code in zip(wanted, granted, strict=False) if getattr(code, "is_failure", 0)]
                if refused:
                    raise aiomqtt.MqttError(f"the broker lets us not read {', '.join(refused)}")
            if others:
                await client.unsubscribe(others)

    async def _send_unsent(self, client: aiomqtt.Client) -> None:
        while self._unsent:
            topic, data = next(iter(self._unsent.items()))
            del self._unsent[topic]
            await client.publish(topic, data, qos=1, retain=True)

    def _wake(self) -> None:
        self.drained.clear()
        self._news.set()
