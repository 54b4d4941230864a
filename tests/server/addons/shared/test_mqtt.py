"""The bus over a real broker."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import aiomqtt
import pytest
from cable import sent_at_once

from palio_rules.contract import topics
from palio_server.addons.shared.mqtt import MqttBus
from palio_server.bus import Envelope

mosquitto_test = pytest.mark.mosquitto


class Ear:
    """Hears a filter, and waits for what it wants to hear."""

    def __init__(self, bus: MqttBus, topic_filter: str) -> None:
        self.heard: list[tuple[str, bytes]] = []
        self._news = asyncio.Event()
        bus.subscribe(topic_filter, self._hear)

    def _hear(self, topic: str, envelope: Envelope) -> None:
        self.heard.append((topic, envelope.data))
        self._news.set()

    async def until(self, *expected: bytes) -> None:
        async with asyncio.timeout(15):
            while [payload for _, payload in self.heard] != list(expected):
                self._news.clear()
                await self._news.wait()


@asynccontextmanager
async def on(url: str, **options) -> AsyncIterator[MqttBus]:
    async with MqttBus(url, **options) as bus:
        async with asyncio.timeout(15):
            await bus.connection.online.wait()
        yield bus


async def eventually(happens: Callable[[], bool]) -> None:
    async with asyncio.timeout(15):
        while not happens():  # noqa: ASYNC110  # what a broker or a log does sets no event
            await asyncio.sleep(0.01)


# --- without a broker -------------------------------------------------------------------------------------------------


async def test_without_its_broker_the_bus_still_serves_its_own_process(unused_tcp_port) -> None:
    async with MqttBus(f"mqtt://127.0.0.1:{unused_tcp_port}") as bus:
        ear = Ear(bus, "palio/#")
        bus.publish("palio/match/1/event", b"1")
        bus.publish("palio/presence/a", b"2", retain=True)
        assert [payload for _, payload in ear.heard] == [b"1", b"2"]
        assert not bus.connection.online.is_set()


async def test_what_waits_for_the_broker_is_bounded_and_the_oldest_are_lost(caplog, unused_tcp_port) -> None:
    with caplog.at_level(logging.WARNING):
        async with MqttBus(f"mqtt://127.0.0.1:{unused_tcp_port}", queue=10) as bus:
            for number in range(25):
                bus.publish("palio/match/1/event", b"%d" % number)
                bus.publish("palio/leaderboard/chess", b"%d" % number, retain=True)
            assert bus.outbox.lost == 15
    assert sum("the oldest are lost" in record.message for record in caplog.records) == 2


@pytest.fixture
def unused_tcp_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# --- with one ---------------------------------------------------------------------------------------------------------


@mosquitto_test
async def test_messages_travel_between_processes_and_come_home_once(mosquitto) -> None:
    async with on(mosquitto.url) as here, on(mosquitto.url) as there:
        mine, theirs = Ear(here, "palio/match/#"), Ear(there, "palio/match/#")
        here.publish("palio/match/1/event", b"1")
        here.publish("palio/match/1/event", b"2")
        await theirs.until(b"1", b"2")
        there.publish("palio/match/1/event", b"3")
        await mine.until(b"1", b"2", b"3")
        await theirs.until(b"1", b"2", b"3")


@mosquitto_test
async def test_what_a_bot_hears_here_does_not_bother_the_broker(mosquitto) -> None:
    async with on(mosquitto.url) as here, on(mosquitto.url) as there:
        Ear(here, topics.bot_in("local", "m"))
        far = Ear(there, "palio/bot/#")
        here.publish(topics.bot_in("local", "m"), b"1")
        here.publish(topics.bot_in("remote", "m"), b"2")
        await far.until(b"2")


@mosquitto_test
async def test_what_is_retained_greets_whoever_comes_later(mosquitto) -> None:
    async with on(mosquitto.url) as here:
        here.publish("palio/leaderboard/chess", b"old", retain=True)
        here.publish("palio/leaderboard/chess", b"new", retain=True)
        async with on(mosquitto.url) as there:
            await Ear(there, "palio/leaderboard/+").until(b"new")
            await Ear(there, "palio/leaderboard/chess").until(b"new")
            there.publish("palio/leaderboard/chess", b"newer", retain=True)
            await Ear(here, "palio/leaderboard/chess").until(b"new", b"newer")
    async with on(mosquitto.url) as later:
        await Ear(later, "palio/leaderboard/+").until(b"newer")


@mosquitto_test
async def test_messages_for_nobody_here_are_distinguished(mosquitto) -> None:
    async with on(mosquitto.url) as here, on(mosquitto.url) as there:
        stray: list[str] = []
        here.on_unclaimed = lambda topic, _: stray.append(topic)
        ear = Ear(here, "palio/x")
        there.publish("palio/y", b"1")
        there.publish("palio/x", b"2")
        await ear.until(b"2")
        assert stray == ["palio/y"]


@mosquitto_test
async def test_a_killed_broker_is_given_again_what_it_has_to_keep(mosquitto) -> None:
    async with on(mosquitto.url) as here, on(mosquitto.url) as there:
        here.publish("palio/leaderboard/chess", b"1", retain=True)
        mosquitto.kill()
        await eventually(lambda: not here.connection.online.is_set() and not there.connection.online.is_set())
        far = Ear(there, "palio/match/#")
        here.publish("palio/match/1/event", b"meanwhile")
        here.publish("palio/presence/a", b"2", retain=True)
        mosquitto.start()
        async with asyncio.timeout(15):
            await there.connection.online.wait()
            await here.connection.online.wait()
        here.publish("palio/match/1/event", b"after")
        await eventually(lambda: far.heard[-1:] == [("palio/match/1/event", b"after")])
    async with on(mosquitto.url) as later:
        await Ear(later, "palio/leaderboard/#").until(b"1")
        await Ear(later, "palio/presence/#").until(b"2")


@mosquitto_test
async def test_no_message_to_the_broker_waits_until_the_one_before_is_acknowledged(mosquitto) -> None:
    async with on(mosquitto.url):
        assert sent_at_once(mosquitto.port) == [True]


@mosquitto_test
async def test_the_server_is_present_until_it_ends_or_dies(mosquitto) -> None:
    async with aiomqtt.Client("127.0.0.1", mosquitto.port) as viewer:
        await viewer.subscribe(topics.SERVER)
        said = aiter(viewer.messages)

        async def next_said() -> bool:
            async with asyncio.timeout(15):
                return bool(json.loads((await anext(said)).payload)["online"])

        async with on(mosquitto.url):
            assert await next_said()
        assert not await next_said(), "a goodbye"
        async with on(mosquitto.url) as bus:
            assert await next_said()
            assert bus._task is not None
            await asyncio.sleep(0)
            _cut(bus)
            assert not await next_said(), "the last will"
            assert await next_said(), "and back"


def _cut(bus: MqttBus) -> None:
    """The network breaks without a goodbye."""
    import gc

    (client,) = [
        each
        for each in gc.get_objects()
        if type(each) is aiomqtt.Client  # not isinstance: that would wake the dead of weak proxies
        and each.identifier.endswith(bus.connection.id)
        and each._client.socket()
    ]
    client._client.socket().shutdown(2)


@mosquitto_test
async def test_a_second_server_on_the_broker_is_reported(mosquitto, caplog) -> None:
    with caplog.at_level(logging.ERROR):
        async with on(mosquitto.url), on(mosquitto.url):
            await eventually(lambda: bool(caplog.records))
    assert "another server" in caplog.text


@mosquitto_test
async def test_a_wrong_password_is_logged_and_tried_again(mosquitto_with, tmp_path, caplog) -> None:
    passwords = tmp_path / "passwords"
    passwords.write_text("")
    broker = mosquitto_with(f"allow_anonymous false\npassword_file {passwords}")
    with caplog.at_level(logging.WARNING):
        async with MqttBus(broker.url.replace("//", "//server:wrong@")) as bus:
            await eventually(lambda: len(caplog.records) >= 2)
            assert not bus.connection.online.is_set()
    assert "Not authorized" in caplog.text
    assert "wrong" not in caplog.text


@mosquitto_test
async def test_a_burst_from_the_broker_is_heard_whole(mosquitto) -> None:
    async with on(mosquitto.url) as here, on(mosquitto.url) as there:
        ear = Ear(here, "palio/match/#")
        for number in range(900):  # mosquitto itself drops beyond 1000 that wait
            there.publish("palio/match/1/event", b"%d" % number)
        await ear.until(*[b"%d" % number for number in range(900)])
