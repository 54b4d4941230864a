"""A tour that is changed in place."""

from hypothesis import given
from hypothesis import strategies as st
from tour_instances import legs, seeds

from palio_clients.search.tours import Cycle


@given(st.integers(3, 12), st.lists(st.tuples(seeds, seeds)))
def test_turning_a_stretch_replaces_the_two_legs_at_its_ends(size, turns):
    cycle = Cycle(range(size))
    for a, b in turns:
        before = legs(cycle.order)
        first, length = a % size, 1 + b % (size - 2)
        stretch = [cycle.order[(first + k) % size] for k in range(length)]
        outside, beyond = cycle.order[first - 1], cycle.order[(first + length) % size]
        cycle.turn(outside, stretch[0], stretch[-1])
        gone, new = {(outside, stretch[0]), (stretch[-1], beyond)}, {(outside, stretch[-1]), (stretch[0], beyond)}
        assert legs(cycle.order) == before - set(map(frozenset, gone)) | set(map(frozenset, new))
        assert all(cycle.order[place] == city for city, place in enumerate(cycle.at))
