"""Ratings: equal to what can be computed by hand, fair to every bot, and right about their own errors."""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import exp, isfinite, log10, sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_db.values import PairScore, Rating
from palio_server.ratings import bradley_terry
from palio_server.ratings.bradley_terry import ELO, UNRATED, rate

NAMES = ["anna", "ben", "cleo", "dan", "eve"]
counts = st.integers(0, 40)
scores = st.builds(
    lambda pairs, results: [PairScore(*pair, *result) for pair, result in zip(pairs, results, strict=False)],
    st.lists(st.sampled_from(list(combinations(NAMES, 2))), unique=True, max_size=10),
    st.lists(st.tuples(counts, counts, counts), min_size=10, max_size=10),
)


def difference(ratings: dict[str, Rating], a: str, b: str) -> float:
    return ratings[a].rating - ratings[b].rating


@pytest.mark.parametrize(("wins", "draws", "losses"), [(7500, 0, 2500), (5000, 5000, 0), (5000, 0, 5000)])
def test_two_bots_differ_by_the_elo_formula(wins, draws, losses):
    ratings = rate([PairScore("anna", "ben", wins, draws, losses)])
    p = (wins + draws / 2) / 10_000
    assert difference(ratings, "anna", "ben") == pytest.approx(400 * log10(p / (1 - p)), abs=0.02)
    assert ratings["anna"].rating + ratings["ben"].rating == pytest.approx(3000)
    of_difference = 1.96 * ELO / sqrt(10_000 * p * (1 - p))
    assert ratings["anna"].error == pytest.approx(of_difference / 2, rel=1e-3)  # each stands half of it off the mean


def test_a_hundred_games_are_moved_by_the_prior_less_than_an_elo_point():
    ratings = rate([PairScore("anna", "ben", 60, 20, 20)])
    assert difference(ratings, "anna", "ben") == pytest.approx(400 * log10(70 / 30), abs=0.3)


def test_three_bots_whose_scores_fit_one_scale_exactly_are_put_on_it():
    """10 : 1 and 10 : 1 make 100 : 1, so the middle one stands on the mean, the others 400 away."""
    ratings = rate(
        [
            PairScore("anna", "ben", 100_000, 0, 10_000),
            PairScore("ben", "cleo", 100_000, 0, 10_000),
            PairScore("anna", "cleo", 100_000, 0, 1_000),
        ]
    )
    assert [ratings[name].rating for name in NAMES[:3]] == pytest.approx([1900, 1500, 1100], abs=0.05)


def test_a_bot_that_has_only_won_has_a_finite_rating_that_grows_with_its_wins():
    gaps = [difference(rate([PairScore("anna", "ben", wins, 0, 0)]), "anna", "ben") for wins in (1, 10, 100, 10**6)]
    assert all(isfinite(gap) for gap in gaps)
    assert 0 < gaps[0] < gaps[1] < gaps[2] < gaps[3] < 6000


def test_few_games_or_wide_errors_are_provisional():
    assert all(rating.provisional for rating in rate([PairScore("anna", "ben", 5, 0, 4)]).values())
    assert all(rating.provisional for rating in rate([PairScore("anna", "ben", 30, 0, 0)]).values())
    assert not any(rating.provisional for rating in rate([PairScore("anna", "ben", 20, 5, 15)]).values())


def test_groups_that_never_met_have_the_same_mean_and_only_the_largest_is_ranked():
    ratings = rate([PairScore("anna", "ben", 60, 0, 40), PairScore("cleo", "dan", 30, 0, 20)])
    assert ratings["anna"].rating + ratings["ben"].rating == pytest.approx(3000)
    assert ratings["cleo"].rating + ratings["dan"].rating == pytest.approx(3000)
    assert [ratings[name].provisional for name in NAMES[:4]] == [False, False, True, True]


def test_one_game_between_two_groups_makes_them_one():
    apart = [PairScore("anna", "ben", 60, 0, 40), PairScore("cleo", "dan", 60, 0, 40)]
    ratings = rate([*apart, PairScore("ben", "cleo", 1, 0, 0)])
    assert sum(ratings[name].rating for name in NAMES[:4]) == pytest.approx(6000)
    assert difference(ratings, "anna", "dan") > 300


def test_nobody_has_played():
    assert rate([]) == {}
    assert rate([PairScore("anna", "ben", 0, 0, 0)]) == {"anna": UNRATED, "ben": UNRATED}


@settings(max_examples=settings().max_examples // 2)
@given(scores, st.randoms(use_true_random=False))
def test_neither_the_order_of_pairs_nor_of_names_within_them_matters(pairs, random):
    turned = [pair.flipped() if random.random() < 0.5 else pair for pair in pairs]
    random.shuffle(turned)
    expected, found = rate(pairs), rate(turned)
    assert expected.keys() == found.keys()
    for name, rating in expected.items():
        assert found[name].rating == pytest.approx(rating.rating, abs=1e-5)
        assert found[name].error == pytest.approx(rating.error, abs=1e-5)
        assert found[name].provisional == rating.provisional


@settings(max_examples=settings().max_examples // 2)
@given(scores)
def test_turning_every_result_round_turns_the_ratings_round(pairs):
    there = rate(pairs)
    back = rate([replace(pair, wins=pair.losses, losses=pair.wins) for pair in pairs])
    for name, rating in there.items():
        assert back[name].rating == pytest.approx(3000 - rating.rating, abs=1e-5)
        assert back[name].error == pytest.approx(rating.error, abs=1e-5)


@settings(max_examples=settings().max_examples // 2)
@given(scores, st.integers(0, 9), st.integers(1, 20))
def test_one_win_more_never_lowers_the_winner_nor_raises_the_loser(pairs, which, more):
    met = [pair for pair in pairs if pair.games]
    if not met:
        return
    lucky = met[which % len(met)]
    before = rate(met)
    after = rate([replace(pair, wins=pair.wins + more) if pair is lucky else pair for pair in met])
    assert after[lucky.first].rating > before[lucky.first].rating
    assert after[lucky.second].rating < before[lucky.second].rating


@settings(max_examples=settings().max_examples // 2)
@given(scores)
def test_every_rating_is_finite_and_every_group_has_its_mean(pairs):
    ratings = rate(pairs)
    assert all(isfinite(rating.rating) and isfinite(rating.error) and rating.error >= 0 for rating in ratings.values())
    if ratings:
        assert sum(rating.rating for rating in ratings.values()) / len(ratings) == pytest.approx(1500)


def simulate(rng, strengths, games):
    """Scores of a round robin between bots of known strength (in Elo, their mean 1500); some games are draws."""
    pairs = []
    for a, b in combinations(strengths, 2):
        p = 1 / (1 + 10 ** ((strengths[b] - strengths[a]) / 400))
        draw = min(p, 1 - p) / 2
        wins, draws, losses = rng.multinomial(games, [p - draw / 2, draw, 1 - p - draw / 2])
        pairs.append(PairScore(a, b, int(wins), int(draws), int(losses)))
    return pairs


def test_known_strengths_are_found_again_within_the_errors():
    rng = np.random.default_rng(2026)
    drawn = rng.normal(0, 200, 12)
    strengths = {f"bot{n:02}": 1500 + float(value) for n, value in enumerate(drawn - drawn.mean())}
    inside = 0
    for _ in range(40):
        ratings = rate(simulate(rng, strengths, games=40))
        inside += sum(abs(ratings[name].rating - true) <= ratings[name].error for name, true in strengths.items())
        assert all(abs(ratings[name].rating - true) < 3 * ratings[name].error for name, true in strengths.items())
    assert 0.93 < inside / (40 * 12) <= 1.0  # draws carry more information than the formula credits them with


def test_a_thousand_bots_of_which_most_never_met_are_rated():
    rng = np.random.default_rng(7)
    names = [f"bot{n:04}" for n in range(1000)]
    pairs = [
        PairScore(*sorted((names[a], names[b])), *map(int, rng.integers(0, 5, 3)))
        for a, b in rng.integers(0, 1000, (20_000, 2))
        if a != b
    ]
    ratings = rate(pairs)
    assert len(ratings) == 1000
    assert all(isfinite(rating.rating) for rating in ratings.values())


def crowd(bots: int, games: int, seed: int = 1) -> list[PairScore]:
    """Return scores in which every bot has met some of those near to it."""
    rng, found = Random(seed), Counter[tuple[int, int, str]]()
    strengths = sorted(rng.gauss(0, 1) for _ in range(bots))
    for bot in range(bots):
        for _ in range(games):
            other = rng.choice([near for near in range(max(0, bot - 20), min(bots, bot + 21)) if near != bot])
            first, second = sorted((bot, other))
            won = rng.random() < 1 / (1 + exp(strengths[second] - strengths[first]))
            found[first, second, rng.choice(("draws", "wins" if won else "losses"))] += 1
    pairs = {(first, second) for first, second, _ in found}
    return [
        PairScore(f"bot{first:04}", f"bot{second:04}", *(found[first, second, what] for what in WHAT))
        for first, second in sorted(pairs)
    ]


WHAT = ("wins", "draws", "losses")


def test_a_crowd_gets_the_ratings_that_matrices_give_and_nearly_their_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [*crowd(200, 10), PairScore("x", "y", 3, 0, 1), PairScore("z", "zz", 0, 0, 0)]
    exact = rate(pairs)
    monkeypatch.setattr(bradley_terry, "EXACT", 10)
    found = rate(pairs)
    assert found.keys() == exact.keys()
    for bot, rating in found.items():
        assert rating.rating == pytest.approx(exact[bot].rating, abs=0.01)
        assert bot in ("x", "y") or 0.75 * exact[bot].error < rating.error < 1.05 * exact[bot].error
    assert found["z"] == exact["z"]
    assert found["x"].provisional


def test_ratings_found_earlier_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bradley_terry, "EXACT", 10)
    pairs = crowd(100, 5)
    cold = rate(pairs)
    earlier = {bot: rating.rating for bot, rating in rate(crowd(90, 4)).items()}
    for before in (earlier, {"bot0001": 9000.0}, {bot: rating.rating for bot, rating in cold.items()}):
        warm = rate(pairs, before)
        assert all(warm[bot].rating == pytest.approx(cold[bot].rating, abs=0.01) for bot in cold)


def test_who_has_won_everything_keeps_a_finite_rating_in_a_crowd_too(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [*crowd(60, 5), *(PairScore("bot0000", f"winner{number}", 0, 0, 40) for number in range(3))]
    exact = rate(pairs)
    monkeypatch.setattr(bradley_terry, "EXACT", 10)
    found = rate(pairs)
    assert all(found[bot].rating == pytest.approx(exact[bot].rating, abs=0.01) for bot in exact)


@pytest.mark.parametrize(
    "scores",
    [
        [("a", "b", 6, 1, 0), ("a", "c", 3, 0, 0), ("b", "c", 3, 0, 0)],
        [("a", "b", 0, 0, 2), ("a", "c", 0, 1, 1), ("b", "c", 6, 0, 0)],
        [("a", "c", 1, 0, 0), ("b", "c", 0, 0, 2)],
    ],
)
def test_ratings_that_are_found_again_and_again_stay_what_they_are(scores):
    """If a start is the answer, the slope is rounding only: it must not add up along the mean."""
    pairs = [PairScore(*score) for score in scores]
    first = found = rate(pairs)
    for _ in range(5):
        found = rate(pairs, {bot: each.rating for bot, each in found.items()})
        assert all(found[bot].rating == pytest.approx(first[bot].rating, abs=1e-3) for bot in first)
