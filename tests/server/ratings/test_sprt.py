"""The sequential test equals fishtest's, keeps Wald's promises, and refuses bounds that make no test."""

from itertools import pairwise
from math import log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_server.ratings.sample import NELO, Sample, moments
from palio_server.ratings.sprt import SequentialTest, _with_mean, _with_t_value

# Disservin/fastchess @74deac2 app/tests/sprt_test.cpp, alpha = beta = 0.05. fastchess prints two digits and allows 1 %.
FASTCHESS_GAMES = [  # model, elo0, elo1, (wins, draws, losses), ratio
    ("normalized", 0, 2, (36433, 68692, 36027), 0.92),
    ("normalized", -1.75, 0.25, (10871, 20431, 10650), 2.30),
    ("normalized", 0, 10, (4250, 0, 0), 120.56),
    ("logistic", 0.5, 2.5, (21404, 40708, 21184), -1.57),
    ("logistic", 0, 2, (57433, 106593, 57030), -2.59),
    ("bayesian", 0, 2, (68965, 128429, 68526), -1.26),
    ("bayesian", 0.5, 2.5, (21629, 41111, 21484), -1.13),
]
FASTCHESS_PAIRS = [  # model, elo0, elo1, (LL, LD, WL, DD, WD, WW), ratio
    ("normalized", 0, 2, (365, 16618, 36029, 200, 16974, 390), 2.25),
    ("normalized", -1.75, 0.25, (127, 4883, 10311, 401, 5150, 104), 3.01),
    ("normalized", 0, 5, (0, 0, 0, 0, 0, 5550), 111.82),
    ("logistic", 0.5, 2.5, (223, 9863, 20279, 1000, 10037, 246), -3.07),
    ("logistic", 0, 2, (871, 26175, 55003, 980, 26678, 821), -4.98),
]


@pytest.mark.parametrize(("model", "elo0", "elo1", "wdl", "llr"), FASTCHESS_GAMES)
def test_games_give_the_published_ratio(model, elo0, elo1, wdl, llr):
    assert SequentialTest(elo0, elo1, model=model).llr(Sample.of_games(*wdl)) == pytest.approx(llr, rel=3e-4, abs=0.005)


@pytest.mark.parametrize(("model", "elo0", "elo1", "pairs", "llr"), FASTCHESS_PAIRS)
def test_pairs_give_the_published_ratio(model, elo0, elo1, pairs, llr):
    lost, half, split, drawn, more, won = pairs
    found = SequentialTest(elo0, elo1, model=model).llr(Sample((lost, half, split + drawn, more, won)))
    assert found == pytest.approx(llr, rel=3e-4, abs=0.005)


shares = st.lists(st.floats(0.001, 1), min_size=3, max_size=3) | st.lists(st.floats(0.001, 1), min_size=5, max_size=5)


def seen(raw):
    return [(kind / (len(raw) - 1), share / sum(raw)) for kind, share in enumerate(raw)]


def likelihood(weights, found):
    return sum(weight * log(share) for (_, weight), share in zip(weights, found, strict=True))


@given(shares, st.floats(-300, 300), st.randoms(use_true_random=False))
def test_no_other_distribution_with_that_mean_is_likelier(raw, elo, random):
    weights, mean = seen(raw), 1 / (1 + 10 ** (-elo / 400))
    found = _with_mean(weights, mean)
    values = [value for value, _ in weights]
    assert sum(found) == pytest.approx(1, abs=1e-7)
    assert moments(list(zip(values, found, strict=True)))[0] == pytest.approx(mean, abs=1e-7)
    step = [random.uniform(-1, 1) for _ in values]
    step[0] = 0.0  # then the first and the last make good for the others: neither sum nor mean changes
    step[-1] = -sum(v * s for v, s in zip(values[:-1], step[:-1], strict=True))
    step[0] = -sum(step[1:])
    size = 0.1 * min(share / (abs(move) + 1e-9) for share, move in zip(found, step, strict=True))
    moved = [share + size * move for share, move in zip(found, step, strict=True)]
    assert likelihood(weights, moved) <= likelihood(weights, found) + 1e-9


@given(shares, st.floats(-400, 400))
def test_the_distribution_under_normalised_elo_has_it(raw, nelo):
    weights = seen(raw)
    found = _with_t_value(weights, nelo / NELO)
    mean, variance = moments([(value, share) for (value, _), share in zip(weights, found, strict=True)])
    assert (mean - 0.5) / variance**0.5 == pytest.approx(nelo / NELO, abs=1e-4)


@given(st.lists(st.integers(0, 3000), min_size=5, max_size=5), st.sampled_from(["normalized", "logistic"]))
def test_the_other_side_sees_the_ratio_turned_round(counts, model):
    there = SequentialTest(-2, 7, model=model).llr(Sample(tuple(counts)))
    back = SequentialTest(-7, 2, model=model).llr(Sample(tuple(counts[::-1])))
    assert back == pytest.approx(-there, rel=1e-6, abs=1e-6)


def test_more_wins_raise_the_ratio():
    ratios = [SequentialTest(0, 5).llr(Sample.of_games(wins, 200, 100)) for wins in (0, 50, 100, 150, 200)]
    assert all(less < more for less, more in pairwise(ratios))


def test_the_bounds_are_walds():
    test = SequentialTest(0, 5, alpha=0.01, beta=0.1)
    assert (test.lower, test.upper) == (pytest.approx(log(0.1 / 0.99)), pytest.approx(log(0.9 / 0.01)))
    assert [test.verdict(llr) for llr in (test.lower, test.lower + 1e-9, test.upper - 1e-9, test.upper)] == [
        "H0",
        "continue",
        "continue",
        "H1",
    ]


def rejected(elo, trials, seed):
    """Return how often H1 is accepted between programs that differ by `elo`, logistic; 40 % of games are draws."""
    random, test, accepted = Random(seed), SequentialTest(0, 40, model="logistic"), 0
    win = 1 / (1 + 10 ** (-elo / 400)) - 0.2
    for _ in range(trials):
        counts = [0, 0, 0]
        while True:
            for _ in range(5):
                drawn = random.random()
                counts[2 if drawn < win else 1 if drawn < win + 0.4 else 0] += 1
            verdict = test.verdict(test.llr(Sample(tuple(counts))))
            if verdict != "continue":
                accepted += verdict == "H1"
                break
    return accepted / trials


@pytest.mark.slow
def test_it_errs_as_rarely_as_it_promises():
    """150 tests each: 0.05 expected, four standard deviations allowed."""
    assert rejected(0, 150, seed=1) <= 0.05 + 4 * (0.05 * 0.95 / 150) ** 0.5
    assert rejected(40, 150, seed=2) >= 0.95 - 4 * (0.05 * 0.95 / 150) ** 0.5


def test_no_result_is_no_evidence():
    assert SequentialTest(0, 5).llr(Sample((0, 0, 0, 0, 0))) == 0.0


def test_bayesian_elo_knows_no_pairs():
    with pytest.raises(BadOption, match="knows no pairs"):
        SequentialTest(0, 5, model="bayesian").llr(Sample((1, 2, 3, 2, 1)))


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"elo0": 5, "elo1": 5}, "elo0 must be less than elo1"),
        ({"elo0": 0, "elo1": 9999}, "lie between"),
        ({"elo0": float("nan"), "elo1": 1}, "elo0 is a number"),
        ({"elo0": 0, "elo1": 5, "alpha": 0}, "alpha is a probability between 0 and 1"),
        ({"elo0": 0, "elo1": 5, "beta": 1.5}, "beta is a probability"),
        ({"elo0": 0, "elo1": 5, "alpha": 0.5, "beta": 0.5}, "together must be less than 1"),
        ({"elo0": 0, "elo1": 5, "model": "normalised"}, "did you mean 'normalized'"),
    ],
)
def test_bounds_that_make_no_test_are_refused(values, sentence):
    with pytest.raises(BadOption, match=sentence):
        SequentialTest(**values)
