"""Values of the store: a score is the same from both sides."""

from palio_db.values import PairScore


def test_a_pair_score_seen_from_the_other_side_is_the_same_score():
    score = PairScore("anna", "ben", 3, 2, 1)
    assert (score.games, score.points) == (6, 4.0)
    assert score.flipped() == PairScore("ben", "anna", 1, 2, 3)
    assert score.flipped().flipped() == score
