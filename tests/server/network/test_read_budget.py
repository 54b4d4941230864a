"""The time in which peers are read in one turn of the loop ends, and begins again in the next."""

import asyncio

from palio_server.network.entrance import LONGEST_S, ReadBudget


async def test_the_time_is_up_for_all_until_the_next_turn() -> None:
    now = 5.0
    read_budget = ReadBudget(lambda: now)
    assert not read_budget.is_spent()
    now += LONGEST_S / 2
    assert not read_budget.is_spent()
    now += LONGEST_S
    assert read_budget.is_spent()
    await asyncio.sleep(0)
    assert not read_budget.is_spent()
    now += LONGEST_S
    assert read_budget.is_spent()
