"""How fast a machine is, and what its clocks become."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.time_control import TimeControl
from palio_server.addons.cluster.worker import factor, workload


def test_the_work_is_the_same_every_time():
    assert workload() == workload() > 10_000


def test_half_as_fast_is_twice_the_time():
    assert factor(1000, 500) == 2.0
    assert factor(1000, 4000) == 0.25
    assert factor(1000, 1010) == 1.0
    assert TimeControl(10_000, 100, 500).scaled(2.0) == TimeControl(20_000, 200, 1000)


@given(
    st.builds(TimeControl, st.none() | st.integers(1, 10**7), st.integers(0, 10**5), st.none() | st.integers(1, 10**6)),
    st.floats(0.25, 4),
)
def test_scaling_gives_and_takes_no_clock(time: TimeControl, by: float):
    scaled = time.scaled(by)
    assert (scaled.base_ms is None, scaled.move_ms is None) == (time.base_ms is None, time.move_ms is None)
    assert scaled.margin_ms == time.margin_ms
    if time.move_ms is not None:
        assert scaled.move_ms == pytest.approx(time.move_ms * by, abs=1)
