"""A match's channel over a real bus and a real lobby."""

import asyncio
import gc
import logging
import socket
import weakref

import pytest

from palio_rules.contract import topics
from palio_rules.contract.codec import decode_from_server, encode
from palio_rules.contract.messages import Hello, Move, Over, Ready, Result
from palio_server.arena.bus_channel import BACKLOG, BusChannel
from palio_server.bus import Envelope
from palio_server.bus.local import LocalBus
from palio_server.lobby.lobby import Lobby, NotAvailable
from palio_server.lobby.session import Session
from palio_server.match.channel import Garbled, Incoming, Joined, Left, Said, Stopped


class Wire:
    def __init__(self) -> None:
        self.posts: list[bytes] = []

    def post(self, topic: str, envelope: Envelope) -> None:
        self.posts.append(envelope.data)

    def close(self, code: int, reason: str) -> None: ...


class World:
    def __init__(self) -> None:
        self.bus = LocalBus()
        self.lobby = Lobby(self.bus, games=["chess"])

    def join(self, name: str) -> Session:
        return self.lobby.join(Hello(name=name, games=["chess"]), Wire(), "websocket")

    def channel(self, *, absent_ok: bool = False) -> BusChannel:
        return BusChannel(self.bus, self.lobby, "m", "chess", ["a", "b"], absent_ok=absent_ok)

    def say(self, name: str, data: bytes, message: object = None) -> None:
        self.bus.publish(topics.bot_out(name, "m"), data, message)


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
async def channel(world: World):
    world.join("a")
    world.join("b")
    with world.channel() as channel:
        yield channel


CLOCK = 0.001  # an event loop's timers may ring that much early
READY = encode(Ready("m"))


def now() -> float:
    return asyncio.get_running_loop().time()


async def soon(channel: BusChannel) -> Incoming | None:
    return await channel.next(now() + 10)


async def test_what_bots_say_is_heard_in_order_with_the_time_of_its_arrival(world: World, channel: BusChannel) -> None:
    before = now()
    world.say("b", READY)
    world.say("a", encode(Move("m", 1, [0, 1])))
    after = now()
    await asyncio.sleep(0.01)
    first, second = await soon(channel), await soon(channel)
    assert isinstance(first, Said)
    assert isinstance(second, Said)
    assert (first.seat, first.message, second.seat) == (1, Ready("m"), 0)
    assert before <= first.at <= second.at <= after


async def test_a_message_that_was_read_on_its_way_is_not_read_again(world: World, channel: BusChannel) -> None:
    data = b"never decoded"
    world.say("a", data, Ready("m"))
    heard = await soon(channel)
    assert isinstance(heard, Said)
    assert heard.message == Ready("m")
    world.say("a", data)
    assert isinstance(await soon(channel), Garbled), "nobody has read it"


async def test_waiting_ends_with_a_message(world: World, channel: BusChannel) -> None:
    waiting = asyncio.ensure_future(soon(channel))
    await asyncio.sleep(0)
    world.say("a", READY)
    assert isinstance(await waiting, Said)


async def test_waiting_ends_at_the_deadline_whether_it_moved_forward_or_back(world: World, channel: BusChannel) -> None:
    start = now()
    for delay in (0.02, 0.01, 0.03):
        deadline = now() + delay
        assert await channel.next(deadline) is None
        assert now() >= deadline - CLOCK
    world.say("a", READY)
    assert isinstance(await channel.next(now() + 0.01), Said)  # its timer still runs, while a longer wait begins
    deadline = now() + 0.05
    assert await channel.next(deadline) is None
    assert deadline - CLOCK <= now() < start + 5


async def test_what_is_queued_is_returned_even_after_the_deadline(world: World, channel: BusChannel) -> None:
    world.say("a", READY)
    assert isinstance(await channel.next(now() - 1), Said)
    assert await channel.next(now() - 1) is None


@pytest.mark.parametrize("deadline", [None, float("inf")])
async def test_without_a_deadline_it_waits_until_something_is_heard(world, channel, deadline) -> None:
    waiting = asyncio.ensure_future(channel.next(deadline))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    channel.stop("tea")
    assert await waiting == Stopped("tea")


async def test_a_cancelled_wait_loses_nothing(world: World, channel: BusChannel) -> None:
    waiting = asyncio.ensure_future(soon(channel))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    world.say("a", READY)
    assert isinstance(await soon(channel), Said)


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x81\xa4type\xa4over", b"x" * 70_000])
async def test_bytes_that_are_no_message_are_reported(world: World, channel: BusChannel, data: bytes) -> None:
    world.say("a", data)
    assert isinstance(await soon(channel), Garbled)


async def test_a_seat_that_floods_loses_its_own_messages_only(world, channel, caplog) -> None:
    with caplog.at_level(logging.WARNING):
        for _ in range(BACKLOG + 100):
            world.say("a", READY)
    world.say("b", READY)
    heard = [await soon(channel) for _ in range(BACKLOG + 1)]
    assert [each.seat for each in heard if isinstance(each, Said)] == [0] * BACKLOG + [1]
    assert len(caplog.records) == 1
    world.say("a", READY)
    assert isinstance(await soon(channel), Said), "what has been read makes room"


async def test_posts_reach_the_seat_they_are_for(world: World) -> None:
    wires = [world.join(name).link for name in ("a", "b")]
    over = Over("m", Result("rule", "mate", [1.0, 0.0]))
    with world.channel() as channel:
        channel.post(1, over)
        channel.post(0, over)
        channel.post(0, Over("m", Result("rule", "mate", [0.0, 1.0])))
    sent = [[decode_from_server(data) for data in wire.posts] for wire in wires]
    assert sent[1] == [over]
    assert sent[0][0] == over
    assert sent[0][1] != over


async def test_a_bot_that_leaves_and_returns_is_noticed(world: World) -> None:
    session = world.join("a")
    world.join("b")
    with world.channel() as channel:
        world.lobby.leave(session)
        left = await soon(channel)
        world.join("a")
        joined = await soon(channel)
    assert isinstance(left, Left)
    assert isinstance(joined, Joined)
    assert left.seat == joined.seat == 0


async def test_slots_are_taken_for_the_match_and_free_after_it(world: World) -> None:
    world.join("a")
    world.join("b")
    with world.channel():
        assert world.lobby.free("chess") == []
    assert sorted(world.lobby.free("chess")) == ["a", "b"]
    assert not world.bus.wanted(topics.bot_out("a", "m"))


async def test_a_match_does_not_begin_without_its_bots_unless_it_may_wait(world: World) -> None:
    world.join("b")
    with pytest.raises(NotAvailable, match="a is not connected"), world.channel():
        pass
    with world.channel(absent_ok=True) as channel:
        left = await soon(channel)
        world.join("a")
        joined = await soon(channel)
    assert isinstance(left, Left)
    assert isinstance(joined, Joined)


# --- listening --------------------------------------------------------------------------------------------------------


class Hearer:
    """Writes down what it is told."""

    def __init__(self, channel: BusChannel) -> None:
        self.heard: list[Incoming | None] = []
        self.news = asyncio.Event()
        channel.listen(self.hear)

    def hear(self, heard: Incoming | None) -> None:
        self.heard.append(heard)
        self.news.set()

    async def until(self, count: int) -> None:
        """It has heard so much."""
        async with asyncio.timeout(10):
            while len(self.heard) < count:
                self.news.clear()
                await self.news.wait()


async def test_whoever_listens_is_told_in_the_same_call(world: World, channel: BusChannel) -> None:
    hearer = Hearer(channel)
    world.say("a", READY)
    assert [heard.message for heard in hearer.heard] == [Ready("m")]


async def test_whoever_listens_is_told_what_was_heard_before(world: World, channel: BusChannel) -> None:
    world.say("a", READY)
    world.say("b", READY)
    hearer = Hearer(channel)
    await hearer.until(2)
    assert [heard.seat for heard in hearer.heard] == [0, 1]


async def test_an_answer_given_while_a_message_is_heard_is_heard_after_it(world: World, channel: BusChannel) -> None:
    hearer = Hearer(channel)
    order: list[str] = []

    def hear(heard: Incoming | None) -> None:
        assert isinstance(heard, Said)
        order.append(f"begin {heard.seat}")
        if heard.seat == 0:
            world.say("b", READY)
        order.append(f"end {heard.seat}")
        hearer.hear(heard)

    channel.listen(hear)
    world.say("a", READY)
    await hearer.until(2)
    assert order == ["begin 0", "end 0", "begin 1", "end 1"]


async def test_a_bot_that_comes_back_is_heard_of_only_after_its_welcome(world: World) -> None:
    session = world.join("a")
    world.join("b")
    with world.channel() as channel:
        hearer = Hearer(channel)
        world.lobby.leave(session)
        world.join("a")
        assert hearer.heard == [], "the lobby's caller speaks first"
        await hearer.until(2)
        assert [type(heard) for heard in hearer.heard] == [Left, Joined]


async def test_what_came_before_a_deadline_is_heard_before_what_came_after_it(
    world: World, channel: BusChannel
) -> None:
    hearer = Hearer(channel)
    start = now()
    channel.wake_at(start + 1)
    data, ready = encode(Ready("m")), Ready("m")
    world.bus.publish(topics.bot_out("a", "m"), data, ready, at=start + 1.2)  # read first, but too late
    assert hearer.heard == [], "something that came in time may wait in another socket"
    world.bus.publish(topics.bot_out("b", "m"), data, ready, at=start + 0.9)
    await hearer.until(2)
    assert [heard.seat for heard in hearer.heard] == [1, 0]


async def test_what_waits_in_a_socket_at_the_deadline_is_heard_first_even_if_the_timer_is_served_first(
    world: World, channel: BusChannel
) -> None:
    """As uvloop may serve them: the bytes have come in time, and the loop has not looked at its sockets since."""
    loop, hearer = asyncio.get_running_loop(), Hearer(channel)
    ours, theirs = socket.socketpair()

    def read() -> None:
        loop.remove_reader(ours)
        world.bus.publish(topics.bot_out("a", "m"), READY, Ready("m"), at=deadline - 0.001)

    with ours, theirs:
        loop.add_reader(ours, read)
        theirs.send(READY)  # it waits there until the loop looks
        deadline = now()
        channel.wake_at(deadline)
        channel._disarm()
        channel._timer_at = deadline
        channel._ring()
        assert hearer.heard == []
        await hearer.until(1)
    assert isinstance(hearer.heard[0], Said)


async def test_the_listener_is_woken_at_its_deadline_and_not_after_it_has_stopped(channel: BusChannel) -> None:
    hearer = Hearer(channel)
    woken = now() + 0.01
    channel.wake_at(woken + 5)
    channel.wake_at(woken)
    await hearer.until(1)
    assert hearer.heard == [None]
    assert now() >= woken - CLOCK
    channel.wake_at(now())
    channel.listen(None)
    await asyncio.sleep(0.01)
    assert hearer.heard == [None]


async def test_what_a_bot_is_without_is_known_of_whoever_holds_its_seat_now(world: World) -> None:
    hello = Hello("a", ["chess"], without=["moves"])
    session = world.lobby.join(hello, Wire(), "websocket")
    world.join("b")
    with world.channel() as channel:
        assert (set(channel.without(0)), set(channel.without(1))) == ({"moves"}, set())
        world.lobby.leave(session)
        world.join("a")
        assert set(channel.without(0)) == set(), "another program, which wants them"
        world.lobby.join(Hello("a", ["chess"], without=["played"]), Wire(), "mqtt")
        assert set(channel.without(0)) == set(), "it has not taken the seat"


async def test_when_its_match_is_over_it_is_freed_without_the_garbage_collector(world: World) -> None:
    gc.disable()
    try:
        with BusChannel(world.bus, world.lobby, "freed", "chess", ("a",), absent_ok=True) as channel:
            channel.listen(lambda _: None)
            freed = weakref.ref(channel)
        del channel
        await asyncio.sleep(0.01)  # until the loop has asked whether it had still something to tell
        assert freed() is None
    finally:
        gc.enable()
