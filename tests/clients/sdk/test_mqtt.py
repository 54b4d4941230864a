"""A bot on a real broker: the same conversation, kill -9 of the broker included."""

import asyncio
import json
import subprocess
from contextlib import asynccontextmanager

import aiomqtt
import pytest
from cable import sent_at_once

from palio_clients.sdk.events import Disconnected, Welcomed
from palio_clients.sdk.failures import BadBot, RefusedByServer
from palio_clients.sdk.join import join
from palio_clients.sdk.loader import entrant_of
from palio_clients.sdk.mqtt import MqttLink, MqttTransport
from palio_rules.contract import codec as wire
from palio_rules.contract import messages

pytestmark = pytest.mark.mosquitto


class Server:
    """The server's end of the broker, for one bot."""

    def __init__(self, client, name):
        self.client = client
        self.name = name
        self.incoming = aiter(client.messages)

    async def hear(self, kind):
        """The next message of `kind`; others are skipped, because a bot may repeat itself."""
        async with asyncio.timeout(20):
            while True:
                got = await anext(self.incoming)
                if got.topic.matches(f"palio/bot/{self.name}/out/#"):
                    message = wire.decode_from_bot(got.payload)
                    if isinstance(message, kind):
                        return message, str(got.topic).rpartition("/")[2]

    async def presence(self):
        async with asyncio.timeout(20):
            while True:
                got = await anext(self.incoming)
                if got.topic.matches("palio/presence/+"):
                    return json.loads(got.payload)

    async def say(self, *said):
        for message in said:
            leaf = getattr(message, "match", "lobby")
            await self.client.publish(f"palio/bot/{self.name}/in/{leaf}", wire.encode(message), qos=1)

    async def welcome(self, session="s1"):
        hello, leaf = await self.hear(messages.Hello)
        assert leaf == "lobby"
        await self.say(messages.Welcome(session, "palio test"))
        return hello


@asynccontextmanager
async def server_at(broker, name="firstmove", listen=("out",)):
    async with aiomqtt.Client("127.0.0.1", broker.port, protocol=aiomqtt.ProtocolVersion.V5) as client:
        for part in listen:
            await client.subscribe(f"palio/bot/{name}/out/#" if part == "out" else "palio/presence/+", qos=1)
        yield Server(client, name)


@pytest.fixture
async def bot(mosquitto, kit, monkeypatch):
    """Joins a bot through the broker; it leaves at the end of the test."""
    monkeypatch.setattr("palio_clients.sdk.mqtt.HELLO_AGAIN_S", 0.2)
    monkeypatch.setattr(MqttTransport, "hello_again_s", 0.2)
    tasks = []

    def start(**options):
        options.setdefault("url", mosquitto.url)
        task = asyncio.create_task(join(options.pop("url"), entrant_of(kit.FirstMove), **options))
        tasks.append(task)
        return task

    yield start
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_a_match_over_a_broker(mosquitto, bot, kit):
    done = bot(matches=1)
    async with server_at(mosquitto) as server:
        assert (await server.welcome()).name == "firstmove"
        await server.say(kit.game(), kit.turn())
        assert await server.hear(messages.Ready) == (messages.Ready("m1"), "m1")
        move, leaf = await server.hear(messages.Move)
        assert (move.move, leaf) == ([0, 1], "m1")
        await server.say(messages.Over("m1", kit.WON))
        async with asyncio.timeout(20):
            await done


async def test_no_move_waits_until_the_message_before_it_is_acknowledged(mosquitto, bot):
    bot()
    async with server_at(mosquitto) as server:
        await server.welcome()
        assert True in sent_at_once(mosquitto.port)  # the other connection is that of the test


async def test_hello_is_repeated_until_somebody_answers_it(mosquitto, bot):
    notices = asyncio.Queue()
    async with server_at(mosquitto) as server:
        bot(notify=notices.put_nowait)
        await server.hear(messages.Hello)  # and no answer to it, as if the broker had dropped it
        await server.welcome()
        async with asyncio.timeout(20):
            assert isinstance(await notices.get(), Welcomed)


async def test_presence_is_retained_and_taken_back_on_leaving(mosquitto, bot):
    task = bot()
    async with server_at(mosquitto) as server:
        await server.welcome()
    async with server_at(mosquitto, listen=("presence",)) as server:
        assert await server.presence() == {"online": True, "instances": 1, "games": ["nim"], "keepalive_s": 10.0}
        task.cancel()
        assert await server.presence() == {"online": False, "instances": 0, "games": []}


async def test_a_match_survives_kill_9_of_the_broker(mosquitto, bot, kit):
    notices = []
    bot(notify=notices.append)
    async with server_at(mosquitto) as server:
        await server.welcome()
        await server.say(kit.game())
        await server.hear(messages.Ready)
        mosquitto.kill()
    mosquitto.start()
    async with server_at(mosquitto) as server:
        assert (await server.welcome()).resume == "s1"
        await server.say(kit.game(), kit.turn())
        assert (await server.hear(messages.Move))[0].id == 1
        await server.say(kit.turn())
        assert (await server.hear(messages.Move))[0].id == 1  # asked again, answered alike
    assert any(isinstance(notice, Disconnected) for notice in notices)


async def test_a_cancellation_in_the_moment_of_the_brokers_answer_ends_the_link():
    answer = asyncio.get_running_loop().create_future()
    published = asyncio.Event()

    class Silent:
        def __aiter__(self):
            return self

        async def __anext__(self):
            await asyncio.Event().wait()

    class Broker:
        """Waits for an answer as aiomqtt does."""

        messages = Silent()

        async def publish(self, *_words, **_options):
            published.set()
            await asyncio.wait_for(answer, 10)

    link = MqttLink(Broker(), "firstmove", asyncio.Event().wait)
    link.send(messages.Ready("m1"))
    listening = asyncio.create_task(link.listen(lambda _: None))
    await published.wait()
    answer.set_result(None)
    listening.cancel()
    done, _ = await asyncio.wait([listening], timeout=20)
    assert done, "it goes on as if nobody had cancelled it"
    assert listening.cancelled()


async def test_a_turn_whose_game_the_broker_dropped_makes_the_bot_say_hello_again(mosquitto, bot, kit):
    bot()
    async with server_at(mosquitto) as server:
        await server.welcome()
        await server.say(kit.turn())
        assert (await server.welcome()).resume == "s1"
        await server.say(kit.game(), kit.turn())
        assert (await server.hear(messages.Move))[0].id == 1


@pytest.fixture
def passwords(tmp_path):
    path = tmp_path / "passwords"
    subprocess.run(["mosquitto_passwd", "-c", "-b", str(path), "firstmove", "s3cret"], check=True)
    return path


async def test_user_and_password_come_from_the_address(mosquitto_with, bot, passwords):
    broker = mosquitto_with(f"allow_anonymous false\npassword_file {passwords}")
    task = bot(url=f"mqtt://firstmove:wrong@127.0.0.1:{broker.port}")
    with pytest.raises(RefusedByServer, match="check user and password"):
        await task
    notices = asyncio.Queue()
    bot(url=f"mqtt://firstmove:s3cret@127.0.0.1:{broker.port}", notify=notices.put_nowait)
    async with aiomqtt.Client("127.0.0.1", broker.port, username="firstmove", password="s3cret") as client:
        await client.subscribe("palio/bot/firstmove/out/#", qos=1)
        await Server(client, "firstmove").welcome()


async def test_the_password_is_not_shown(kit):
    assert MqttTransport("mqtt://anna:s3cret@h:1884", "anna").url == "mqtt://h:1884"


def test_what_is_no_broker_is_refused():
    with pytest.raises(BadBot, match="is no address of a server"):
        MqttTransport("mqtt://", "anna")
