"""Anchors, exact errors, likelihood of superiority, and two names of the same program."""

from math import sqrt

import numpy as np
import pytest

from palio_db.values import PRIOR_ELO, PairScore
from palio_server.ratings.bradley_terry import ELO, rate, superiorities
from palio_server.ratings.elo import Z_95
from palio_server.ratings.sample import Sample, normal


def round_robin(strengths, games, rng):
    names = sorted(strengths)
    pairs = []
    for number, a in enumerate(names):
        for b in names[number + 1 :]:
            wins = int(rng.binomial(games, 1 / (1 + 10 ** ((strengths[b] - strengths[a]) / 400))))
            pairs.append(PairScore(a, b, wins, 0, games - wins))
    return pairs


STRENGTHS = {"ann": 1500, "bob": 1620, "cid": 1430, "dan": 1550, "eve": 1400}


def exact_errors(pairs, ratings):
    """From the whole information matrix, inverted, the mean's own variance taken off."""
    names = sorted(ratings)
    prior = (ELO / PRIOR_ELO) ** 2
    information = np.eye(len(names)) * prior
    for pair in pairs:
        i, j = names.index(pair.first), names.index(pair.second)
        p = 1 / (1 + 10 ** ((ratings[pair.second].rating - ratings[pair.first].rating) / 400))
        weight = pair.games * p * (1 - p)
        information[[i, j], [i, j]] += weight
        information[[i, j], [j, i]] -= weight
    variance = np.diag(np.linalg.inv(information)) - 1 / (prior * len(names))
    return dict(zip(names, Z_95 * ELO * np.sqrt(variance), strict=True))


@pytest.mark.parametrize("bots", [5, 90, 300])
def test_errors_are_those_of_the_inverse_matrix(bots):
    rng = np.random.default_rng(bots)
    strengths = {f"bot{n:03}": float(rng.normal(1500, 150)) for n in range(bots)}
    pairs = round_robin(strengths, 5, rng)[:: max(1, bots // 60)]
    ratings = rate(pairs)
    for bot, error in exact_errors(pairs, ratings).items():
        assert ratings[bot].error == pytest.approx(error, rel=1e-4)


def test_an_anchor_has_its_rating_and_the_others_stand_beside_it():
    pairs = round_robin(STRENGTHS, 100, np.random.default_rng(3))
    free, held = rate(pairs), rate(pairs, anchors={"ann": 2000})
    assert (held["ann"].rating, held["ann"].error) == (2000, 0)
    for bot in STRENGTHS:
        assert held[bot].rating - 2000 == pytest.approx(free[bot].rating - free["ann"].rating, abs=0.01)
    assert all(held[bot].error > free[bot].error for bot in STRENGTHS if bot != "ann")  # the anchor's own is in it


def test_several_anchors_hold_and_the_rest_is_likeliest_between_them():
    pairs = [PairScore("a", "b", 50, 0, 50), PairScore("b", "c", 50, 0, 50)]
    held = rate(pairs, anchors={"a": 1400, "c": 1600})
    assert (held["a"].rating, held["c"].rating) == (1400, 1600)
    assert held["b"].rating == pytest.approx(1500, abs=0.01)


def test_anchors_that_have_not_played_are_left_out():
    assert rate([PairScore("a", "b", 5, 0, 5)], anchors={"zoe": 2000}).keys() == {"a", "b"}


def test_superiority_of_two_is_that_of_their_difference():
    """One pair alone: the difference over its deviation, which the games of these two give."""
    pairs = [PairScore("a", "b", 60, 0, 40)]
    found = superiorities(pairs)["a", "b"]
    apart, variance = np.log(60 / 40), 1 / (100 * 0.6 * 0.4)
    assert found == pytest.approx(normal(apart / sqrt(variance)), abs=0.002)
    assert found == pytest.approx(Sample.of_games(60, 0, 40).los, abs=0.005)
    assert superiorities([pairs[0].flipped()])["b", "a"] == pytest.approx(1 - found)


def test_superiority_counts_games_with_others_but_none_of_other_groups():
    """The games of b and c alone say nothing, those of both with a decide."""
    pairs = [PairScore("a", "b", 80, 0, 20), PairScore("a", "c", 20, 0, 80), PairScore("b", "c", 5, 0, 5)]
    found = superiorities(pairs)
    assert found["b", "c"] < 0.01
    assert superiorities([*pairs, PairScore("x", "y", 9, 0, 1)])["b", "c"] == pytest.approx(found["b", "c"])


def test_two_names_of_one_program_overlap_in_their_bars_as_often_as_promised():
    """greedy and greedy-2: where games are drawn by themselves, their ratings are as far apart as the bars say."""
    rng = np.random.default_rng(11)
    strengths = {"greedy": 1500, "greedy-2": 1500, "random": 1200, "minimax": 1650}
    beyond = overlap = 0
    for _ in range(300):
        pairs = round_robin(strengths, 30, rng)
        rated = rate(pairs)
        beyond += not 0.025 <= superiorities(pairs)["greedy", "greedy-2"] <= 0.975
        apart = abs(rated["greedy"].rating - rated["greedy-2"].rating)
        overlap += apart <= rated["greedy"].error + rated["greedy-2"].error
    assert 0.02 <= beyond / 300 <= 0.09
    assert overlap / 300 > 0.97
