"""A broker with nothing on a disk: topics, retained messages, last wills; it can be killed, and can be careless.

To the product's bus it looks like `aiomqtt.Client`; bots on it have connections of their own (`BrokerLink`).
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, Self

import aiomqtt

from palio_rules.contract import topics
from palio_rules.contract.codec import decode_from_server, encode
from palio_rules.contract.messages import BotMessage
from palio_server.bus.local import pattern
from palio_simulation.bots import Instance
from palio_simulation.loop import OWNER

if TYPE_CHECKING:
    from palio_simulation.process import Incarnation
    from palio_simulation.world import World

HELLO_AGAIN_S = 2.0
KEEPALIVE_S = 3  # what a bot promises, much less than is usual: worlds are short
BEAT_S = KEEPALIVE_S / 3
ONLINE = b'{"online":true,"instances":1,"games":[],"keepalive_s":%d}' % KEEPALIVE_S
OFFLINE = b'{"online":false,"instances":0,"games":[]}'


@dataclass(frozen=True, slots=True)
class Arrived:
    """The message type of the library, for the product's bus."""

    topic: str
    payload: bytes
    retain: bool


@dataclass(eq=False, slots=True)
class Connection:
    """A client of the broker; `deliver` gets topic, data, True if retained, and the message if it is known."""

    name: str
    deliver: Callable[[str, bytes, bool, Any], None]
    lost: Callable[[], None]
    will: tuple[str, bytes]
    filters: list[Any] = field(default_factory=list)
    open: bool = True
    last: float = 0.0  # when its last message arrives


class Broker:
    """The one broker of a world."""

    def __init__(self, world: "World") -> None:
        self.world = world
        self.up = True
        self.careless_until = 0.0
        self._chance = Random(f"broker {world.schedule.seed}")
        self._connections: list[Connection] = []
        self._retained: dict[str, bytes] = {}

    def connect(self, connection: Connection) -> bool:
        """Connect, and take over a client of the same name; return False if the broker is away."""
        if not self.up:
            return False
        for former in [each for each in self._connections if each.name == connection.name]:
            self._drop(former, told=True)
        self._connections.append(connection)
        return True

    def subscribe(self, connection: Connection, topic_filter: str) -> None:
        expression = pattern(topic_filter)
        connection.filters.append(expression)
        for topic, data in list(self._retained.items()):
            if expression.fullmatch(topic):
                self._send(connection, topic, data, True, None)

    def publish(self, sender: Connection | None, topic: str, data: bytes, *, retain: bool, message: Any = None) -> None:
        if retain:
            self._retained[topic] = data
        for connection in [*self._connections]:
            own = connection is sender and connection.name.startswith("server")
            if not own and any(each.fullmatch(topic) for each in connection.filters):
                self._send(connection, topic, data, False, message)

    def _send(self, to: Connection, topic: str, data: bytes, retained: bool, message: Any) -> None:
        world = self.world
        careless = self.careless_until > world.loop.time()
        # Bots publish, and the server listens, at least once; what the server publishes for one bot may be lost.
        least = int(to.name.startswith("server"))
        for _ in range(max(least, self._chance.choice((0, 1, 1, 1, 2))) if careless else 1):
            at = world.loop.time() + self._chance.randrange(1, 300 if careless else 5) / 1000
            if not careless:
                at = to.last = max(to.last, at)
            to.deliver_at(at, topic, data, retained, message)  # type: ignore[attr-defined]

    def disconnect(self, connection: Connection, *, clean: bool) -> None:
        if connection in self._connections:
            self._drop(connection, told=False, will=not clean)

    def _drop(self, connection: Connection, *, told: bool, will: bool = True) -> None:
        self._connections.remove(connection)
        connection.open = False
        if told:
            connection.lost()
        if will:
            self.publish(None, *connection.will, retain=True)

    def crash(self, seconds: float) -> None:
        """Lose all state, and all connections."""
        connections, self._connections = self._connections, []
        self._retained.clear()
        self.up = False
        for connection in connections:
            connection.open = False
            connection.lost()
        self.world.call_later(seconds, setattr, self, "up", True)

    def lose(self, incarnation: "Incarnation") -> None:
        """A server is dead."""
        for connection in [each for each in self._connections if each.name == f"server {incarnation.label}"]:
            self._drop(connection, told=False)

    def client(self, connection: Any, incarnation: "Incarnation") -> "Client":
        return Client(self, connection, incarnation)


class _Timed(Connection):
    """A subscriber whose messages come in a context of its own."""

    def __init__(self, world: "World", context: Any, *args: Any) -> None:
        super().__init__(*args)
        self._world, self._context = world, context

    def deliver_at(self, at: float, topic: str, data: bytes, retained: bool, message: Any) -> None:
        arrival = self._world.ledger.arriving(message, at) if self.name.startswith("server") and message else None
        self._world.loop.call_at(at, self._deliver, topic, data, retained, message, arrival, context=self._context)

    def _deliver(self, topic: str, data: bytes, retained: bool, message: Any, arrival: Any) -> None:
        if not self.open:
            return
        owner: Any = OWNER.get()
        if owner is not None and message is None:
            self._world.ledger.looks(owner)
        elif owner is not None:
            self._world.ledger.arrived(owner, topic.split("/")[2], message, arrival)
        self.deliver(topic, data, retained, message)


class Client:
    """The server's connection to the broker, as `aiomqtt` would make it."""

    def __init__(self, broker: Broker, connection: Any, incarnation: "Incarnation") -> None:
        self._broker = broker
        self._gone = asyncio.Event()
        self._connection = _Timed(
            broker.world, incarnation.context, f"server {incarnation.label}",
            lambda topic, data, retained, _: connection._hand_on(Arrived(topic, data, retained)),
            lambda: broker.world.loop.call_soon(self._gone.set, context=incarnation.context),
            (topics.SERVER, connection._presence(online=False)),
        )  # fmt: skip

    async def __aenter__(self) -> Self:
        await asyncio.sleep(0.002)
        if not self._broker.connect(self._connection):
            raise aiomqtt.MqttError("connection refused")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._broker.disconnect(self._connection, clean=True)

    async def subscribe(self, topic: str, **_: Any) -> tuple[int, ...]:
        await asyncio.sleep(0.002)
        self._check()
        self._broker.subscribe(self._connection, topic)
        return (0,)

    # as the library has it
    async def publish(self, topic: str, data: bytes, qos: int = 0, *, retain: bool = False, timeout: float = 0) -> None:  # noqa: ASYNC109
        self._check()
        self._broker.publish(self._connection, topic, data, retain=retain)
        await asyncio.sleep(0.001 if qos else 0)

    def _check(self) -> None:
        if not self._connection.open:
            raise aiomqtt.MqttError("disconnected")

    @property
    def messages(self) -> AsyncIterator[Any]:
        return self._messages()

    async def _messages(self) -> AsyncIterator[Any]:
        await self._gone.wait()
        raise aiomqtt.MqttError("disconnected")
        yield


class BrokerLink:
    """A bot's connection to the broker."""

    def __init__(self, broker: Broker, instance: "BrokerInstance") -> None:
        self.broker, self.instance = broker, instance
        self._presence = topics.presence(instance.name)
        self._connection = _Timed(
            broker.world, broker.world.context, instance.name, self._hear, self._lose, (self._presence, OFFLINE)
        )

    def connect(self) -> bool:
        if not self.broker.connect(self._connection):
            return False
        self.broker.subscribe(self._connection, topics.bot_in(self.instance.name, "#"))
        self._beat()
        return True

    def _beat(self) -> None:
        """Say that the bot is here, as often as it has promised."""
        if self._connection.open:
            self.broker.publish(self._connection, self._presence, ONLINE, retain=True)
            self.broker.world.call_later(BEAT_S, self._beat)

    def up(self, message: BotMessage) -> None:
        match = getattr(message, "match", topics.LOBBY)
        topic = topics.bot_out(self.instance.name, match if isinstance(match, str) else topics.LOBBY)
        if self._connection.open:
            self.broker.publish(self._connection, topic, encode(message), retain=False, message=message)

    def _hear(self, _topic: str, data: bytes, _retained: bool, _message: Any) -> None:
        self.instance.hear(self, decode_from_server(data))  # type: ignore[arg-type]

    def _lose(self) -> None:
        self.instance.lost(self)  # type: ignore[arg-type]

    def leave(self) -> None:
        self.broker.disconnect(self._connection, clean=False)

    def cut(self, _silent_s: float = 0.0) -> None:
        """The broker notices, and sends the last will."""
        self.broker.disconnect(self._connection, clean=False)
        self._lose()


class BrokerInstance(Instance):
    """A bot that plays through the broker. It says hello again until it is welcomed, as the SDK's runner does."""

    says_hello_again = True

    def _try(self) -> None:
        self._connecting = False
        if self.gone or self.link is not None:
            return
        link = BrokerLink(self.world.broker, self)
        if not link.connect():
            self.connect(self._ms(50, 500))
            return
        self.world.note(f"{self.label} connects to the broker")
        self.link = link  # type: ignore[assignment]
        self._hello()

    def _hello(self) -> None:
        self.session.connect()
        self._flush()
        self.world.call_later(HELLO_AGAIN_S, self._hello_again, self.link)

    def _hello_again(self, link: Any) -> None:
        if self.link is link and not self.session.welcomed:
            self._hello()
