"""Weights that 128 bits cannot hold choose the same matching as those that fit."""

from hypothesis import given
from hypothesis import strategies as st

from palio_server.tournament.dutch.blossom import BITS, best_matching

values = st.one_of(st.integers(-3, 3), st.integers(0, 2**40))


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 12))
    pairs = [(one, other) for one in range(count) for other in range(one + 1, count)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return count, [(*pair, draw(values)) for pair in chosen]


@given(graphs(), st.integers(BITS, 300))
def test_weights_of_any_width_choose_the_same_matching(graph, shift):
    count, edges = graph
    narrow = {(one, other): weight for one, other, weight in edges}
    wide = {pair: weight << shift for pair, weight in narrow.items()}
    found, same = best_matching(range(count), wide), best_matching(range(count), narrow)
    assert (found is None) == (same is None)
    if found and same:
        assert sum(narrow[pair] for pair in narrow if found[pair[0]] == pair[1]) == sum(
            narrow[pair] for pair in narrow if same[pair[0]] == pair[1]
        )


def test_nobody_can_be_matched_without_an_edge():
    assert best_matching([1, 2, 3, 4], {(1, 2): 5}) is None
    assert best_matching([1, 2, 3], {(1, 2): 5, (2, 3): 1}) is None
    assert best_matching([1, 2, 3, 4], {(1, 2): 9, (2, 3): 1, (1, 4): 1}) == {1: 4, 4: 1, 2: 3, 3: 2}
