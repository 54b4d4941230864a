"""Plain data that crosses to the tests' process: every value arrives as it was, as Python's own types alone."""

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_clients.grading.codec import BadData, decode, encode

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.binary()
TEXTS = st.text(st.characters(exclude_categories=()))  # halves of characters, too
HASHABLE = st.recursive(LEAVES | TEXTS, lambda inner: st.lists(inner).map(tuple) | st.frozensets(inner), max_leaves=8)
VALUES = st.recursive(
    HASHABLE,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.sets(HASHABLE) | st.dictionaries(HASHABLE, inner),
    max_leaves=20,
)
EXACT = {bool, int, float, str, bytes, list, tuple, set, frozenset, dict, type(None)}


def refused(value):
    raise AssertionError(f"{value!r} is sent as a reference")


def crossed(value):
    return decode(encode(value, refused), refused)


def types_in(value):
    yield type(value)
    inner = [*value, *value.values()] if isinstance(value, dict) else value
    if isinstance(inner, list | tuple | set | frozenset):
        for each in inner:
            yield from types_in(each)


@given(VALUES)
def test_a_value_arrives_as_it_was(value):
    assert repr(crossed(value)) == repr(value) or crossed(value) == value
    assert list(types_in(crossed(value))) == list(types_in(value)) or isinstance(value, set | frozenset | dict)


@given(st.binary(max_size=60))
def test_any_bytes_are_plain_data_or_refused(data):
    try:
        found = decode(data, lambda _: None)
    except BadData:
        return
    assert set(types_in(found)) <= EXACT


class Equal(tuple):
    __slots__ = ()
    __eq__ = lambda *_: True  # noqa: E731
    __hash__ = tuple.__hash__


class Colour(IntEnum):
    RED = 3


class Point(NamedTuple):
    x: int


@pytest.mark.parametrize(
    ("value", "arrives"),
    [
        (Equal((1, 2)), (1, 2)),
        ([Equal((Equal((1,)),))], [((1,),)]),
        (Colour.RED, 3),
        (Point(1), (1,)),
        (np.int64(5), 5),
        (np.bool_(True), True),
        (np.float32(0.5), 0.5),
        (np.array([[1, 2]]), [[1, 2]]),
        ({np.int64(1): {np.int8(2)}}, {1: {2}}),
        (-0.0, -0.0),
        (1 << 10_000, 1 << 10_000),
    ],
)
def test_instances_of_other_types_arrive_as_their_base_type(value, arrives):
    found = crossed(value)
    assert repr(found) == repr(arrives)
    assert set(types_in(found)) <= EXACT


def test_no_number_arrives_as_no_number():
    assert math.isnan(crossed(math.nan))
    assert crossed([math.inf, -math.inf]) == [math.inf, -math.inf]


def test_what_is_too_much_is_refused():
    endless = []
    endless.append(endless)
    with pytest.raises(BadData, match="nested more than 100 levels deep"):
        crossed(endless)
    with pytest.raises(BadData, match="larger than 4 MB"):
        crossed([0] * (5 << 20))
    with pytest.raises(BadData, match="it ends early"):
        decode(b"L\xff\xff\xff\xff", refused)
