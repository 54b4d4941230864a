"""Scores in a record's text: as chess players write them where that is possible, and read back exactly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.records.tags import scores_from_text, scores_to_text


@pytest.mark.parametrize(
    ("scores", "text"),
    [
        ([1.0, 0.0], "1-0"),
        ([0.5, 0.5], "1/2-1/2"),
        ([1.0, 0.0, 0.5], "1-0-1/2"),
        ([1 / 3, 0.0], "0.3333333333333333 0.0"),
    ],
)
def test_scores_are_written_as_chess_players_write_them_if_they_can_be(scores, text):
    assert scores_to_text(scores) == text


@given(st.lists(st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1)), min_size=1, max_size=5))
def test_scores_are_read_back_exactly(scores):
    assert scores_from_text(scores_to_text(scores)) == scores


@pytest.mark.parametrize("text", ["1-2", "one"])
def test_what_is_no_score_is_a_value_error(text):
    with pytest.raises(ValueError, match="float"):
        scores_from_text(text)
