"""Delays grow, stay within bounds, and begin again after a success."""

import random

from hypothesis import given
from hypothesis import strategies as st

from palio_rules.backoff import Backoff

backoffs = st.builds(
    lambda first, factor, longest, seed: Backoff(first, factor, longest, random.Random(seed)),
    st.floats(0.01, 2),
    st.floats(1, 4),
    st.floats(2, 60),
    st.integers(),
)


@given(backoffs, st.integers(1, 50))
def test_each_delay_lies_between_half_its_ceiling_and_the_ceiling(backoff, tries):
    for _ in range(tries):
        ceiling = backoff.ceiling()
        assert ceiling / 2 <= backoff.next() <= ceiling <= backoff.longest


@given(backoffs, st.integers(1, 50))
def test_ceilings_never_shrink_while_failures_go_on(backoff, tries):
    ceilings = [(backoff.ceiling(), backoff.next())[0] for _ in range(tries)]
    assert ceilings == sorted(ceilings)


@given(backoffs, st.integers(0, 50))
def test_a_success_brings_the_first_delay_back(backoff, tries):
    first = backoff.ceiling()
    for _ in range(tries):
        backoff.next()
    backoff.reset()
    assert backoff.ceiling() == first


def test_two_clients_do_not_keep_step():
    one, other = Backoff(rng=random.Random(1)), Backoff(rng=random.Random(2))
    assert [one.next() for _ in range(5)] != [other.next() for _ in range(5)]


@given(st.integers(0, 10_000))
def test_after_thousands_of_failures_the_delay_is_still_a_number(failures):
    backoff = Backoff(failures=failures)
    assert 0 < backoff.next() <= backoff.longest
