"""Messages that wait for a broker: in order, bounded, and of each retained topic the newest."""

import asyncio
import logging
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from aiomqtt import MqttError

from palio_server.addons.shared.broker import BATCH, Outbox

pytestmark = pytest.mark.virtual_clock


@dataclass
class Client:
    """A broker's client that writes everything down: (topic, data, retained)."""

    sent: list[tuple[str, bytes, bool]] = field(default_factory=list)

    async def publish(self, topic: str, data: bytes, qos: int = 0, *, retain: bool = False) -> None:
        self.sent.append((topic, data, retain))


@pytest.fixture
def client() -> Any:
    return Client()


async def sent(outbox: Outbox, client: Any) -> None:
    """Send until nothing waits."""
    task = asyncio.create_task(outbox.send(client))
    await outbox.drained.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_messages_go_out_in_order_and_retained_ones_before_them(client) -> None:
    outbox = Outbox(10)
    outbox.put("a", b"1", retain=False)
    outbox.put("b", b"2", retain=True)
    outbox.put("a", b"3", retain=False)
    await sent(outbox, client)
    assert client.sent == [("b", b"2", True), ("a", b"1", False), ("a", b"3", False)]


async def test_when_it_is_full_the_oldest_are_lost_but_of_a_retained_topic_the_newest_is_kept(client, caplog) -> None:
    outbox = Outbox(10)
    with caplog.at_level(logging.WARNING):
        for number in range(25):
            outbox.put("event", b"%d" % number, retain=False)
            outbox.put("leaderboard", b"%d" % number, retain=True)
    assert outbox.lost == 15
    await sent(outbox, client)
    assert client.sent == [("leaderboard", b"24", True)] + [
        ("event", b"%d" % number, False) for number in range(15, 25)
    ]
    assert sum("the oldest are lost" in record.message for record in caplog.records) == 2, "not each of them is logged"


async def test_a_new_connection_gets_all_that_is_retained_again_and_messages_once(client) -> None:
    outbox = Outbox(10)
    outbox.put("leaderboard", b"1", retain=True)
    outbox.put("event", b"2", retain=False)
    outbox.put_now("server", b"not kept")
    await sent(outbox, client)
    client.sent.clear()
    await outbox.send_retained(client, {"server": b"online"})
    await sent(outbox, client)
    assert client.sent == [("leaderboard", b"1", True), ("server", b"online", True)]
    assert "leaderboard" in outbox.retained
    assert "server" not in outbox.retained


async def test_what_is_put_while_it_sends_goes_out_too(client) -> None:
    outbox = Outbox(1000)
    task = asyncio.create_task(outbox.send(client))
    for number in range(3 * BATCH):
        outbox.put("event", b"%d" % number, retain=False)
        if number % 7 == 0:
            await asyncio.sleep(0)
    await outbox.drained.wait()
    assert [data for _, data, _ in client.sent] == [b"%d" % number for number in range(3 * BATCH)]
    outbox.put("event", b"later", retain=False)
    await outbox.drained.wait()
    assert client.sent[-1] == ("event", b"later", False)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_messages_that_a_broken_connection_does_not_take_go_out_on_the_next_one_in_their_order(client) -> None:
    class Broken(Client):
        async def publish(self, topic: str, data: bytes, qos: int = 0, *, retain: bool = False) -> None:
            await super().publish(topic, data, qos, retain=retain)
            await asyncio.sleep(0.1)  # confirmed together, not one after the other
            if data in (b"3", b"4"):
                raise MqttError("the connection is gone")

    outbox, broken = Outbox(6), Broken()
    for number in range(6):
        outbox.put("event", b"%d" % number, retain=False)
    began = asyncio.get_running_loop().time()
    task = asyncio.create_task(outbox.send(cast("Any", broken)))
    await asyncio.sleep(0.05)
    for number in range(6, 11):
        outbox.put("event", b"%d" % number, retain=False)
    with pytest.raises(MqttError, match="gone"):
        await task
    assert asyncio.get_running_loop().time() == pytest.approx(began + 0.1)
    assert [data for _, data, _ in broken.sent] == [b"%d" % number for number in range(6)]
    await sent(outbox, client)
    assert [data for _, data, _ in client.sent] == [b"4", b"6", b"7", b"8", b"9", b"10"]
    assert outbox.lost == 1
