"""Elo, normalised Elo and likelihood of superiority equal what fastchess prints, and hold together."""

from math import inf, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_server.ratings.elo import Score
from palio_server.ratings.sample import NELO, Sample

# Disservin/fastchess @74deac2 app/tests/elo_test.cpp, within 1 % as there: counts, then nElo, its error, Elo, its
# error, likelihood of superiority in per cent, points a game; None is not checked there.
FASTCHESS_GAMES = [  # wins, draws, losses
    ((76, 123, 89), (-20.76, 40.13, None, None, 15.53, 0.477)),
    ((136, 111, 96), (49.77, 36.77, 40.7, 30.43, 99.60, 0.558)),
    ((34, 0, 356), (-508.44, 34.48, None, None, None, 0.087)),
]
FASTCHESS_PAIRS = [  # LL, LD, WL, DD, WD, WW
    ((34, 54, 31, 32, 64, 75), (57.94, 28.28, 55.58, 27.65, 100.0, 0.579)),
    ((332, 433, 457, 41, 333, 334), (-9.17, 10.96, -8.64, 10.33, 5.05, 0.488)),
    ((7895, 8757, 5485, 200, 568, 9999), (-19.01, 2.65, -21.04, 2.95, 0.00, 0.470)),
]


def printed(sample, published):
    figures = (sample.nelo, sample.nelo_error, sample.elo, sample.elo_error, 100 * sample.los, sample.mean)
    for figure, theirs in zip(figures, published, strict=True):
        if theirs is not None:
            assert figure == pytest.approx(theirs, rel=0.0005, abs=0.0055)


@pytest.mark.parametrize(("counts", "published"), FASTCHESS_GAMES)
def test_games_give_the_figures_of_fastchess(counts, published):
    printed(Sample.of_games(*counts), published)


@pytest.mark.parametrize(("counts", "published"), FASTCHESS_PAIRS)
def test_pairs_give_the_figures_of_fastchess(counts, published):
    lost, half, split, drawn, more, won = counts
    printed(Sample((lost, half, split + drawn, more, won)), published)


@given(st.integers(100, 5000), st.integers(0, 5000), st.integers(100, 5000))
def test_elo_and_its_error_are_those_of_cutechess_too(wins, draws, losses):
    ours, theirs = Sample.of_games(wins, draws or 1, losses), Score(wins, losses, draws or 1)
    assert ours.elo == pytest.approx(theirs.elo, abs=1e-6)
    assert ours.elo_error == pytest.approx(theirs.error, rel=1e-6)


def test_the_two_programs_differ_in_the_likelihood_of_superiority_of_the_same_games():
    """cutechess leaves draws out, fastchess takes the variance that was seen."""
    assert Score(wins=30, losses=10, draws=60).los == pytest.approx(0.99922, abs=1e-5)
    assert Sample.of_games(30, 60, 10).los == pytest.approx(0.99957, abs=1e-5)


counts = st.lists(st.integers(0, 5000), min_size=3, max_size=3) | st.lists(st.integers(0, 5000), min_size=5, max_size=5)


@given(counts)
def test_the_other_side_sees_the_same_turned_round(found):
    ours, theirs = Sample(tuple(found)), Sample(tuple(found[::-1]))
    assert theirs.elo == pytest.approx(-ours.elo, abs=1e-6)
    assert theirs.nelo == pytest.approx(-ours.nelo, rel=1e-6, abs=1e-6)
    assert theirs.elo_error == pytest.approx(ours.elo_error)
    assert theirs.los == pytest.approx(1 - ours.los, abs=1e-9)


@given(st.integers(0, 500), st.integers(0, 500), st.integers(1, 500))
def test_pairs_whose_games_depend_on_nothing_say_what_single_games_say(wins, draws, losses):
    """Games drawn at random into pairs: the products of their shares. A pair's mean has half of a game's variance."""
    size = wins + draws + losses
    w, d, l = (count / size for count in (wins, draws, losses))  # noqa: E741  # their usual names
    if min(w, d, l) == 0:
        return
    pairs = Sample(tuple(1e6 * share for share in (l * l, 2 * l * d, 2 * l * w + d * d, 2 * w * d, w * w)))
    games = Sample.of_games(1e6 * w, 1e6 * d, 1e6 * l)
    assert pairs.elo == pytest.approx(games.elo, abs=1e-6)
    assert pairs.nelo == pytest.approx(games.nelo, rel=1e-6, abs=1e-6)
    assert pairs.elo_error == pytest.approx(games.elo_error / sqrt(2), rel=1e-2)  # twice as many games


def test_who_has_won_everything_has_a_finite_figure():
    sample = Sample.of_games(100, 0, 0)
    assert sample.elo == pytest.approx(1199.8, abs=0.1)  # a score of 0.999
    assert sample.los == pytest.approx(1.0)
    assert 0 < sample.nelo < inf


def test_no_result_says_nothing():
    sample = Sample.of_games(0, 0, 0)
    assert (sample.elo, sample.nelo, sample.los, sample.games) == (0.0, 0.0, 0.5, 0)
    assert (sample.elo_error, sample.nelo_error) == (inf, inf)


def test_the_error_of_normalised_elo_depends_on_the_number_of_games_only():
    assert Sample.of_games(10, 80, 10).nelo_error == pytest.approx(1.959964 * NELO / 10)
    assert Sample((5, 10, 20, 10, 5)).nelo_error == pytest.approx(1.959964 * NELO / 10)


@pytest.mark.parametrize("wrong", [(1, 2), (1, 2, 3, 4), (1, 2, -3), (1.0, 2.0, inf), ()])
def test_other_counts_are_refused(wrong):
    with pytest.raises(BadOption):
        Sample(wrong)
