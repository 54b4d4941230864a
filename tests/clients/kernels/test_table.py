"""The compiled table: nothing is found that was not kept, and what is found is what was kept."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from palio_clients.kernels.table import WIN, answers, keep, move_in, new_table, score_in
from palio_clients.kernels.table import recall as recall_word

words = st.integers(0, 2**64 - 1).map(np.uint64)
scores = st.one_of(st.integers(-30_000, 30_000), st.integers(WIN - 200, WIN - 100), st.integers(100 - WIN, 200 - WIN))


def recall(table, a, b):
    return np.uint64(recall_word(table, a, b))  # to Python a word comes back as an int


def kept(score, *, ply=0, depth=3, alpha=-2 * WIN, beta=2 * WIN, move=77, a=1, b=2, table=None, age=1):
    table = new_table(2) if table is None else table
    keep(table, np.uint64(a), np.uint64(b), move, depth, ply, alpha, beta, score, age)
    return table


@given(words, words, scores, st.integers(0, 60), st.integers(0, 2**16 - 1), st.integers(0, 255), st.integers(0, 62))
def test_what_was_kept_is_found(a, b, score, ply, move, depth, age):
    entry = recall(kept(score, ply=ply, depth=depth, move=move, a=a, b=b, age=age), a, b)
    assert move_in(entry) == move
    assert score_in(entry, ply) == score
    assert answers(entry, depth, ply, -2 * WIN, 2 * WIN, True)


@given(words, words, words, words)
def test_no_position_is_taken_for_another(a, b, c, d):
    found = recall(kept(5, a=a, b=b), c, d)
    assert bool(found) is ((a, b) == (c, d))


def test_a_win_is_as_far_as_it_is_from_where_it_is_met_again():
    entry = recall(kept(WIN - 7, ply=4), np.uint64(1), np.uint64(2))
    assert score_in(entry, 0) == WIN - 3
    entry = recall(kept(7 - WIN, ply=4), np.uint64(1), np.uint64(2))
    assert score_in(entry, 6) == 9 - WIN


def test_a_bound_answers_only_a_window_beyond_it():
    at_least = recall(kept(50, beta=50), np.uint64(1), np.uint64(2))
    assert answers(at_least, 3, 0, 0, 50, True)
    assert not answers(at_least, 3, 0, 0, 51, True)
    at_most = recall(kept(50, alpha=50), np.uint64(1), np.uint64(2))
    assert answers(at_most, 3, 0, 50, 90, True)
    assert not answers(at_most, 3, 0, 49, 90, True)


def test_a_deeper_look_answers_unless_the_depth_must_be_exact():
    entry = recall(kept(5, depth=6), np.uint64(1), np.uint64(2))
    assert answers(entry, 4, 0, -9, 9, False)
    assert not answers(entry, 4, 0, -9, 9, True)
    assert not answers(entry, 7, 0, -9, 9, False)


def test_what_is_deep_stays_and_what_is_shallow_gives_way():
    table = new_table(0)
    kept(1, depth=9, a=1, table=table)
    for shallow in (2, 3, 4):
        kept(1, depth=2, a=shallow, table=table)
    assert [bool(recall(table, np.uint64(a), np.uint64(2))) for a in (1, 2, 3, 4)] == [True, False, False, True]


def test_what_is_old_gives_way_however_deep():
    table = new_table(0)
    kept(1, depth=9, a=1, table=table)
    kept(1, depth=1, a=2, age=2, table=table)
    kept(1, depth=1, a=3, age=2, table=table)
    assert not recall(table, np.uint64(1), np.uint64(2))


def test_a_bucket_lies_on_one_cache_line():
    assert new_table(3).ctypes.data % 64 == 0
    assert new_table(3).shape == (8, 8)
