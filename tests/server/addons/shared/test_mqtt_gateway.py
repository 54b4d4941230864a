"""Bots on a real broker, through its violent death too."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import aiomqtt
import msgpack
import pytest

from palio_db.store import Store
from palio_rules.contract import topics
from palio_rules.contract.messages import Hello
from palio_rules.records.record import Setup
from palio_server.addons.shared import mqtt_gateway as module
from palio_server.addons.shared.mqtt import MqttBus
from palio_server.addons.shared.mqtt_gateway import MqttGateway
from palio_server.arena.bus_channel import BusChannel
from palio_server.bus import Envelope
from palio_server.lobby.access import Access
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.token_watch import TokenWatch
from palio_server.match import events
from palio_server.match.referee import Referee

pytestmark = pytest.mark.mosquitto


class Bot:
    """Talks as the protocol's page says, without our SDK."""

    def __init__(self, port: int, name: str) -> None:
        self.port, self.name = port, name
        self.client: aiomqtt.Client | None = None
        self.session: str | None = None
        self._iterator: Any = None

    @asynccontextmanager
    async def connected(self) -> AsyncIterator["Bot"]:
        presence = topics.presence(self.name)
        will = aiomqtt.Will(presence, json.dumps({"online": False}), qos=1, retain=True)
        options: Any = {"identifier": self.name, "will": will, "protocol": aiomqtt.ProtocolVersion.V5}
        async with aiomqtt.Client("127.0.0.1", self.port, timeout=5, **options) as self.client:
            self._iterator = aiter(self.client.messages)
            await self.client.subscribe(topics.bot_in(self.name, "+"), qos=1)
            await self.client.publish(presence, json.dumps({"online": True}), qos=1, retain=True)
            yield self

    async def say(self, leaf: str, **message: Any) -> None:
        assert self.client is not None
        await self.client.publish(topics.bot_out(self.name, leaf), msgpack.packb(message), qos=1)

    async def hear(self) -> dict[str, Any]:
        async with asyncio.timeout(15):
            return msgpack.unpackb((await anext(self._iterator)).payload)

    async def hello(self, **more: Any) -> dict[str, Any]:
        resume = {"resume": self.session} if self.session else {}
        await self.say("lobby", type="hello", name=self.name, games=["breakthrough"], **resume, **more)
        answer = await self.hear()
        self.session = answer.get("session")
        return answer

    def cut(self) -> None:
        """Vanish without a goodbye, so that the broker sends the last will."""
        assert self.client is not None
        sock: Any = self.client._client.socket()
        sock.shutdown(2)

    async def play(self) -> None:
        """Play first moves until the match is over, even if the broker fails."""
        while True:
            with suppress(aiomqtt.MqttError, OSError):
                async with self.connected():
                    await self.say("lobby", type="hello", name=self.name, games=["breakthrough"])
                    while await self.answer(await self.hear()):
                        pass
                    return
            await asyncio.sleep(0.05)

    async def answer(self, message: dict[str, Any]) -> bool:
        match message["type"]:
            case "game":
                await self.say(message["match"], type="ready", match=message["match"])
            case "turn":
                move = message["moves"][0]
                await self.say(message["match"], type="move", match=message["match"], id=message["id"], move=move)
        return message["type"] != "over"


class Elsewhere:
    """The link to a bot that is here by another way."""

    def post(self, topic_leaf: str, envelope: Envelope) -> None: ...

    def close(self, code: int, reason: str) -> None: ...


class World:
    def __init__(self, bus: MqttBus, lobby: Lobby, port: int, gateway: MqttGateway) -> None:
        self.bus, self.lobby, self.port, self.gateway = bus, lobby, port, gateway

    def bot(self, name: str) -> Bot:
        return Bot(self.port, name)

    async def until(self, *names: str) -> None:
        """These bots are here, and no others."""
        async with asyncio.timeout(15):
            while [each.name for each in self.lobby.connected()] != list(names):
                await self.lobby.changed()


@pytest.fixture
def access() -> Access:
    return Access(None, "open")


@asynccontextmanager
async def serving(url: str, access: Access) -> AsyncIterator[tuple[MqttBus, Lobby]]:
    async with gateway_on(url, access) as (bus, lobby, _):
        yield bus, lobby


@asynccontextmanager
async def gateway_on(url: str, access: Access) -> AsyncIterator[tuple[MqttBus, Lobby, MqttGateway]]:
    async with MqttBus(url) as bus:
        lobby = Lobby(bus, games=["breakthrough"])
        gateway = MqttGateway(bus, lobby, access)
        task = asyncio.create_task(gateway.run())
        async with asyncio.timeout(15):
            await bus.connection.online.wait()
        yield bus, lobby, gateway
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@pytest.fixture
async def world(mosquitto, access) -> AsyncIterator[World]:
    async with gateway_on(mosquitto.url, access) as (bus, lobby, gateway):
        yield World(bus, lobby, mosquitto.port, gateway)


# --- coming and going -------------------------------------------------------------------------------------------------


async def test_a_bot_is_welcomed_and_its_last_will_says_that_it_left(world: World) -> None:
    async with world.bot("a").connected() as bot:
        assert (await bot.hello())["type"] == "welcome"
        assert world.lobby.connected()[0].transport == "mqtt"
        bot.cut()
        await world.until()
        with suppress(aiomqtt.MqttError):
            await bot.hear()


async def test_a_bot_that_did_not_come_and_has_left_without_a_word_is_taken_for_gone(world: World, monkeypatch) -> None:
    monkeypatch.setattr(module, "ANSWER_S", 0.3)
    async with world.bot("a").connected() as bot:
        await bot.hello()
    assert world.lobby.is_here("a")  # a clean DISCONNECT sends no last will
    world.gateway.ask_absent("a", "m1")
    assert world.lobby.is_rested("a")
    await world.until()
    async with aiomqtt.Client("127.0.0.1", world.port) as client, asyncio.timeout(15):
        await client.subscribe(topics.presence("a"), qos=1)
        while json.loads((await anext(aiter(client.messages))).payload)["online"]:
            pass


@pytest.mark.parametrize("answer", ["hello", "an error", "a move of a match that is over", "nonsense"])
async def test_any_message_says_that_a_bot_is_there_after_all(world: World, monkeypatch, answer: str) -> None:
    monkeypatch.setattr(module, "ANSWER_S", 5.0)
    async with world.bot("a").connected() as bot:
        await bot.hello()
        world.gateway.ask_absent("a", "m1")
        asked = await bot.hear()
        assert (asked["code"], "say hello" in asked["reason"]) == ("no-session", True)
        match answer:
            case "hello":
                assert (await bot.hello())["type"] == "welcome"
            case "an error":
                await bot.say("lobby", type="error", code="busy", reason="I think")
            case "a move of a match that is over":
                await bot.say("m1", type="move", match="m1", id=1, move=[1])
            case _:
                assert bot.client is not None
                await bot.client.publish(topics.bot_out("a", "m1"), b"?", qos=1)
        async with asyncio.timeout(15):
            while world.lobby.is_rested("a"):
                await world.lobby.changed()
        assert not world.gateway._missing
        assert world.lobby.is_here("a")


async def test_a_bot_that_holds_another_match_or_is_rested_is_not_asked(world: World) -> None:
    async with world.bot("a").connected() as bot:
        await bot.hello()
        world.lobby.rest("a")
        world.gateway.ask_absent("a", "m1")
        world.lobby.wake("a")
        world.lobby.connections("a")[0].matches["m2"] = None
        world.gateway.ask_absent("a", "m1")
        assert not world.gateway._missing
        world.gateway.ask_absent("a", "m2")  # which is over, and holds its slot for a moment more
        assert set(world.gateway._missing) == {"a"}
        world.lobby.connections("a")[0].matches.clear()


async def test_a_bot_that_returns_has_its_session_back(world: World) -> None:
    async with world.bot("a").connected() as bot:
        session = (await bot.hello())["session"]
        assert (await bot.hello())["session"] == session
    async with bot.connected():
        bot.session = session
        assert (await bot.hello())["session"] == session
    assert len(world.lobby.connected()) == 1


async def test_a_bot_hears_of_another_program_under_its_name(world: World) -> None:
    async with world.bot("ann").connected() as bot:
        assert "notice" not in await bot.hello(build="mine.py 1")
        world.lobby.join(Hello("ann", ["breakthrough"], build="mine.py 2"), Elsewhere(), "websocket")
        welcome = await bot.hello(build="mine.py 1")
        assert "another program plays as ann now: mine.py 2" in welcome["notice"]
        assert "notice" not in await bot.hello()  # an older client says no build


async def test_a_bot_speaks_under_its_own_name_only(world: World) -> None:
    async with world.bot("a").connected() as bot:
        await bot.say("lobby", type="hello", name="b", games=["breakthrough"])
        assert (await bot.hear())["code"] == "name-not-yours"


async def test_a_bot_that_is_not_let_in_is_told_why(world: World) -> None:
    async with world.bot("a").connected() as bot:
        answer = await bot.hello(token="guess")
        assert (answer["type"], answer["code"]) == ("refused", "bad-token")
        await bot.say("lobby", type="hello", name="a", games=["chess"])
        assert (await bot.hear())["code"] == "unknown-game"


async def test_a_bot_whose_token_is_revoked_hears_so_and_is_let_in_no_more(mosquitto) -> None:
    async with await Store.open("sqlite://") as store:
        access = Access(store)
        await store.add_bot("a")
        token = await store.issue_token(["play"], bot="a")
        async with serving(mosquitto.url, access) as (bus, lobby):
            world = World(bus, lobby, mosquitto.port, MqttGateway(bus, lobby, access))
            async with world.bot("a").connected() as bot:
                assert (await bot.hello(token=token))["type"] == "welcome"
                await store.revoke_token(1)
                await TokenWatch(store, lobby, access.readers).look(changed=True)
                assert ((heard := await bot.hear())["type"], heard["code"]) == ("refused", "token-revoked")
                assert not lobby.is_here("a")
                assert (await bot.hear())["code"] == "closed"
                assert (await bot.hello(token=token))["code"] == "bad-token"
                assert not lobby.is_here("a")


async def test_nonsense_is_answered(world: World) -> None:
    async with world.bot("a").connected() as bot:
        await bot.hello()
        for leaf in ("lobby", "no-such-match"):
            assert bot.client is not None
            await bot.client.publish(topics.bot_out("a", leaf), b"\xc1")
            assert (await bot.hear())["code"] == "unreadable"
        await bot.say("lobby", type="ready", match="m")
        assert (await bot.hear())["code"] == "unexpected"
        await bot.say("over", type="move", match="over", id=7, move=[])
        error = await bot.hear()
        assert (error["code"], error["match"], error["id"]) == ("unknown-match", "over", 7)
        for leaf in ("lobby", "over"):
            await bot.say(leaf, type="error", code="confused", reason="")  # an error is never answered
        await bot.say("lobby", type="ready", match="m")
        assert (await bot.hear())["code"] == "unexpected"
        await bot.client.publish(topics.presence("a"), b"not JSON")
        assert (await bot.hello())["type"] == "welcome"


async def test_a_bot_that_does_not_know_of_a_new_server_is_asked_to_say_hello(mosquitto, access, monkeypatch) -> None:
    monkeypatch.setattr(module, "ASK_S", 0.1)
    async with Bot(mosquitto.port, "a").connected() as bot, serving(mosquitto.url, access) as (_, lobby):
        assert (await bot.hear())["code"] == "no-session"
        assert (await bot.hello())["type"] == "welcome"
        assert [each.name for each in lobby.connected()] == ["a"]


async def test_a_bot_that_has_not_heard_the_question_is_asked_again(mosquitto, access, monkeypatch) -> None:
    monkeypatch.setattr(module, "ASK_S", 0.1)
    monkeypatch.setattr(module, "ASK_AGAIN_S", 0.1)
    async with Bot(mosquitto.port, "a").connected() as bot, serving(mosquitto.url, access) as (_, lobby):
        assert [(await bot.hear())["code"] for _ in range(3)] == ["no-session"] * 3
        assert (await bot.hello())["type"] == "welcome"
        assert [each.name for each in lobby.connected()] == ["a"]


async def test_who_does_not_come_back_with_the_broker_is_gone(mosquitto, world: World, monkeypatch) -> None:
    monkeypatch.setattr(module, "RETURN_S", 0.5)
    stays, goes = world.bot("stays"), world.bot("goes")
    with suppress(aiomqtt.MqttError):
        async with goes.connected(), stays.connected():
            await goes.hello()
            await stays.hello()
            await world.until("goes", "stays")
            mosquitto.kill()
            with suppress(aiomqtt.MqttError):
                await stays.hear()
    mosquitto.start()
    async with stays.connected(), asyncio.timeout(15):
        await world.bus.connection.online.wait()
        await stays.hello()
        await world.until("stays")


async def test_word_of_bots_that_a_killed_server_left_behind_is_corrected(mosquitto, access) -> None:
    async with aiomqtt.Client("127.0.0.1", mosquitto.port) as client:
        left = {"online": True, "instances": 1, "games": [], "transport": "websocket"}
        await client.publish(topics.presence("a"), json.dumps(left), qos=1, retain=True)
        await client.subscribe(topics.presence("a"))
        messages = aiter(client.messages)
        assert json.loads((await anext(messages)).payload)["online"]
        async with serving(mosquitto.url, access), asyncio.timeout(15):
            assert not json.loads((await anext(messages)).payload)["online"]


class Failing(Access):
    async def bot(self, hello: Hello, address: str = "") -> None:
        raise OSError("the database is gone")


class TestWhenTheStoreIsDown:
    @pytest.fixture
    def access(self) -> Access:
        return Failing(None, "open")

    async def test_the_gateway_goes_on(self, world: World, caplog) -> None:
        async with world.bot("a").connected() as bot:
            await bot.say("lobby", type="hello", name="a", games=["breakthrough"])
            await bot.say("lobby", type="ready", match="m")
            assert (await bot.hear())["code"] == "unexpected"
            async with asyncio.timeout(15):
                while "the database is gone" not in caplog.text:  # noqa: ASYNC110  # a log sets no event
                    await asyncio.sleep(0.01)


# --- a whole match ----------------------------------------------------------------------------------------------------


async def played(world: World, at_ply: int, happens: Callable[[], Awaitable[None]]) -> list[events.RefereeEvent]:
    """A match of two bots on the broker; something happens at a ply."""
    setup = Setup("breakthrough", ("a", "b"), grace_ms=60_000)
    seen: list[events.RefereeEvent] = []
    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        for name in setup.bots:
            group.create_task(world.bot(name).play())
        await world.until("a", "b")
        with BusChannel(world.bus, world.lobby, "m1", "breakthrough", setup.bots) as channel:
            async for event in Referee(resend_s=0.3).play("m1", setup, channel):
                seen.append(event)
                if isinstance(event, events.Played) and event.number == at_ply:
                    await happens()
    return seen


async def nothing() -> None: ...


async def test_a_match_is_played_over_the_broker(world: World) -> None:
    seen = await played(world, 1, nothing)
    assert isinstance(seen[-1], events.Finished)
    assert seen[-1].result.termination == "rule"


async def test_what_a_network_doubles_is_played_once_and_answered_twice(world: World, monkeypatch) -> None:
    say, heard = Bot.say, []
    hear = Bot.hear

    async def twice(self: Bot, leaf: str, **message: Any) -> None:
        await say(self, leaf, **message)
        await say(self, leaf, **message)

    async def listening(self: Bot) -> dict[str, Any]:
        heard.append((self.name, message := await hear(self)))
        return message

    monkeypatch.setattr(Bot, "say", twice)
    monkeypatch.setattr(Bot, "hear", listening)
    seen = await played(world, 1, nothing)
    numbers = [event.number for event in seen if isinstance(event, events.Played)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert seen[-1].result.termination == "rule"
    own = [
        message["ply"] for name, message in heard if message["type"] == "played" and message["seat"] == "ab".index(name)
    ]
    assert all(own.count(ply) >= 2 for ply in own[:-4])
    assert "stale-id" not in [message.get("code") for _, message in heard]


async def test_the_match_goes_on_after_the_broker_was_killed_in_its_midst(mosquitto, world: World) -> None:
    async def outage() -> None:
        mosquitto.kill()
        async with asyncio.timeout(15):
            while world.bus.connection.online.is_set():  # noqa: ASYNC110  # a lost broker sets no event
                await asyncio.sleep(0.01)
        mosquitto.start()

    seen = await played(world, 5, outage)
    assert isinstance(seen[-1], events.Finished)
    assert seen[-1].result.termination == "rule"
    numbers = [event.number for event in seen if isinstance(event, events.Played)]
    assert numbers == list(range(1, len(numbers) + 1))
