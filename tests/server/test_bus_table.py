"""A match's table over a real bus and a real lobby."""

import asyncio
import logging

import pytest

from palio_rules.messages import Hello, Move, Over, Ready, Result
from palio_rules.wire import decode_from_server, encode
from palio_server.bus import topics
from palio_server.bus.local import LocalBus
from palio_server.lobby import Lobby, NotAvailable
from palio_server.match.table import Garbled, Incoming, Joined, Left, Said, Stopped
from palio_server.network.bus_table import BACKLOG, BusTable
from palio_server.network.reading import note
from palio_server.session import Session


class Wire:
    def __init__(self) -> None:
        self.posts: list[bytes] = []

    def post(self, topic: str, message: bytes) -> None:
        self.posts.append(message)

    def close(self, code: int, reason: str) -> None: ...


class World:
    def __init__(self) -> None:
        self.bus = LocalBus()
        self.lobby = Lobby(self.bus, games=["chess"])

    def join(self, name: str) -> Session:
        return self.lobby.join(Hello(name=name, games=["chess"]), Wire(), "websocket")

    def table(self, *, absent_ok: bool = False) -> BusTable:
        return BusTable(self.bus, self.lobby, "m", "chess", ["a", "b"], absent_ok=absent_ok)

    def say(self, name: str, data: bytes) -> None:
        self.bus.publish(topics.bot_out(name, "m"), data)


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
async def table(world: World):
    world.join("a")
    world.join("b")
    with world.table() as table:
        yield table


CLOCK = 0.001  # an event loop's timers may ring that much early
READY = encode(Ready("m"))


def now() -> float:
    return asyncio.get_running_loop().time()


async def soon(table: BusTable) -> Incoming | None:
    return await table.next(now() + 10)


async def test_what_bots_say_is_heard_in_order_with_the_time_of_its_arrival(world: World, table: BusTable) -> None:
    before = now()
    world.say("b", READY)
    world.say("a", encode(Move("m", 1, [0, 1])))
    after = now()
    await asyncio.sleep(0.01)
    first, second = await soon(table), await soon(table)
    assert isinstance(first, Said)
    assert isinstance(second, Said)
    assert (first.seat, first.message, second.seat) == (1, Ready("m"), 0)
    assert before <= first.at <= second.at <= after


async def test_a_message_that_was_read_on_its_way_is_not_read_again(world: World, table: BusTable) -> None:
    data = b"never decoded"
    note(data, Ready("m"))
    world.say("a", data)
    heard = await soon(table)
    assert isinstance(heard, Said)
    assert heard.message == Ready("m")
    world.say("a", bytes(bytearray(data)))
    assert isinstance(await soon(table), Garbled), "other bytes, though equal"


async def test_waiting_ends_with_a_message(world: World, table: BusTable) -> None:
    waiting = asyncio.ensure_future(soon(table))
    await asyncio.sleep(0)
    world.say("a", READY)
    assert isinstance(await waiting, Said)


async def test_waiting_ends_at_the_deadline_whether_it_moved_forward_or_back(world: World, table: BusTable) -> None:
    start = now()
    for delay in (0.02, 0.01, 0.03):
        deadline = now() + delay
        assert await table.next(deadline) is None
        assert now() >= deadline - CLOCK
    world.say("a", READY)
    assert isinstance(await table.next(now() + 0.01), Said)  # its timer still runs, while a longer wait begins
    deadline = now() + 0.05
    assert await table.next(deadline) is None
    assert deadline - CLOCK <= now() < start + 5


async def test_what_is_queued_is_returned_even_after_the_deadline(world: World, table: BusTable) -> None:
    world.say("a", READY)
    assert isinstance(await table.next(now() - 1), Said)
    assert await table.next(now() - 1) is None


@pytest.mark.parametrize("deadline", [None, float("inf")])
async def test_without_a_deadline_it_waits_until_something_is_heard(world, table, deadline) -> None:
    waiting = asyncio.ensure_future(table.next(deadline))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    table.stop("tea")
    assert await waiting == Stopped("tea")


async def test_a_cancelled_wait_loses_nothing(world: World, table: BusTable) -> None:
    waiting = asyncio.ensure_future(soon(table))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    world.say("a", READY)
    assert isinstance(await soon(table), Said)


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x81\xa4type\xa4over", b"x" * 70_000])
async def test_bytes_that_are_no_message_are_reported(world: World, table: BusTable, data: bytes) -> None:
    world.say("a", data)
    assert isinstance(await soon(table), Garbled)


async def test_a_seat_that_floods_loses_its_own_messages_only(world, table, caplog) -> None:
    with caplog.at_level(logging.WARNING):
        for _ in range(BACKLOG + 100):
            world.say("a", READY)
    world.say("b", READY)
    heard = [await soon(table) for _ in range(BACKLOG + 1)]
    assert [each.seat for each in heard if isinstance(each, Said)] == [0] * BACKLOG + [1]
    assert len(caplog.records) == 1
    world.say("a", READY)
    assert isinstance(await soon(table), Said), "what has been read makes room"


async def test_posts_reach_the_seat_they_are_for(world: World) -> None:
    wires = [world.join(name).link for name in ("a", "b")]
    over = Over("m", Result("rule", "mate", [1.0, 0.0]))
    with world.table() as table:
        table.post(1, over)
        table.post(0, over)
        table.post(0, Over("m", Result("rule", "mate", [0.0, 1.0])))
    sent = [[decode_from_server(data) for data in wire.posts] for wire in wires]
    assert sent[1] == [over]
    assert sent[0][0] == over
    assert sent[0][1] != over


async def test_a_bot_that_leaves_and_returns_is_noticed(world: World) -> None:
    session = world.join("a")
    world.join("b")
    with world.table() as table:
        world.lobby.leave(session)
        left = await soon(table)
        world.join("a")
        joined = await soon(table)
    assert isinstance(left, Left)
    assert isinstance(joined, Joined)
    assert left.seat == joined.seat == 0


async def test_slots_are_taken_for_the_match_and_free_after_it(world: World) -> None:
    world.join("a")
    world.join("b")
    with world.table():
        assert world.lobby.free("chess") == []
    assert sorted(world.lobby.free("chess")) == ["a", "b"]
    assert not world.bus.wanted(topics.bot_out("a", "m"))


async def test_a_match_does_not_begin_without_its_bots_unless_it_may_wait(world: World) -> None:
    world.join("b")
    with pytest.raises(NotAvailable, match="a is not connected"), world.table():
        pass
    with world.table(absent_ok=True) as table:
        left = await soon(table)
        world.join("a")
        joined = await soon(table)
    assert isinstance(left, Left)
    assert isinstance(joined, Joined)
