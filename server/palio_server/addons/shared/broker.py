"""The connection to the broker, repaired without end: this server's identity there, and its presence.

aiomqtt acknowledges a message before it is handled and drops messages when its queue is full, so it gets no queue: a
message is passed on as it arrives. A server that is not one of several must have the broker to itself, because two
would both let the same bots in. The second one writes that to its log.
"""

import asyncio
import logging
import secrets
import socket
import ssl
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

import aiomqtt
import msgspec
from paho.mqtt.subscribeoptions import SubscribeOptions

from palio_rules.backoff import Backoff
from palio_rules.contract import topics
from palio_rules.errors import BadOption

# Messages that wait for the broker: in order and bounded; of retained messages the newest of each topic, without limit.

log = logging.getLogger(__name__)

LISTENING = SubscribeOptions(qos=1, noLocal=True, retainAsPublished=True)  # to everything except our own messages
BATCH = 32  # messages handed to the client together


class Outbox:
    """The queue to the broker. It never waits and never fails; when it is full, the oldest message is lost."""

    def __init__(self, size: int) -> None:
        """`size`: how many messages that are not retained it holds."""
        self.lost = 0  # messages dropped for lack of room while the broker was away
        self.drained = asyncio.Event()  # everything has been sent
        self._waiting: deque[tuple[str, bytes]] = deque(maxlen=size)
        self.filters: set[str] = set()  # subscriptions, beside those that the connection makes itself
        # those of them to subscribe to (True) or unsubscribe from before the next message is sent
        self._asked: dict[str, bool] = {}
        self.retained: dict[str, bytes] = {}  # messages that the broker has to keep
        self._unsent: dict[str, bytes] = {}  # those of them that are not sent yet
        self._news = asyncio.Event()

    def put(self, topic: str, data: bytes, *, retain: bool) -> None:
        """Send `data` when the broker is connected."""
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
        """Retain `data` on the broker that is connected now, before waiting messages; not again on the
        next connection.
        """
        self._unsent[topic] = data
        self._wake()

    @property
    def waiting(self) -> int:
        """The number of messages that are still to be sent."""
        return len(self._waiting) + len(self._unsent)

    def subscribe(self, topic_filter: str) -> None:
        """Subscribe to a filter, before the next message is sent."""
        self.filters.add(topic_filter)
        self._asked[topic_filter] = True
        self._wake()

    def unsubscribe(self, topic_filter: str) -> None:
        """End the subscription to a filter."""
        self.filters.discard(topic_filter)
        self._asked[topic_filter] = False
        self._wake()

    async def subscribe_all(self, client: aiomqtt.Client) -> None:
        """Make all subscriptions on a new connection's broker."""
        self._asked = dict.fromkeys(self.filters, True)
        await self._send_asked(client)

    async def send_retained(self, client: aiomqtt.Client, first: dict[str, bytes]) -> None:
        """Send to a new connection's broker the messages that it has to keep, and `first`."""
        self._unsent = {**self.retained, **first}
        await self._send_unsent(client)

    async def send(self, client: aiomqtt.Client) -> None:
        """Send waiting and new messages until the connection breaks, which raises MqttError."""
        while True:
            self._news.clear()
            await self._send_unsent(client)
            await self._send_asked(client)  # first, because the receiver of the next message may answer at once
            await self._send_waiting(client)
            if self._waiting or self._asked:
                await asyncio.sleep(0)
            elif not self._news.is_set():
                self.drained.set()
                await self._news.wait()

    async def _send_waiting(self, client: aiomqtt.Client) -> None:
        """Send the oldest messages; those that the client does not take wait on.

        They are handed to the client together, in their order: to wait for each takes a turn of the event loop.
        """
        batch = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
        sending = (client.publish(topic, data) for topic, data in batch)
        outcomes = await asyncio.gather(*sending, return_exceptions=True)
        failed = [one for one, outcome in zip(batch, outcomes, strict=True) if isinstance(outcome, aiomqtt.MqttError)]
        assert self._waiting.maxlen is not None
        room = self._waiting.maxlen - len(self._waiting)
        self.lost += max(0, len(failed) - room)
        self._waiting.extendleft(reversed(failed[max(0, len(failed) - room) :]))
        for outcome in outcomes:
            if outcome is not None:
                raise outcome

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


KEEPALIVE_S = 10
BEATS = 3  # signs of life in that time, each answered by the broker, so that a cut cable is noticed in time
TIMEOUT_S = 5.0  # for the broker to answer
FIRST_WAIT_S, LONGEST_WAIT_S = 0.1, 5.0  # between two attempts to connect


class ServerPresence(msgspec.Struct, frozen=True):
    """The message on `palio/server`, retained and as a last will."""

    online: bool
    id: str = ""  # of one run of one server


@dataclass(frozen=True, slots=True)
class Broker:
    """The broker's address, and the account on it."""

    host: str
    port: int
    tls: bool
    user: str | None
    password: str | None

    @classmethod
    def parse(cls, url: str) -> "Broker":
        """Read mqtt://user:password@host:port (or mqtts). Raises BadOption."""
        remedy = "write mqtt://host:1883, or mqtt://user:password@host:1883"
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise BadOption(f"{url!r} is no address of a broker ({error}); {remedy}") from None
        if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname or parts.path.strip("/"):
            raise BadOption(f"{url!r} is no address of a broker; {remedy}")
        tls = parts.scheme == "mqtts"
        user = unquote(parts.username) if parts.username else None
        password = unquote(parts.password) if parts.password else None
        return cls(parts.hostname, port or (8883 if tls else 1883), tls, user, password)

    def __str__(self) -> str:
        """Return the address for people, without the password."""
        return f"{self.host}:{self.port}"


class BrokerConnection:
    """The connection, for as long as `run` runs; it may begin before the broker is available."""

    def __init__(
        self, broker: Broker, outbox: Outbox, receive: Callable[[str, bytes, bool], Any], *, shared: bool = False
    ) -> None:
        """`receive` is called with (topic, data, True if retained); it must not wait.

        `shared`: with other servers, so that only the outbox's filters are subscribed to.
        """
        self.broker, self.id = broker, secrets.token_urlsafe(8)  # the id is that of this run of the server
        self._shared = shared
        self.will = topics.SERVER, self._presence(online=False), True  # topic, data, True if retained
        self.online = asyncio.Event()  # the broker is connected, and all subscriptions are made
        self._outbox, self._receive = outbox, receive
        self._met = ""  # the other server that was here last
        self._settled = False  # our retained messages are on the broker; older ones no longer count

    async def run(self) -> None:
        """Send and receive until cancelled."""
        backoff = Backoff(first=FIRST_WAIT_S, longest=LONGEST_WAIT_S)
        while True:
            try:
                async with self._client() as client:
                    await self._settle(client)
                    backoff.reset()
                    try:
                        await self._serve(client)
                    except asyncio.CancelledError:  # a clean DISCONNECT sends no last will, so it is published here
                        with suppress(aiomqtt.MqttError):
                            topic, data, retain = self.will
                            await client.publish(topic, data, 1, retain=retain, timeout=1)
                        raise
            except aiomqtt.MqttError as error:
                log.warning("the broker at %s is away (%s); trying again", self.broker, error)
            except Exception:  # a bug must not end a connection that is meant to last
                log.exception("the connection to the broker at %s failed", self.broker)
            finally:
                self.online.clear()
            await asyncio.sleep(backoff.next())

    def _client(self) -> aiomqtt.Client:
        hand_on = self._hand_on
        topic, data, retain = self.will

        class Inbox(asyncio.Queue[aiomqtt.Message]):
            """The queue that aiomqtt puts messages into: each is passed on at once, so that none is dropped or piled
            up.
            """

            def put_nowait(self, item: aiomqtt.Message) -> None:
                hand_on(item)

        client = aiomqtt.Client(
            self.broker.host,
            self.broker.port,
            username=self.broker.user,
            password=self.broker.password,
            identifier=f"palio-server-{self.id}" if self._shared or not self.broker.user else self.broker.user,
            protocol=aiomqtt.ProtocolVersion.V5,
            clean_start=True,
            keepalive=KEEPALIVE_S,
            timeout=TIMEOUT_S,
            will=aiomqtt.Will(topic, data, qos=1, retain=retain),
            queue_type=Inbox,
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],  # else a turn waits 40 ms for the last ACK
            tls_context=ssl.create_default_context() if self.broker.tls else None,
        )
        client.pending_calls_threshold = 2 * BATCH  # more of them would be worth its warning
        return client

    async def _settle(self, client: aiomqtt.Client) -> None:
        """Subscribe to everything except our own messages, and send the messages that the broker has to keep."""
        self._settled = False
        if not self._shared:
            (granted,) = await client.subscribe(topics.ALL, options=LISTENING)
            if getattr(granted, "is_failure", False):
                raise aiomqtt.MqttError(f"the broker lets us not read {topics.ALL}: {granted}")
        await self._outbox.subscribe_all(client)
        await self._outbox.send_retained(client, {topics.SERVER: self._presence(online=True)})
        self._settled = True
        log.info("connected to the broker at %s", self.broker)
        self.online.set()
        self._receive(topics.SERVER, self._presence(online=True), False)

    async def _serve(self, client: aiomqtt.Client) -> None:
        """Send waiting messages until the connection breaks, which raises MqttError."""
        error: BaseException | None = None
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._outbox.send(client))
                tasks.create_task(_watch(client))
                tasks.create_task(self._heartbeat(client))
        except* aiomqtt.MqttError as group:
            error = group.exceptions[0]
        raise aiomqtt.MqttError(str(error))

    async def _heartbeat(self, client: aiomqtt.Client) -> None:
        """Raise MqttError when the broker no longer answers."""
        while True:
            await asyncio.sleep(KEEPALIVE_S / BEATS)
            await client.publish(topics.SERVER, self._presence(online=True), 1, retain=True, timeout=TIMEOUT_S)

    def _hand_on(self, message: aiomqtt.Message) -> None:
        topic = str(message.topic)
        data = message.payload if isinstance(message.payload, bytes) else b""
        if topic == topics.SERVER and not self._shared:
            self._on_other_server(data)
        elif self._settled or not message.retain or topic not in self._outbox.retained:
            # except an older value of a message that we are about to publish
            self._receive(topic, data, message.retain)

    def _on_other_server(self, data: bytes) -> None:
        """Handle another server on this broker, or our own last will that comes late."""
        try:
            other = msgspec.json.decode(data, type=ServerPresence)
        except msgspec.MsgspecError:
            return  # not written by a Palio server
        if other.online and other.id not in (self.id, self._met) and self._settled:
            self._met = other.id
            log.error("another server has come to the broker at %s; bots there need one server only", self.broker)
        elif not other.online and self._settled:
            self._outbox.put_now(topics.SERVER, self._presence(online=True))

    def _presence(self, *, online: bool) -> bytes:
        return msgspec.json.encode(ServerPresence(online, self.id))


async def _watch(client: aiomqtt.Client) -> None:
    """Raise MqttError when the connection breaks; messages never come this way."""
    async for _ in client.messages:
        pass
