"""A loop that is kept busy is late, and says by how much."""

import asyncio

import pytest

from palio_server.metrics import EVERY_S, REMEMBERED_S, LoopLag


@pytest.mark.virtual_clock
async def test_work_that_holds_up_the_loop_is_seen_and_forgotten_in_time():
    lag, loop = LoopLag(), asyncio.get_running_loop()
    task = asyncio.create_task(lag.run())
    await asyncio.sleep(EVERY_S * 4.5)
    assert lag.worst_s == 0.0
    loop._clock.now += 2.0  # the effect of a long computation on all others
    await asyncio.sleep(0)
    await asyncio.sleep(EVERY_S)
    assert lag.worst_s == pytest.approx(2.0, abs=EVERY_S)
    assert lag.seen.counts[-2] == 1
    await asyncio.sleep(REMEMBERED_S + 1)
    assert lag.worst_s == 0.0
    task.cancel()
