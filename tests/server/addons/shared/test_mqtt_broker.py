"""The broker as compose starts it: a bot reads and writes its own topics only, and all clients may watch."""

import asyncio
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiomqtt
import pytest

from palio_rules.contract import topics
from palio_rules.contract.codec import decode_from_server, encode
from palio_rules.contract.messages import Hello, Welcome
from palio_server.addons.shared.mqtt import MqttBus
from palio_server.addons.shared.mqtt_gateway import MqttGateway
from palio_server.lobby.access import Access
from palio_server.lobby.lobby import Lobby

pytestmark = pytest.mark.mosquitto
BROKER = Path(__file__).parents[4] / "broker"
SECRETS = {"server": "SERVER_PASSWORD", "alpha": "ALPHA_SECRET", "beta": "BETA_SECRET"}
DONE = "palio/match/done/event"  # published last: all earlier messages have come


@dataclass
class Broker:
    port: int
    viewer_port: int
    servers_port: int

    @asynccontextmanager
    async def client(self, user: str | None, identifier: str | None = None) -> AsyncIterator[aiomqtt.Client]:
        """The server, a bot, or a viewer (None)."""
        port = self.viewer_port if user is None else self.port
        options: Any = {"username": user, "password": user and f"{user}'s", "identifier": identifier, "timeout": 5}
        async with aiomqtt.Client("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5, **options) as client:
            yield client


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def broker(mosquitto) -> Iterator[Broker]:
    """Started by the very command of the container; `mosquitto` is asked for to know whether there is one."""
    found = Broker(free_port(), free_port(), free_port())
    passwords = {variable: f"{user}'s" for user, variable in SECRETS.items()}
    ports = {"HOST": "127.0.0.1", "PORT": str(found.port), "VIEWER_PORT": str(found.viewer_port)}
    ports["SERVERS_PORT"] = str(found.servers_port)
    folder = tempfile.mkdtemp()  # not pytest's: the broker becomes another user, who may not look in there
    process = subprocess.Popen(
        ["/bin/sh", str(BROKER / "start.sh")], env={"PATH": os.environ["PATH"], "RUN": folder, **passwords, **ports}
    )
    try:
        for _ in range(500):
            with socket.socket() as probe:
                if process.poll() is not None or probe.connect_ex(("127.0.0.1", found.viewer_port)) == 0:
                    break
            time.sleep(0.02)
        assert process.poll() is None, "the broker ended at once"
        yield found
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder)


async def heard(client: aiomqtt.Client) -> list[tuple[str, bytes]]:
    """Return the messages before DONE."""
    found = []
    async with asyncio.timeout(15):
        async for message in client.messages:
            if str(message.topic) == DONE:
                return found
            assert isinstance(message.payload, bytes)
            found.append((str(message.topic), message.payload))
    raise AssertionError("the messages ended")


@pytest.mark.parametrize("wish", ["palio/bot/beta/in/#", "palio/bot/+/in/#", "palio/#", "#"])
async def test_a_bot_does_not_hear_what_another_one_is_told(broker: Broker, wish: str) -> None:
    async with broker.client("server") as server, broker.client("alpha") as alpha:
        await alpha.subscribe(wish)
        await alpha.subscribe("palio/match/#")
        for name in ("beta", "alpha"):
            for direction in ("in", "out"):
                await server.publish(f"palio/bot/{name}/{direction}/m", b"secret")
        await server.publish(DONE)
        topics = {topic for topic, _ in await heard(alpha)}
    assert topics <= {"palio/bot/alpha/in/m"}


async def test_a_bot_does_not_speak_for_another_one_nor_for_the_server(broker: Broker) -> None:
    async with broker.client("server") as server, broker.client("alpha") as alpha:
        await server.subscribe("#")
        forbidden = (
            topics.bot_out("beta", "m"),
            topics.bot_in("beta", "m"),
            topics.bot_in("alpha", "m"),
            topics.presence("beta"),
            topics.match_event("m"),
            topics.leaderboard("chess"),
            topics.SERVER,
        )
        for topic in forbidden:
            await alpha.publish(topic, b"forged", qos=1)
        for topic in (topics.bot_out("alpha", "m"), topics.presence("alpha")):
            await alpha.publish(topic, b"true", qos=1)
        await server.publish(DONE)
        said = await heard(server)
    assert said == [(topics.bot_out("alpha", "m"), b"true"), (topics.presence("alpha"), b"true")]


@pytest.mark.parametrize("user", [None, "alpha"])
async def test_everybody_may_watch(broker: Broker, user: str | None) -> None:
    async with broker.client("server") as server, broker.client(user) as viewer:
        await viewer.subscribe("palio/#")
        public = [topics.match_event("m"), topics.leaderboard("chess"), topics.presence("beta"), topics.SERVER]
        for topic in [topics.bot_in("beta", "m"), topics.bot_out("beta", "m"), *public]:
            await server.publish(topic, b"x")
        await server.publish(DONE)
        assert [topic for topic, _ in await heard(viewer)] == public


async def test_viewers_have_nothing_to_say_and_do_not_disturb_each_other(broker: Broker) -> None:
    async with broker.client("server") as server, broker.client(None) as one, broker.client(None) as two:
        await server.subscribe("palio/#")
        await one.publish(topics.match_event("m"), b"forged", qos=1)
        await two.publish(topics.bot_out("alpha", "m"), b"forged", qos=1)
        await server.publish(DONE)
        assert await heard(server) == []


@pytest.mark.parametrize(("user", "password"), [(None, None), ("alpha", "beta's"), ("nobody", "nobody's")])
async def test_without_the_right_password_nobody_comes_in_as_a_bot(broker: Broker, user, password) -> None:
    options: Any = {"username": user, "password": password, "protocol": aiomqtt.ProtocolVersion.V5}
    with pytest.raises(aiomqtt.MqttError):
        async with aiomqtt.Client("127.0.0.1", broker.port, **options):
            pass


async def test_a_bot_cannot_throw_another_one_out_by_taking_its_identity(broker: Broker) -> None:
    async with broker.client("server") as server, broker.client("beta", "beta") as beta:
        await beta.subscribe("palio/match/#")
        async with broker.client("alpha", "beta"), broker.client("alpha", "server"):
            pass
        await server.publish(DONE)
        assert await heard(beta) == []


async def test_a_bot_comes_in_and_is_told_so_through_the_rules_of_the_broker(broker: Broker) -> None:
    async with MqttBus(f"mqtt://server:server's@127.0.0.1:{broker.port}") as bus:
        lobby = Lobby(bus, games=["chess"])
        async with asyncio.timeout(15):
            await bus.connection.online.wait()
            gateway = asyncio.create_task(MqttGateway(bus, lobby, Access(None, "open")).run())
            async with broker.client("alpha") as alpha:
                await alpha.subscribe(topics.bot_in("alpha", "#"))
                await alpha.publish(topics.bot_out("alpha", "lobby"), encode(Hello("alpha", ["chess"])))
                answer = await anext(aiter(alpha.messages))
        assert isinstance(answer.payload, bytes)
        assert isinstance(decode_from_server(answer.payload), Welcome)
        gateway.cancel()
        await asyncio.wait([gateway])


async def test_a_health_check_needs_no_password(broker: Broker) -> None:
    async with broker.client(None) as viewer, asyncio.timeout(15):
        await viewer.subscribe("$SYS/broker/uptime")
        answer = await anext(aiter(viewer.messages))
    assert str(answer.topic) == "$SYS/broker/uptime"


async def test_servers_that_share_the_work_have_one_user_and_come_by_a_listener_of_their_own(broker: Broker) -> None:
    options: Any = {"protocol": aiomqtt.ProtocolVersion.V5, "timeout": 5}
    known: Any = {"port": broker.servers_port, "username": "server", "password": "server's", **options}
    async with aiomqtt.Client("127.0.0.1", **known) as one, aiomqtt.Client("127.0.0.1", **known) as two:
        await one.subscribe("palio/#")
        await two.publish("palio/cluster/v1/beat/two", b"here", qos=1)
        await two.publish(DONE, b"", qos=1)
        assert await heard(one) == [("palio/cluster/v1/beat/two", b"here")]
    with pytest.raises(aiomqtt.MqttError):
        async with aiomqtt.Client("127.0.0.1", broker.servers_port, username="alpha", password="alpha's", **options):
            pass


async def test_no_bot_hears_what_servers_say_to_each_other_nor_speaks_for_one(broker: Broker) -> None:
    async with broker.client("server") as server, broker.client("alpha") as alpha:
        await server.subscribe("palio/#", qos=1)
        await alpha.subscribe("palio/cluster/#", qos=1)
        await alpha.subscribe("palio/match/#", qos=1)
        await alpha.publish("palio/cluster/v1/gone/somebody", b"", qos=1)
        await server.publish("palio/cluster/v1/beat/somebody", b"", qos=1)
        await server.publish(DONE, b"", qos=1)
        assert await heard(alpha) == []
        assert [topic for topic, _ in await heard(server) if "gone" in topic] == []
