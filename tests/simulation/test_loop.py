"""The loop: time jumps, order is kept, and what belongs to a frozen process waits."""

import asyncio
from contextvars import copy_context
from dataclasses import dataclass

import pytest

from palio_simulation.loop import EPOCH, OWNER, SimulatedLoop, Stuck


@dataclass(eq=False)
class Process:
    frozen: bool = False


@pytest.fixture
def loop():
    found = SimulatedLoop()
    yield found
    found.close()


def test_an_hour_takes_no_time(loop) -> None:
    loop.run_until_complete(asyncio.sleep(3600))
    assert loop.time() == EPOCH + 3600


def test_timers_of_the_same_moment_ring_in_the_order_in_which_they_were_made(loop) -> None:
    rung = []
    for number in range(20):
        loop.call_later(1.0, rung.append, number)
    loop.run_until_complete(asyncio.sleep(2))
    assert rung == [*range(20)]


def test_a_thread_s_work_is_done_in_this_one(loop) -> None:
    async def story() -> None:
        assert await asyncio.to_thread(lambda: 7) == 7
        with pytest.raises(ZeroDivisionError):
            await asyncio.to_thread(lambda: 1 / 0)

    loop.run_until_complete(story())


def test_what_belongs_to_a_frozen_process_waits_until_it_is_thawed_not_even_ending(loop) -> None:
    told, process = [], Process()
    context = copy_context()
    context.run(OWNER.set, process)

    async def live() -> None:
        try:
            while True:
                told.append(loop.time() - EPOCH)
                await asyncio.sleep(1)
        finally:
            told.append("ended")

    async def story() -> None:
        task = loop.create_task(live(), context=context)
        await asyncio.sleep(1.5)
        process.frozen = True
        task.cancel()
        await asyncio.sleep(10)
        assert told == [0, 1]
        process.frozen = False
        loop.thaw()
        await asyncio.sleep(0.1)
        assert told == [0, 1, "ended"]

    loop.run_until_complete(story())


def test_a_deadlock_is_named(loop) -> None:
    with pytest.raises(Stuck, match="no timer will ever wake one"):
        loop.run_until_complete(loop.create_future())
