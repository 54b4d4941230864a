"""History and decay: what is computed from dated results alone."""

from datetime import UTC, datetime, timedelta

import pytest

from palio_db.values import PairScore
from palio_rules.errors import BadOption
from palio_server.ratings.bradley_terry import rate
from palio_server.ratings.history import rate_dated, recent_history

START = datetime(2026, 1, 1, tzinfo=UTC)
WON, LOST = PairScore("a", "b", 1, 0, 0), PairScore("a", "b", 0, 0, 1)


def daily(pairs):
    return [(START + timedelta(days=day), pair) for day, pair in enumerate(pairs)]


def test_without_decay_it_is_the_rating_of_all_games():
    games = daily([WON, LOST, WON, WON] * 10)
    found, expected = rate_dated(games), rate([pair for _, pair in games])
    for bot in ("a", "b"):
        assert found[bot].rating == pytest.approx(expected[bot].rating, abs=1e-6)
        assert found[bot].error == pytest.approx(expected[bot].error, abs=1e-6)


def test_with_a_half_life_later_games_count_more():
    games = daily([LOST] * 50 + [WON] * 50)
    level, later = rate_dated(games)["a"], rate_dated(games, half_life=20)["a"]
    assert level.rating == pytest.approx(1500, abs=1e-6)
    assert later.rating > 1550
    assert later.error > level.error


def test_a_game_one_half_life_ago_counts_half():
    old = [(START, PairScore("a", "b", 20, 0, 10))]
    found = rate_dated(old, now=START + timedelta(days=7), half_life=7)["a"]
    assert found.rating == pytest.approx(rate([PairScore("a", "b", 10, 0, 5)])["a"].rating, abs=1e-6)
    assert found.provisional == rate([PairScore("a", "b", 10, 0, 5)])["a"].provisional


def test_what_came_later_does_not_count_yet():
    games = daily([WON] * 5 + [LOST] * 5)
    assert rate_dated(games, now=START + timedelta(days=4))["a"].rating > 1500
    assert rate_dated(games, now=START - timedelta(days=1)) == {}
    assert rate_dated([]) == {}


@pytest.mark.parametrize("half_life", [0, -1, float("nan")])
def test_another_half_life_is_refused(half_life):
    with pytest.raises(BadOption, match="a half-life is a number of days"):
        rate_dated(daily([WON]), half_life=half_life)


def test_a_recent_history_ends_with_the_rating_of_all_results_whatever_is_left_out_of_it():
    dated = [
        (START + timedelta(minutes=number), PairScore(*pair, int(number % 3 > 0), 0, int(number % 3 == 0)))
        for number, pair in enumerate([("ann", "bob"), ("cid", "bob"), ("bob", "ann")] * 20)
    ]
    today = rate_dated(dated, anchors={"bob": 1700.0})
    totals = [pair for _, pair in dated]
    sums: dict[tuple[str, str], PairScore] = {}
    for pair in totals:
        known = pair if pair.first < pair.second else pair.flipped()
        key = known.first, known.second
        sums[key] = sums[key] + known if key in sums else known
    for newest in (1, 7, 60):
        series = recent_history([*sums.values()], dated[-newest:], 10, {"bob": 1700.0})
        for bot, rating in today.items():
            assert series[bot][-1].rating == pytest.approx(rating.rating, abs=0.01)
            assert series[bot][-1].error == pytest.approx(rating.error, abs=0.01)
            assert series[bot][-1].at == dated[-1][0]
            assert len(series[bot]) <= min(10, newest)
    assert recent_history([], []) == {}
