"""Elo, error bar and likelihood of superiority, against figures that cutechess-cli prints and that a hand can check."""

from math import inf, isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.ratings.elo import Score, difference

counts = st.integers(0, 500)


@pytest.mark.parametrize(
    ("score", "elo", "error", "los", "draws"),
    [
        # By hand from cutechess's elo.cpp: mu = 0.6, variance = 0.19 / 10, interval 0.3299 .. 0.8702.
        (Score(5, 3, 2), 70.4, 226.8, 76.0, 20.0),
        # mu = 0.5115, sigma = 0.3679 / sqrt(3838): interval 0.4998 .. 0.5231.
        (Score(1083, 995, 1760), 8.0, 8.1, 97.3, 45.9),
        (Score(50, 50, 0), 0.0, 69.0, 50.0, 0.0),
        (Score(0, 0, 8), 0.0, 0.0, 50.0, 100.0),
    ],
)
def test_the_figures_are_those_of_cutechess(score, elo, error, los, draws):
    shown = (score.elo, score.error, 100 * score.los, 100 * score.draw_ratio)
    assert tuple(round(figure, 1) for figure in shown) == (elo, error, los, draws)


def test_a_score_of_three_quarters_is_191_elo():
    assert round(difference(0.75), 1) == 190.8
    assert difference(0.5) == 0


def test_a_clean_sheet_is_infinitely_better_with_an_infinite_error():
    assert (Score(4, 0, 0).elo, Score(4, 0, 0).error) == (inf, inf)
    assert (Score(0, 4, 0).elo, Score(0, 4, 0).error) == (-inf, inf)


def test_an_interval_that_reaches_the_end_of_the_scale_is_open():
    assert Score(9, 1, 0).error == inf


def test_no_games_say_nothing():
    assert (Score().ratio, Score().elo, Score().error, Score().los) == (0.0, 0.0, inf, 0.5)


@given(counts, counts, counts)
def test_the_other_side_sees_the_same_with_the_opposite_sign(wins, losses, draws):
    ours, theirs = Score(wins, losses, draws), Score(losses, wins, draws)
    assert isclose(ours.elo, -theirs.elo, abs_tol=1e-6)
    assert isclose(ours.error, theirs.error, rel_tol=1e-6)
    assert isclose(ours.los, 1 - theirs.los, abs_tol=1e-9)


@given(counts, counts, counts)
def test_four_times_the_games_do_not_widen_the_interval(wins, losses, draws):
    assert Score(4 * wins, 4 * losses, 4 * draws).error <= Score(wins, losses, draws).error + 1e-9


@pytest.mark.parametrize(("points", "after"), [(1, Score(2, 1, 1)), (0, Score(1, 2, 1)), (0.5, Score(1, 1, 2))])
def test_a_game_is_counted_as_what_it_was(points, after):
    assert Score(1, 1, 1).add(points) == after
