"""The advantage of the first move is found again, and kept apart from strength."""

import numpy as np
import pytest

from palio_db.values import PairScore
from palio_server.ratings.bradley_terry import first_move


def played(strengths, advantage, games, rng=None):
    """Every ordered pair; without `rng` exactly the expected scores, of very many games."""
    found = []
    for a, one in strengths.items():
        for b, other in strengths.items():
            if a != b:
                p = 1 / (1 + 10 ** (-(one - other + advantage) / 400))
                wins = round(p * games) if rng is None else int(rng.binomial(games, p))
                found.append(PairScore(a, b, wins, 0, games - wins))
    return found


def test_it_is_found_again_whoever_is_stronger():
    found = first_move(played({"a": 1500, "b": 1700, "c": 1350}, 35, 1_000_000))
    assert found is not None
    assert found.elo == pytest.approx(35, abs=0.05)
    assert found.games == 6_000_000
    assert found.score == pytest.approx(1 / (1 + 10 ** (-35 / 400)), abs=1e-4)


def test_a_strong_bot_that_always_begins_is_no_advantage_of_the_first_move():
    fair = played({"strong": 1800, "weak": 1500}, 0, 1000)
    found = first_move([*fair, PairScore("strong", "weak", 8491, 0, 1509)])
    assert found is not None
    assert abs(found.elo) < 15


def test_its_error_covers_it_19_times_of_20():
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(200):
        found = first_move(played({"a": 1500, "b": 1600, "c": 1400, "d": 1450}, 50, 40, rng))
        assert found is not None
        inside += abs(found.elo - 50) <= found.error
    assert 0.90 <= inside / 200 <= 0.99


def test_where_the_first_always_wins_it_is_finite():
    found = first_move([PairScore("a", "b", 50, 0, 0), PairScore("b", "a", 50, 0, 0)])
    assert found is not None
    assert 500 < found.elo < 5000


def test_without_games_there_is_none():
    assert first_move([]) is None
    assert first_move([PairScore("a", "b", 0, 0, 0)]) is None
