"""The same topics on a broker: this process is served directly, everybody else through MQTT 5.

A message is delivered here first, so that WebSocket bots and viewers do not feel a broker's outage; what concerns one
bot goes to the broker only if nobody here has taken it. What comes from the broker is delivered as it arrives: aiomqtt
acknowledges a message before anybody has looked at it and drops what its queue has no room for, so it gets no queue.

One server speaks to one broker: two would both let the same bots in. The second one is told so in its log.
"""

import asyncio
import logging
import random
import secrets
import ssl
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self
from urllib.parse import unquote, urlsplit

import aiomqtt
import msgspec
from paho.mqtt.subscribeoptions import SubscribeOptions

from palio_rules.errors import BadOption
from palio_server.bus import Sink, topics
from palio_server.bus.local import LocalBus, LocalSubscription

log = logging.getLogger(__name__)

QUEUE = 5000  # messages kept while the broker is away; then the oldest are lost
KEEPALIVE_S = 15
TIMEOUT_S = 5.0  # for the broker to answer
GOODBYE_S = 3.0  # for the connection's task to end; publishing that we go may take a second
FLUSH_S = 1.0  # for the last messages, when the server ends
BACK_OFF_S = (0.1, 5.0)  # first and longest wait between two attempts
BATCH = 32  # messages sent before others get their turn on the event loop


class ServerPresence(msgspec.Struct, frozen=True):
    """What `palio/server` says, retained and as a last will."""

    online: bool
    id: str = ""  # of one run of one server


@dataclass(frozen=True, slots=True)
class Broker:
    """Where the broker is and who we are to it."""

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
        """For people: without the password."""
        return f"{self.host}:{self.port}"


class MqttBus:
    """A bus for as long as the context lasts. It begins whether or not the broker is there, and reconnects for ever."""

    def __init__(self, url: str, *, queue: int = QUEUE) -> None:
        """Raises BadOption if `url` is no address of a broker."""
        self.broker = Broker.parse(url)
        self.id = secrets.token_urlsafe(8)
        self.untaken: Sink = _ignore  # gets what comes from the broker for nobody here
        self.lost = 0  # messages that the queue had no room for
        self._local = LocalBus()
        self._outgoing: deque[tuple[str, bytes]] = deque(maxlen=queue)
        self._retained: dict[str, bytes] = {}  # what we have published for the broker to keep
        self._unsent: dict[str, bytes] = {}  # those of them that it has not got yet
        self._news, self._drained = asyncio.Event(), asyncio.Event()
        self._online = asyncio.Event()
        self._settled = False  # our retained messages are on the broker; what it retained before us counts no more
        self._task: asyncio.Task[None] | None = None

    # --- the bus ------------------------------------------------------------------------------------------------------

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        taken = self._local.deliver(topic, payload, retain=retain)
        if retain:
            self._retained[topic] = self._unsent[topic] = payload
        elif taken and topic.startswith(topics.BOTS):
            return
        else:
            if len(self._outgoing) == self._outgoing.maxlen:
                self._count_loss()
            self._outgoing.append((topic, payload))
        self._drained.clear()
        self._news.set()

    def subscribe(self, topic_filter: str, sink: Sink) -> LocalSubscription:
        return self._local.subscribe(topic_filter, sink)

    def wanted(self, topic: str) -> bool:
        return True  # who listens at the broker, only the broker knows

    # --- the connection -----------------------------------------------------------------------------------------------

    @property
    def online(self) -> bool:
        """Whether the broker is there now."""
        return self._online.is_set()

    async def until_online(self) -> None:
        """Return when the broker is there, and hears and sends what concerns us."""
        await self._online.wait()

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run(), name="mqtt")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._task is not None
        if self.online:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._drained.wait(), FLUSH_S)
        # Lost when the connection breaks in the very same moment, a cancellation is repeated until it is heard.
        while not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task], timeout=GOODBYE_S)

    async def _run(self) -> None:
        shortest, longest = BACK_OFF_S
        wait = shortest
        while True:
            try:
                async with self._client() as client:
                    await self._settle(client)
                    wait = shortest
                    try:
                        await self._serve(client)
                    except asyncio.CancelledError:  # a clean goodbye sends no last will, so we say it ourselves
                        with suppress(aiomqtt.MqttError):
                            await client.publish(topics.SERVER, self._presence(online=False), 1, retain=True, timeout=1)
                        raise
            except aiomqtt.MqttError as error:
                log.warning("the broker at %s is away (%s); trying again", self.broker, error)
            except Exception:  # a bug must not end what is to go on for ever
                log.exception("the connection to the broker at %s failed", self.broker)
            finally:
                self._online.clear()
            await asyncio.sleep(wait * random.uniform(0.5, 1.0))  # noqa: S311  # jitter is no secret
            wait = min(longest, 2 * wait)

    def _client(self) -> aiomqtt.Client:
        bus = self

        class Inbox(asyncio.Queue[aiomqtt.Message]):
            """Where aiomqtt puts messages: handed on at once, so that none is ever dropped or piled up."""

            def put_nowait(self, item: aiomqtt.Message) -> None:
                bus._receive(item)

        return aiomqtt.Client(
            self.broker.host,
            self.broker.port,
            username=self.broker.user,
            password=self.broker.password,
            identifier=self.broker.user or f"palio-server-{self.id}",
            protocol=aiomqtt.ProtocolVersion.V5,
            clean_start=True,
            keepalive=KEEPALIVE_S,
            timeout=TIMEOUT_S,
            will=aiomqtt.Will(topics.SERVER, self._presence(online=False), qos=1, retain=True),
            queue_type=Inbox,
            tls_context=ssl.create_default_context() if self.broker.tls else None,
        )

    async def _settle(self, client: aiomqtt.Client) -> None:
        """Subscribe to everything that is not our own, and put on the broker what it has to keep for us."""
        self._settled = False
        options = SubscribeOptions(qos=1, noLocal=True, retainAsPublished=True)
        (granted,) = await client.subscribe(topics.ALL, options=options)
        if getattr(granted, "is_failure", False):
            raise aiomqtt.MqttError(f"the broker lets us not read {topics.ALL}: {granted}")
        self._unsent = {**self._retained, topics.SERVER: self._presence(online=True)}
        await self._send_retained(client)
        self._settled = True
        log.info("connected to the broker at %s", self.broker)
        self._online.set()
        self._local.publish(topics.SERVER, self._presence(online=True))

    async def _serve(self, client: aiomqtt.Client) -> None:
        """Send what is queued, until the connection breaks: that raises MqttError."""
        error: BaseException | None = None
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._send(client))
                tasks.create_task(_watch(client))
        except* aiomqtt.MqttError as group:
            error = group.exceptions[0]
        raise aiomqtt.MqttError(str(error))

    async def _send(self, client: aiomqtt.Client) -> None:
        while True:
            self._news.clear()
            await self._send_retained(client)
            for _ in range(min(BATCH, len(self._outgoing))):
                topic, payload = self._outgoing.popleft()
                await client.publish(topic, payload)
            if self._outgoing:
                await asyncio.sleep(0)
            elif not self._news.is_set():
                self._drained.set()
                await self._news.wait()

    async def _send_retained(self, client: aiomqtt.Client) -> None:
        while self._unsent:
            topic, payload = next(iter(self._unsent.items()))
            del self._unsent[topic]
            await client.publish(topic, payload, qos=1, retain=True)

    # --- in and out ---------------------------------------------------------------------------------------------------

    def _count_loss(self) -> None:
        if self.lost % (self._outgoing.maxlen or 1) == 0:
            log.warning("%d messages wait for the broker at %s; the oldest are lost", len(self._outgoing), self.broker)
        self.lost += 1

    def _receive(self, message: aiomqtt.Message) -> None:
        topic = str(message.topic)
        payload = message.payload if isinstance(message.payload, bytes) else b""
        if topic == topics.SERVER:
            self._meet(payload)
        elif message.retain and not self._settled and topic in self._retained:
            return  # an older value of what we are about to publish
        elif not self._local.deliver(topic, payload, retain=message.retain):
            self.untaken(topic, payload)

    def _meet(self, payload: bytes) -> None:
        """Another server on this broker, or our own last will that comes late."""
        try:
            other = msgspec.json.decode(payload, type=ServerPresence)
        except msgspec.MsgspecError:
            return  # whoever wrote that is no server of ours
        if other.online and other.id != self.id and self._settled:
            log.error("another server has come to the broker at %s; bots there need one server only", self.broker)
        elif not other.online and self._settled:
            self._unsent[topics.SERVER] = self._presence(online=True)
            self._news.set()

    def _presence(self, *, online: bool) -> bytes:
        return msgspec.json.encode(ServerPresence(online, self.id))


async def _watch(client: aiomqtt.Client) -> None:
    """Raise MqttError when the connection breaks; messages never come this way."""
    async for _ in client.messages:
        pass


def _ignore(_topic: str, _payload: bytes) -> None:
    """Nobody is interested."""
