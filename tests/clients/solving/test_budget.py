"""Budgets: limits of nodes and time, shares of what is left, and an end from outside."""

import threading
import time
from math import inf

import pytest

from palio_clients.solving.budget import Budget


def test_nodes_are_counted_and_limited():
    budget = Budget(nodes=3)
    assert [budget.tick() for _ in range(4)] == [False, False, True, True]
    assert budget.nodes == 4
    assert budget.left() == 0
    assert budget.used() == 1


@pytest.mark.parametrize(("nodes", "told"), [
    (inf, 0), (10**30, 0), (1 << 62, 0), (1 << 61, 1 << 61), (7, 7), (0.4, 1), (0, 1),
])  # fmt: skip
def test_a_compiled_search_hears_of_a_limit_that_its_integers_can_hold(nodes, told):
    """0 is no limit there, so that a budget with nothing left asks for one node."""
    assert Budget(nodes=nodes).most() == told
    assert Budget(nodes=2 * nodes).share(0.5).most() == told


def test_time_that_is_up_ends_it():
    budget = Budget(seconds=1e-9)
    time.sleep(0.001)
    assert budget.stop()
    assert budget.used() == 1


def test_without_limits_only_somebody_else_ends_it():
    budget = Budget()
    assert not any(budget.tick() for _ in range(1000))
    assert budget.used() == 0
    thread = threading.Thread(target=budget.cancel)
    thread.start()
    thread.join()
    assert budget.stop()


def test_a_share_spends_of_the_whole_and_ends_with_it():
    whole = Budget(nodes=100)
    share = whole.share(0.5, nodes=1000)
    assert share.limit == 50
    share.spend(20)
    assert (whole.nodes, whole.left(), share.left()) == (20, 80, 30)
    share.stage = "depth 3"
    assert whole.stage == "depth 3"
    whole.cancel()
    assert share.stop()


def test_a_compiled_search_shows_its_nodes_while_it_runs_and_they_count_once():
    whole = Budget()
    share = whole.share(1)
    with share.counting(lambda: 7):
        assert whole.nodes == 7
    share.spend(9)
    assert whole.nodes == 9
