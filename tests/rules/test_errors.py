"""The sentences of errors: the nearest known name, and any value quoted without fail and without length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import (
    BadInstance,
    BadOption,
    BadPosition,
    BadRecord,
    IllegalMove,
    MalformedMove,
    Rejection,
    WireError,
    nearest,
    quoted,
)


def test_rejections_are_value_errors_with_a_code():
    for kind in (MalformedMove, IllegalMove, WireError):
        error = kind("some-code", "some reason")
        assert (error.code, str(error)) == ("some-code", "some reason")
    assert issubclass(MalformedMove, Rejection)
    assert all(
        issubclass(kind, ValueError) for kind in (Rejection, BadInstance, BadOption, BadPosition, BadRecord, WireError)
    )


@pytest.mark.parametrize(
    ("name", "known", "message"),
    [
        ("depht", ["depth", "seed"], "did you mean 'depth'?"),
        ("x", ["depth", "seed"], "known: depth, seed"),
        ("x", [], "known: none"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_or_all(name, known, message):
    assert nearest(name, known) == message


@pytest.mark.parametrize("value", [7, -7, 0.5, True, None, "b5-b4", [1, [2, 3]], (1, 2), {"row": 1}, b"x", 2**64 - 1])
def test_a_short_value_is_quoted_as_it_would_be_typed(value):
    assert quoted(value) == repr(value)


def test_a_long_value_is_cut():
    assert quoted(10**5000) == "<an integer of 16610 bits>"
    assert len(quoted("x" * 10_000)) < 100
    assert len(quoted(list(range(10_000)))) < 100
    assert len(quoted([["x" * 100] * 100] * 100)) <= 120


class Spiteful:
    def __repr__(self):
        raise RuntimeError("no")


@given(value=st.recursive(st.builds(Spiteful) | st.integers(), lambda inner: st.lists(inner) | st.tuples(inner)))
def test_quoting_never_fails(value):
    assert 0 < len(quoted(value)) <= 120
