"""How many tables there may be, in numbers."""

import pytest

from palio_server.arena.table import TooMany
from palio_server.arena.table_limits import BURST, HOUSE_A_TABLE, MOST, PER_SECOND, TableLimits


@pytest.mark.parametrize(
    ("house", "in_use", "house_in_use", "why"),
    [
        (0, MOST, 0, "64 tables are in use"),
        (1, 5, 2, "2 tables are in use against the house's bots"),
        (HOUSE_A_TABLE + 1, 0, 0, "4 of the house's bots are wanted; take 3 at most"),
    ],
)
def test_each_limit_has_its_sentence(house, in_use, house_in_use, why):
    with pytest.raises(TooMany, match=why):
        TableLimits(2).check(0.0, house, in_use, house_in_use)


def test_up_to_the_limits_tables_are_opened():
    TableLimits(2).check(0.0, HOUSE_A_TABLE, MOST - 1, 1)
    TableLimits(0).check(0.0, 0, 0, 0)


def test_tables_may_be_opened_so_fast_and_no_faster():
    limits = TableLimits(2)
    for _ in range(BURST):
        limits.check(100.0, 0, 0, 0)
        limits.opened(100.0)
    with pytest.raises(TooMany, match="try again in a few seconds"):
        limits.check(100.0 + BURST / PER_SECOND - 0.1, 0, 0, 0)
    limits.check(100.0 + BURST / PER_SECOND, 0, 0, 0)
