"""Rate limits: never more than burst and rate allow, for any of any number of keys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.edge.budgets import Budgets


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


asks = st.lists(
    st.tuples(st.floats(0, 3), st.sampled_from("abcdef"), st.sampled_from([0.5, 1.0, 2.0])), min_size=1, max_size=60
)


@given(asks, st.sampled_from([0.5, 1.0, 4.0]), st.sampled_from([2.0, 5.0]), st.integers(1, 4))
def test_no_key_ever_gets_more_than_burst_and_rate_allow(
    asked: list[tuple[float, str, float]], rate: float, burst: float, kept: int
) -> None:
    clock = Clock()
    budgets = Budgets(rate, burst, clock, kept=kept)
    granted: dict[str, list[tuple[float, float]]] = {}
    for pause, key, cost in asked:
        clock.now += pause
        if budgets.take(key, cost) == 0.0:
            granted.setdefault(key, []).append((clock.now, cost))
        assert len(budgets) <= kept
    for costs in granted.values():
        for first, (begin, _) in enumerate(costs):
            spent = 0.0
            for at, cost in costs[first:]:
                spent += cost
                assert spent <= burst + rate * (at - begin) + 1e-6


@given(asks, st.sampled_from([0.5, 4.0]))
def test_whoever_waits_as_long_as_it_was_told_is_granted(asked: list[tuple[float, str, float]], rate: float) -> None:
    clock = Clock()
    budgets = Budgets(rate, 2.0, clock)
    for pause, key, cost in asked:
        clock.now += pause
        if wait := budgets.take(key, cost):
            assert budgets.wait(key, cost) == pytest.approx(wait)
            clock.now += wait
            assert budgets.take(key, cost) == 0.0


def test_what_is_given_back_can_be_spent_again() -> None:
    budgets = Budgets(1, 2, Clock())
    assert [budgets.take("ann") for _ in range(2)] == [0, 0]
    budgets.give("ann")
    assert budgets.take("ann") == 0
    assert budgets.take("ann") == pytest.approx(1.0)


def test_a_crowd_of_strangers_shares_one_budget_when_there_is_no_room_for_more() -> None:
    budgets = Budgets(1, 5, Clock(), kept=10)
    granted = sum(budgets.take(f"stranger {number}", 5) == 0 for number in range(1000))
    assert granted == 11
    assert len(budgets) == 10


def test_idle_budgets_make_room_for_others() -> None:
    clock = Clock()
    budgets = Budgets(1, 5, clock, kept=10)
    for number in range(10):
        budgets.take(f"old {number}")
    clock.now += 60
    assert [budgets.take(f"new {number}", 5) for number in range(10)] == [0] * 10


def test_a_budget_says_when_it_can_never_pay() -> None:
    with pytest.raises(ValueError, match="never pays 6"):
        Budgets(1, 5, Clock()).take("ann", 6)
