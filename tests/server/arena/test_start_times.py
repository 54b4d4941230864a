"""Tournaments wait for their time, and are tried again when it was not possible."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from palio_server.arena.tournaments import StartTimes

pytestmark = pytest.mark.virtual_clock

THEN = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
async def times():
    began = asyncio.get_running_loop().time()
    return StartTimes(lambda: THEN + timedelta(seconds=asyncio.get_running_loop().time() - began))


async def test_those_are_due_whose_time_has_come_and_again_until_they_are_forgotten(times):
    times.put(1, THEN + timedelta(seconds=5))
    times.put(2, THEN + timedelta(hours=1))
    assert times.take_due() == []
    await times.wait()
    assert times.take_due() == [1]
    assert times.take_due() == []
    await times.wait()
    assert times.take_due() == [1], "nobody has said that it was started"
    times.forget(1)
    await asyncio.sleep(60)
    assert times.take_due() == []


async def test_only_one_that_is_late_is_hurried(times):
    times.put(1, THEN)
    times.put(2, THEN + timedelta(hours=1))
    assert times.take_due() == [1]
    times.hurry(2)
    times.hurry(1)
    await asyncio.wait_for(times.wait(), 0.001)
    assert times.take_due() == [1]
    times.hurry(3)
    assert times.take_due() == []
