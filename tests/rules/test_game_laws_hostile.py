"""Hostile values, notations and positions: every installed game answers with the right error, and nothing else."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import Rejection

seeds = st.integers(0, 2**32)
numbers = st.integers(-9, 70) | st.integers() | st.sampled_from([2**63, -(2**64), 10**400])
atoms = st.none() | st.booleans() | numbers | st.floats() | st.text(max_size=200) | st.binary(max_size=8)
junk = st.recursive(
    atoms, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
)
near = st.lists(numbers | st.booleans(), min_size=2, max_size=2)  # close to what moves look like
hostile = junk | near | st.lists(near, min_size=2, max_size=2) | st.tuples(near, near)


def refusal(call: Callable[..., Any], *args: Any, kind: type[ValueError] = Rejection) -> str | None:
    """The sentence with which `call` refuses its arguments, if it does; any other exception goes through."""
    try:
        call(*args)
    except kind as refused:
        return str(refused)
    return None


@given(value=hostile, seed=seeds)
def test_a_hostile_value_raises_a_rejection_and_nothing_else(position_of, spec, value, seed):
    rules, state = position_of(spec, seed % 5)
    message = refusal(rules.read_move, state, value)
    assert message is None or 0 < len(message) < 400  # long values are cut
    if message is None and not rules.anytime:
        assert rules.read_move(state, value) in set(state.legal_moves())


NO_MOVES = [
    None,
    True,
    7,
    0.5,
    "",
    "b5-b4",
    [],
    {},
    [[]],
    [True, 1],
    [1.0, 1],
    ["1", 2],
    {"row": 1},
    [[0, 0], [True, 0]],
]


@pytest.mark.parametrize("value", NO_MOVES, ids=repr)
def test_a_value_that_is_no_move_is_rejected_and_quoted(position_of, spec, value):
    rules, state = position_of(spec, 0)
    with pytest.raises(Rejection, match="got ") as caught:
        rules.read_move(state, value)
    assert repr(value) in str(caught.value)


def test_an_integer_too_long_to_be_written_is_rejected(position_of, spec):
    rules, state = position_of(spec, 0)
    for value in ([10**5000, 0], [0, -(10**5000)], [[10**5000, 0], [0, 0]], [[0, 0], [0, 10**5000]], 10**5000):
        assert 0 < len(refusal(rules.read_move, state, value) or "") < 400


@pytest.mark.first(4)
def test_a_move_nested_a_hundred_thousand_deep_is_rejected(position_of, spec):
    rules, state = position_of(spec, 0)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(Rejection):
        rules.read_move(state, deep)
    while deep:  # taken apart by hand, because freeing it in one go would recurse as deeply
        deep = deep[0]


@given(text=st.text(), seed=seeds)
def test_a_hostile_notation_raises_a_rejection_and_nothing_else(position_of, spec, text, seed):
    rules, state = position_of(spec, seed % 5)
    choose = random.Random(seed)
    known = [rules.notation(state, move) for move in state.legal_moves()]
    for written in (text, *(scramble(move, choose) for move in known)):
        message = refusal(rules.parse_notation, state, written)
        assert message is None or 0 < len(message) < 400


@given(text=st.text(), seed=seeds)
def test_a_hostile_position_raises_a_value_error_or_is_read_in_full(position_of, spec, text, seed):
    rules, state = position_of(spec, seed % 20)
    choose = random.Random(seed)
    written = rules.format_state(state)
    for hostile_text in (text, scramble(written, choose), scramble(scramble(written, choose), choose), written + text):
        message = refusal(rules.parse_state, hostile_text, kind=ValueError)
        assert message is None or 0 < len(message) < 400
        if message is None:
            found = rules.parse_state(hostile_text)
            assert rules.format_state(found) == hostile_text
            assert (found.outcome() is None) == (found.to_move is not None)


def scramble(text: str, choose: random.Random) -> str:
    """A text that differs a little: something left out, doubled, exchanged or put in."""
    at, to = sorted((choose.randrange(len(text) + 1), choose.randrange(len(text) + 1)))
    match choose.randrange(4):
        case 0:
            return text[:at] + text[to:]
        case 1:
            return text[:to] + text[at:]
        case 2:
            return text[:at] + choose.choice(text + "0x/ -.,\n²") + text[at + 1 :]
        case _:
            return text[:at] + choose.choice(text + "0x/ -.,\n²") + text[at:]
