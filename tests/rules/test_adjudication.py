"""A duel ends early exactly when its rules and what the bots say give a verdict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.adjudication import Adjudication, Adjudicator, DrawRule, ResignRule
from palio_rules.errors import BadOption

DRAW, RESIGN = DrawRule(3, 2, 10), ResignRule(3, 400)


def ended(rules, *scores):
    """After how many plies, and how; `scores` as told by the seats in turn."""
    judge = Adjudicator(rules)
    for number, score in enumerate(scores):
        if (verdict := judge.record_move(number % 2, score)) is not None:
            return number + 1, verdict.reason, verdict.scores
    return None


def test_both_level_for_long_enough_is_a_draw_but_not_before_its_move():
    assert ended(Adjudication(DRAW), *[0.0] * 9) == (6, "draw-by-score", (0.5, 0.5))
    assert ended(Adjudication(DrawRule(0, 2, 10)), 10, -10, 5, 0, 0) == (4, "draw-by-score", (0.5, 0.5))


@pytest.mark.parametrize("other", [None, 10.5, -11.0])
def test_one_move_that_is_not_level_or_says_nothing_begins_the_row_anew(other):
    assert ended(Adjudication(DRAW), 0, 0, 0, other, 0, 0, 0) is None
    assert ended(Adjudication(DRAW), 0, 0, 0, other, 0, 0, 0, 0)[0] == 8


def test_who_is_without_hope_for_long_enough_has_lost():
    assert ended(Adjudication(None, RESIGN), 0, -400, 0, -500, 0, -400) == (6, "resign-by-score", (1.0, 0.0))
    assert ended(Adjudication(None, RESIGN), -400, None, -400, None, -400) == (5, "resign-by-score", (0.0, 1.0))


@pytest.mark.parametrize("other", [None, -399.9, 500.0])
def test_a_spark_of_hope_begins_the_row_anew(other):
    assert ended(Adjudication(None, RESIGN), -400, 0, -400, 0, other, 0, -400, 0, -400) is None


def test_twosided_waits_until_the_opponent_agrees():
    rules = Adjudication(None, ResignRule(2, 400, twosided=True))
    assert ended(rules, -400, 0, -400, 0, -400) is None
    assert ended(rules, -400, 0, -400, 400, -400, 450) is None  # the move of the side that gives up ends it
    assert ended(rules, -400, 0, -400, 400, -400, 450, -400) == (7, "resign-by-score", (0.0, 1.0))


@given(st.lists(st.none() | st.floats(allow_nan=False)))
def test_without_rules_nothing_ends(scores):
    assert not Adjudication()
    assert ended(Adjudication(), *scores) is None


@given(st.integers(0, 999), st.integers(1, 999), st.floats(0, 1e308), st.booleans())
def test_rules_are_read_as_they_are_written(number, count, score, twosided):
    draw, resign = DrawRule(number, count, score), ResignRule(count, score, twosided)
    assert Adjudication.parse_draw(str(draw)) == draw
    assert Adjudication.parse_resign(str(resign)) == resign


def test_rules_are_read_as_other_tools_write_them():
    assert Adjudication.parse_draw("movenumber=40 movecount=8 score=10") == DrawRule(40, 8, 10)
    assert Adjudication.parse_resign("movecount=3,score=400,twosided") == ResignRule(3, 400, twosided=True)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "--draw '' lacks movenumber and movecount and score; write movenumber=N movecount=N score=N"),
        ("movenumber=4 movecount=8", "lacks score"),
        ("movenumber=4 movcount=8 score=1", "has no setting 'movcount'; did you mean 'movecount'"),
        ("movenumber=4 movecount=0 score=1", "--draw movecount='0': write a whole number from 1 to 100,000"),
        ("movenumber=4 movecount=1 score=-1", "--draw score='-1': write a number from 0 on"),
        ("movenumber=4 movecount=1 score=nan", "--draw score='nan': write a number from 0 on"),
        ("movenumber=4 movecount=1 score=10cp", "--draw score='10cp': write a number from 0 on"),
        ("movenumber=x movecount=1 score=1", "--draw movenumber='x': write a whole number from 0 to 100,000"),
        ("movenumber=4 movenumber=4 movecount=1 score=1", "gives movenumber twice"),
    ],
)
def test_what_is_no_rule_is_refused_with_the_remedy(text, reason):
    with pytest.raises(BadOption, match=reason):
        Adjudication.parse_draw(text)


def test_a_flag_that_is_neither_is_refused():
    with pytest.raises(BadOption, match="--resign twosided='maybe': write true or false"):
        Adjudication.parse_resign("movecount=3 score=4 twosided=maybe")
