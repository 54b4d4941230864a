"""`check` of our own games refuses any value that is no move with a sentence, and what it lets pass can be played."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import IllegalMove

seeds = st.integers(0, 2**32)
numbers = st.integers(-9, 70) | st.integers() | st.sampled_from([2**63, 10**400])
atoms = st.none() | st.booleans() | numbers | st.floats() | st.text(max_size=200) | st.binary(max_size=8)
junk = st.recursive(
    atoms, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
)
near = st.lists(numbers | st.booleans(), min_size=2, max_size=2)  # close to what moves look like
values = junk | near | st.lists(near, min_size=2, max_size=2) | st.tuples(near, near) | near.map(tuple)
NO_MOVES = [None, True, 7, 0.5, "", "b5-b4", [], {}, [[]], [True, 1], [1.0, 1], ["1", 2], {"row": 1}]


def refusal(state, value):
    """The sentence with which `check` refuses the value, if it does; any other exception goes through."""
    try:
        state.check(value)
    except IllegalMove as refused:
        return str(refused)
    return None


@given(value=values | st.text(max_size=9).map(tuple), seed=seeds)
def test_check_refuses_whatever_is_no_move_with_a_sentence_and_raises_nothing_else(position_of, spec, value, seed):
    _, state = position_of(spec, seed % 5)
    message = refusal(state, value)
    assert message is None or 0 < len(message) < 400
    if message is None:
        state.play(value)


def plain(move):
    """The move without its types: tuples in tuples."""
    return tuple(map(plain, move)) if isinstance(move, tuple) else move


@given(seed=seeds)
def test_what_check_lets_pass_can_be_played_also_as_plain_tuples(position_of, spec, seed):
    _, state = position_of(spec, seed % 5)
    for move in itertools.islice(state.legal_moves(), 20):
        if refusal(state, plain(move)) is None:
            assert state.play(plain(move)) == state.play(move)


@pytest.mark.parametrize("value", NO_MOVES, ids=repr)
def test_check_refuses_a_value_that_is_no_move(position_of, spec, value):
    _, state = position_of(spec, 0)
    if value == [True, 1] and (1, 1) in set(state.legal_moves()):
        return  # True is 1
    with pytest.raises(IllegalMove):
        state.check(value)
