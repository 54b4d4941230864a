"""BayesElo: chances and differences belong together, and cutechess-cli's ratios come out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.ratings.sample import Sample
from palio_server.ratings.sprt import BayesElo, cutechess_llr, drawelo_of


# cutechess/cutechess @5e84232 projects/lib/tests/sprt/tst_sprt.cpp: wins, draws, losses, ratio within 0.01
@pytest.mark.parametrize(
    ("wins", "draws", "losses", "llr"), [(1477, 2942, 1351, 2.52), (555, 298, 555, -0.74), (3, 1, 149, -4.69)]
)
def test_the_ratio_is_that_of_cutechess(wins, draws, losses, llr):
    assert cutechess_llr(Sample.of_games(wins, draws, losses), 0, 10) == pytest.approx(llr, abs=0.01)


@given(st.floats(-500, 500), st.floats(1, 500))
def test_chances_give_the_readiness_to_draw_that_made_them(elo, drawelo):
    loss, draw, win = BayesElo(elo, drawelo).chances
    assert loss + draw + win == pytest.approx(1)
    assert drawelo_of(loss, win) == pytest.approx(drawelo)


def test_without_draws_it_is_logistic_elo():
    even = BayesElo(100.0, 0.0)
    assert even.score == pytest.approx(1 / (1 + 10 ** (-0.25)))
    assert even.scale == pytest.approx(1)
