"""BayesElo: chances and differences belong together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.ratings.sprt import BayesElo, drawelo_of


@given(st.floats(-500, 500), st.floats(1, 500))
def test_chances_give_the_readiness_to_draw_that_made_them(elo, drawelo):
    loss, draw, win = BayesElo(elo, drawelo).chances
    assert loss + draw + win == pytest.approx(1)
    assert drawelo_of(loss, win) == pytest.approx(drawelo)


def test_without_draws_it_is_logistic_elo():
    even = BayesElo(100.0, 0.0)
    assert even.score == pytest.approx(1 / (1 + 10 ** (-0.25)))
