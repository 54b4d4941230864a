"""The flag that stops a kernel."""

import threading

import pytest

from palio_clients.kernels.jit import stop_flag
from palio_clients.search.game_tree import never


def test_a_flag_that_nobody_watches_stays_down_and_costs_no_thread():
    before = threading.active_count()
    with stop_flag(never) as flag:
        assert threading.active_count() == before
        assert not flag[0]


def test_a_flag_is_up_from_the_beginning_if_it_is_late_already():
    with stop_flag(lambda: True) as flag:
        assert flag[0]


def test_a_flag_is_raised_when_stop_says_so():
    over = threading.Event()
    with stop_flag(over.is_set) as flag:
        assert not flag[0]
        over.set()
        for _ in range(10_000):
            if flag[0]:
                break
            threading.Event().wait(0.001)
        assert flag[0]


def test_the_watcher_is_gone_at_the_end():
    before = threading.active_count()
    with stop_flag(lambda: False):
        assert threading.active_count() == before + 1
    assert threading.active_count() == before


def test_what_stop_raises_reaches_the_caller_and_stops_the_kernel():
    looks = []

    def stop():
        looks.append(None)
        if len(looks) > 2:
            raise OSError("the clock has run away")
        return False

    def work():
        with stop_flag(stop) as flag:
            while not flag[0]:
                threading.Event().wait(0.001)

    with pytest.raises(OSError, match="run away"):
        work()


def test_an_error_of_the_caller_is_not_hidden():
    with pytest.raises(KeyError), stop_flag(lambda: False):
        raise KeyError
