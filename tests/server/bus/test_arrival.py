"""When a message came: as the event loop would have read it, had it been idle."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from palio_server.bus.arrival import LATE_S, NEXT_S, TICK_S, Arrivals

pytestmark = pytest.mark.virtual_clock


def now() -> float:
    return asyncio.get_running_loop().time()


def pass_busily(seconds: float) -> None:
    """Time passes within one turn of the loop, as it does while something computes."""
    asyncio.get_running_loop()._clock.now += seconds


@pytest.fixture
async def arrivals() -> AsyncIterator[Arrivals]:
    found = Arrivals()
    found.begin()
    yield found
    found.end()


async def test_in_an_idle_loop_a_message_came_when_it_is_read(arrivals: Arrivals) -> None:
    for pause in (0.5, 2 * NEXT_S, 3.0):
        await asyncio.sleep(pause)
        assert arrivals.of() == now()


async def test_what_is_read_after_other_messages_came_before_they_were_served(arrivals: Arrivals) -> None:
    await asyncio.sleep(1)
    looked = arrivals.of()
    pass_busily(NEXT_S / 2)
    assert arrivals.of() == looked, "it waited while the first was served"


async def test_after_a_long_absence_it_may_have_come_at_any_time_of_it(arrivals: Arrivals) -> None:
    await asyncio.sleep(1)
    before = now()
    pass_busily(0.3)
    assert before - TICK_S <= arrivals.of() <= before
    assert arrivals.of(lambda: None) <= before


@pytest.mark.parametrize(("silent", "ago"), [(0.1, 0.1), (0.25, 0.25), (0.29, 0.29)])
async def test_who_knows_when_the_last_bytes_came_is_asked(arrivals: Arrivals, silent: float, ago: float) -> None:
    await asyncio.sleep(1)
    pass_busily(0.3)
    assert arrivals.of(lambda: silent) == pytest.approx(now() - ago)


async def test_bytes_that_came_before_the_absence_would_have_been_read_then(arrivals: Arrivals) -> None:
    await asyncio.sleep(1)
    before = now()
    pass_busily(0.3)
    assert arrivals.of(lambda: 5.0) >= before - TICK_S


async def test_an_absence_counts_even_if_the_timer_was_served_before_the_sockets(arrivals: Arrivals) -> None:
    await asyncio.sleep(1)
    before = now()
    pass_busily(0.3)
    arrivals._tick()
    assert arrivals.of() <= before


@pytest.mark.parametrize("silent", [None, lambda: None, lambda: 0.05])
async def test_what_came_between_two_looks_is_not_said_to_have_come_when_the_timer_ticked_later(
    arrivals: Arrivals, silent: Callable[[], float | None] | None
) -> None:
    """On a loop that looks at the clock after each look at its sockets, as uvloop does."""
    await asyncio.sleep(1)
    looked = now()
    arrivals._turn_time = lambda: looked
    assert arrivals.of() == looked
    pass_busily(NEXT_S / 2)  # a message may come now
    arrivals._tick()
    next_look = now()
    arrivals._turn_time = lambda: next_look
    pass_busily(0.3)  # the loop serves another peer first
    assert arrivals.of(silent) == looked


async def test_nobody_is_asked_while_the_loop_is_there_in_time(arrivals: Arrivals) -> None:
    await asyncio.sleep(1)
    pass_busily(LATE_S - TICK_S)
    assert arrivals.of(lambda: 1 / 0) <= now()


async def test_it_ticks_only_while_matches_are_played() -> None:
    arrivals = Arrivals()
    arrivals.begin()
    arrivals.begin()
    arrivals.end()
    assert arrivals._timer is not None
    arrivals.end()
    assert arrivals._timer is None
    await asyncio.sleep(10)
    assert arrivals.of() == now()
