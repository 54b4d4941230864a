"""What is known of Chexers: an evaluation for three."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import start, table_positions

from palio_clients.games import companion_of

chexers = companion_of("chexers")


@given(table_positions, st.none() | st.integers(0, 2))
def test_the_evaluation_of_three_seats_adds_up_to_nothing(found, out):
    state = found[1] if out is None else found[1].without(out)
    values = [chexers.evaluate(state, seat) for seat in range(3)]
    assert sum(values) == pytest.approx(0)
    if out is not None:
        assert values[out] == 0


def test_the_evaluation_is_fair_to_all_colours_at_the_start():
    assert [chexers.evaluate(start("chexers"), seat) for seat in range(3)] == pytest.approx([0, 0, 0])
