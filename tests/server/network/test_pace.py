"""The time in which peers are read in one turn of the loop ends, and begins again in the next."""

import asyncio

from palio_server.network.entrance import LONGEST_S, Pace


async def test_the_time_is_up_for_all_until_the_next_turn() -> None:
    now = 5.0
    pace = Pace(lambda: now)
    assert not pace.is_up()
    now += LONGEST_S / 2
    assert not pace.is_up()
    now += LONGEST_S
    assert pace.is_up()
    await asyncio.sleep(0)
    assert not pace.is_up()
    now += LONGEST_S
    assert pace.is_up()
