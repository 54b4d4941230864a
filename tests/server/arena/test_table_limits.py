"""Limits on the number of tables."""

import pytest

from palio_server.arena.table import (
    BURST,
    HOUSE_A_TABLE,
    MOST,
    OF_ONE,
    ONES_BURST,
    PER_SECOND,
    TableLimits,
    TooMany,
    Use,
)


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
        TableLimits(2).check(0.0, house, Use(in_use, house_in_use))


@pytest.mark.parametrize(
    ("house", "own", "why"),
    [
        (0, Use(OF_ONE, 0), "16 tables are in use from your address"),
        (1, Use(2, 2), "2 tables are in use against the house's bots from your address"),
    ],
)
def test_one_address_leaves_tables_to_others(house, own, why):
    limits = TableLimits(3)
    with pytest.raises(TooMany, match=why):
        limits.check(0.0, house, own, "192.0.2.1", own)
    limits.check(0.0, house, own, "192.0.2.2", Use())
    limits.check(0.0, house, own, "", own)  # many share it


def test_one_address_leaves_the_burst_to_others():
    limits = TableLimits(2)
    for _ in range(ONES_BURST):
        limits.check(100.0, 0, Use(), "192.0.2.1")
        limits.opened(100.0, "192.0.2.1")
    with pytest.raises(TooMany, match="try again in a few seconds"):
        limits.check(100.0, 0, Use(), "192.0.2.1")
    limits.check(100.0, 0, Use(), "192.0.2.2")
    limits.check(100.0 + ONES_BURST / PER_SECOND, 0, Use(), "192.0.2.1")


def test_up_to_the_limits_tables_are_opened():
    TableLimits(2).check(0.0, HOUSE_A_TABLE, Use(MOST - 1, 1))
    TableLimits(0).check(0.0, 0, Use())


def test_tables_may_be_opened_so_fast_and_no_faster():
    limits = TableLimits(2)
    for _ in range(BURST):
        limits.check(100.0, 0, Use())
        limits.opened(100.0)
    with pytest.raises(TooMany, match="try again in a few seconds"):
        limits.check(100.0 + BURST / PER_SECOND - 0.1, 0, Use())
    limits.check(100.0 + BURST / PER_SECOND, 0, Use())
