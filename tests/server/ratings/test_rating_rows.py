"""A rating curve: by bot, then by time; the last point is what the leaderboard says."""

from datetime import UTC, datetime, timedelta

from palio_db.values import PairScore
from palio_server.ratings.bradley_terry import rate
from palio_server.ratings.rating_rows import rating_rows

THEN = datetime(2026, 5, 1, tzinfo=UTC)


def test_points_are_in_order_and_end_in_the_rating_of_today():
    results = [(THEN + timedelta(days=day), PairScore("ann", "bob", day % 3 > 0, 0, day % 3 == 0)) for day in range(9)]
    total = sum((pair for _, pair in results[1:]), results[0][1])
    rows = list(rating_rows("nim", [total], results, points=3))
    assert [(row[0], row[1]) for row in rows] == [("nim", "ann")] * 3 + [("nim", "bob")] * 3
    assert [row[2] for row in rows[:3]] == [results[2][0], results[5][0], results[8][0]]
    today = rate([total], {})
    for row in (rows[2], rows[5]):
        assert abs(row[3] - today[row[1]].rating) < 0.1
        assert abs(row[4] - today[row[1]].error) < 0.1
    assert {type(row[5]) for row in rows} == {bool}


def test_a_game_without_results_has_no_rows():
    assert list(rating_rows("nim", [], [])) == []
