"""Analyses: the scale by which moves are compared, and what may stand in one."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.records.record import LEVEL, Analysis, JudgedPly, expected

values = st.floats(-1e6, 1e6)


@given(values)
def test_what_one_side_may_expect_the_other_may_not(value):
    assert expected(value) + expected(-value) == pytest.approx(1)
    assert 0 < expected(value) < 1


@given(values, values)
def test_a_better_evaluation_never_promises_less(one, other):
    low, high = sorted((one, other))
    assert expected(low) <= expected(high)


def test_the_level_is_what_it_says():
    assert (expected(0), expected(LEVEL), expected(-LEVEL)) == (0.5, 0.75, 0.25)


@pytest.mark.parametrize("wrong", [
    {"ply": -1}, {"seat": -1}, {"mark": "!"}, {"verdicts": ["won"]}, {"distance": -1}, {"values": ["1"]}, {"more": 1},
])  # fmt: skip
def test_what_is_no_judgement_of_a_ply_is_refused(wrong):
    ply = {"ply": 1, "seat": 0, "move": "a1"}
    assert msgspec.convert(ply, JudgedPly) == JudgedPly(1, 0, "a1")
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(ply | wrong, JudgedPly)


def test_an_analysis_survives_json():
    analysis = Analysis("m1", 0.5, (JudgedPly(0, 0, "", (0.5, None), (None, "draw")),), complete=False)
    assert msgspec.json.decode(msgspec.json.encode(analysis), type=Analysis) == analysis
