"""Requests are begun by turns: one request waits for a few of a client that has thousands."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from palio_server.edge.turns import AT_ONCE, LONG_S, OF_ONE, RequestTurns

Virtually = Callable[[Coroutine[Any, Any, None]], Any]


async def answer(turns: RequestTurns, address: str, done: list[str], seconds: float = 0.0) -> None:
    async with turns.of(address):
        await asyncio.sleep(seconds)
        done.append(address)


def test_one_request_waits_for_no_more_than_those_that_have_begun(virtually: Virtually):
    async def story() -> None:
        turns, done = RequestTurns(), list[str]()
        flood = [asyncio.create_task(answer(turns, "flood", done)) for _ in range(5000)]
        await asyncio.sleep(0)
        one = asyncio.create_task(answer(turns, "one", done))
        await one
        assert len(done) <= OF_ONE + 4 * AT_ONCE
        await asyncio.gather(*flood)
        assert len(done) == 5001

    virtually(story())


def test_few_of_an_address_are_worked_on_at_a_time_and_long_ones_are_not_counted(virtually: Virtually):
    async def story() -> None:
        turns, done = RequestTurns(), list[str]()
        streams = [asyncio.create_task(answer(turns, "a", done, 1000)) for _ in range(OF_ONE)]
        await asyncio.sleep(LONG_S / 2)
        short = asyncio.create_task(answer(turns, "a", done))
        await asyncio.sleep(LONG_S / 4)
        assert not short.done()
        await asyncio.wait_for(answer(turns, "b", done), 0.01)
        await asyncio.wait_for(short, LONG_S)
        for each in streams:
            each.cancel()
        await asyncio.gather(*streams, return_exceptions=True)

    virtually(story())


def test_who_gives_up_while_waiting_takes_no_turn(virtually: Virtually):
    async def story() -> None:
        turns, done = RequestTurns(), list[str]()
        waiting = [asyncio.create_task(answer(turns, "a", done, 0.1)) for _ in range(3 * OF_ONE)]
        await asyncio.sleep(0.05)
        for each in waiting[OF_ONE:]:
            each.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert len(done) == OF_ONE
        for _ in range(3):
            await asyncio.wait_for(asyncio.gather(*(answer(turns, "a", done) for _ in range(OF_ONE))), 1)

    virtually(story())
