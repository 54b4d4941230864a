"""The connection to the server through an MQTT broker: the same messages, in MessagePack, on topics of the bot.

`palio/bot/<name>/out/lobby` takes hello, `palio/bot/<name>/in/lobby` brings the answer, and each match has its pair of
topics. A broker may drop messages without a subscriber, and forgets everything when it is killed: so hello is repeated
until it is answered, and the server asks again for every move that it misses.
"""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TypeVar
from urllib.parse import unquote

import msgspec
from aiomqtt import Client, MqttError, ProtocolVersion, Will
from aiomqtt.exceptions import MqttConnectError

from palio_clients.sdk.failures import LinkLost, RefusedByServer
from palio_clients.sdk.transport import MQTT, Hear, Link, address, until_one_fails
from palio_rules.contract import codec as wire
from palio_rules.contract import topics
from palio_rules.contract.messages import BotMessage, ServerMessage
from palio_rules.errors import WireError

T = TypeVar("T")

QOS = 1
HELLO_AGAIN_S = 2.0
TIMEOUT_S = 10.0
KEEPALIVE_S = 10  # a broken link is noticed, on either side, within 1.5 of these; a broker may ask for less
BEATS = 3  # heartbeats in that time, because brokers check for silent clients only now and then
REFUSALS = frozenset({133, 134, 135, 138})  # MQTT 5: bad client id, bad user or password, not authorized, banned


class MqttLink:
    """A connection to the broker; see `Link`."""

    def __init__(self, client: Client, name: str, beat: Callable[[], Awaitable[None]]) -> None:
        """Prepare a link; `beat` sends a heartbeat, and raises MqttError if the broker does not get it."""
        self._client = client
        self._name = name
        self._beat = beat
        self._outgoing: asyncio.Queue[BotMessage] = asyncio.Queue()

    def send(self, message: BotMessage) -> None:
        self._outgoing.put_nowait(message)

    async def listen(self, hear: Hear) -> None:
        await until_one_fails(self._read(hear), self._write(), self._stay())

    async def _write(self) -> None:
        while True:
            message = await self._outgoing.get()
            match = getattr(message, "match", topics.LOBBY)
            topic = topics.bot_out(self._name, match if isinstance(match, str) else topics.LOBBY)
            try:
                await _answered(self._client.publish(topic, wire.encode(message), qos=QOS))
            except MqttError as error:
                raise _lost(error) from None

    async def _stay(self) -> None:
        while True:
            await asyncio.sleep(keepalive_s(self._client) / BEATS)
            try:
                await self._beat()
            except MqttError as error:
                raise _lost(error) from None

    async def _read(self, hear: Hear) -> None:
        messages = aiter(self._client.messages)
        while True:
            try:
                message = await anext(messages)
            except MqttError as error:
                raise _lost(error) from None
            hear(_read_payload(message.payload))


def _read_payload(payload: object) -> ServerMessage | WireError:
    if not isinstance(payload, bytes):
        return WireError("unreadable", "an empty message")
    try:
        return wire.decode_from_server(payload)
    except WireError as error:
        return error


class MqttTransport:
    """A transport to the broker at `url` as the bot `name`; see `Transport`. User and password come from the URL."""

    hello_again_s: float | None = HELLO_AGAIN_S

    def __init__(self, url: str, name: str, games: tuple[str, ...] = ()) -> None:
        """Parse `url`. Raises BadBot if it is not an address of a broker."""
        parts = address(url, MQTT)
        self.url = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"  # for people: without the password
        self._host = parts.hostname or ""
        self._port = parts.port or (8883 if parts.scheme == "mqtts" else 1883)
        self._tls = ssl.create_default_context() if parts.scheme == "mqtts" else None
        self._user = unquote(parts.username) if parts.username else None
        self._password = unquote(parts.password) if parts.password else None
        self._name = name
        self._games = games
        self._presence = topics.presence(name)

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Link]:
        client = self._client()
        try:
            await client.__aenter__()
        except MqttConnectError as error:
            raise _turned_away(self.url, error) from None
        except (MqttError, OSError) as error:
            raise LinkLost(f"cannot connect to the broker at {self.url}: {error} (is it running?)") from None
        try:
            _notice_cancellation()
            await self._arrive(client)
            yield MqttLink(client, self._name, partial(self._say_present, client))
            await self._depart(client)
        except asyncio.CancelledError:
            await self._depart(client)
            raise
        finally:
            with suppress(MqttError):  # the broker may be gone first
                await client.__aexit__(None, None, None)

    def _client(self) -> Client:
        return Client(
            self._host,
            self._port,
            username=self._user,
            password=self._password,
            identifier=self._user or self._name,
            protocol=ProtocolVersion.V5,
            clean_start=True,  # messages that the broker kept are older than those that the server sends again
            will=Will(self._presence, self._present(online=False), qos=QOS, retain=True),
            keepalive=KEEPALIVE_S,
            timeout=TIMEOUT_S,
            tls_context=self._tls,
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],  # else a move waits 40 ms for the last ACK
        )

    def _present(self, *, online: bool, keepalive: float = 0) -> bytes:
        games = list(self._games) if online else []
        said = {"online": online, "instances": int(online), "games": games}
        return msgspec.json.encode({**said, "keepalive_s": keepalive} if keepalive else said)

    async def _say_present(self, client: Client) -> None:
        keepalive = keepalive_s(client)
        data = self._present(online=True, keepalive=keepalive)
        await _answered(client.publish(self._presence, data, qos=QOS, retain=True, timeout=keepalive))

    async def _arrive(self, client: Client) -> None:
        """Subscribe first, then publish presence: the server may send as soon as it sees us."""
        mine = topics.bot_in(self._name, "#")
        try:
            granted = await _answered(client.subscribe(mine, qos=QOS))
            await self._say_present(client)
        except MqttError as error:
            raise _lost(error) from None
        if any(_code(reason) >= 128 for reason in granted):
            user = f"the user {self._user!r}" if self._user else "a client without a user name"
            reason = f"the broker lets {user} not read {mine}; use the bot's own user name"
            raise RefusedByServer("not-authorized", reason)

    async def _depart(self, client: Client) -> None:
        with suppress(MqttError):  # a clean disconnect sends no last will: publish the same, if possible
            await client.publish(self._presence, self._present(online=False), qos=QOS, retain=True, timeout=1.0)


def keepalive_s(client: Client) -> float:
    """Return the interval agreed with the broker, which may ask for less than we offered."""
    return float(client._client.keepalive) or KEEPALIVE_S  # noqa: SLF001  # aiomqtt has no other way to ask


async def _answered(request: Awaitable[T]) -> T:
    """Return the broker's answer to `request`; raise CancelledError also for a cancellation at the same moment."""
    answer = await request
    _notice_cancellation()
    return answer


def _notice_cancellation() -> None:
    """Raise a cancellation that aiomqtt may have lost: before Python 3.12 `wait_for` loses one that meets a result."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _code(reason: object) -> int:
    """Return the number of a reason: an object in MQTT 5, plain before."""
    value = getattr(reason, "value", reason)
    assert isinstance(value, int)
    return value


def _turned_away(url: str, error: MqttConnectError) -> LinkLost | RefusedByServer:
    if _code(error.rc) in REFUSALS:
        return RefusedByServer("bad-login", f"the broker at {url} refuses us: {error.rc}; check user and password")
    return LinkLost(f"the broker at {url} does not let us in now: {error.rc}")


def _lost(error: MqttError) -> LinkLost:
    return LinkLost(f"the connection to the broker broke: {error}")
