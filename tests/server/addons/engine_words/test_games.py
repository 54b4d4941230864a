"""A pair plays as many games as it would there: rounds x games."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_server.addons.engine_words.engines import encounters


@pytest.mark.parametrize(
    ("games", "repeat", "found"),
    [
        (None, None, (1, None)),
        (2, None, (1, 2)),
        (1, None, (1, 1)),
        (None, 2, (1, 2)),
        (2, 2, (1, 2)),
        (100, 2, (50, 2)),
        (100, None, (50, 2)),
        (3, None, (3, 1)),
        (None, 1, (1, 1)),
    ],
)
def test_rounds_and_games_of_a_duel(games, repeat, found):
    assert encounters(games, repeat, 2) == found


@given(st.integers(1, 1000), st.sampled_from([1, 2, 6]))
def test_the_number_of_games_is_kept(games, orders):
    times, each = encounters(games, None, orders)
    assert times * each == games
    assert each <= orders


@pytest.mark.parametrize(("games", "repeat"), [(1, 2), (3, 2), (2, 1), (2, 4), (None, 4)])
def test_what_would_repeat_an_opening_otherwise_is_refused(games, repeat):
    with pytest.raises(BadOption, match="an opening is played once from each side here"):
        encounters(games, repeat, 2)
