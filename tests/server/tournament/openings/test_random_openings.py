"""Random openings are found as they are asked for, and stay what they are however many are."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_rules.registry import game
from palio_server.tournament.openings import Opening, RandomOpenings, openings

GAMES = ["breakthrough", "chexers", "dominoes", "end_of_the_track"]


def drawn(name, plies, seed, options=None):
    rules = game(name)
    return RandomOpenings(rules, rules.start(rules.parse_options(options or {})), plies, seed)


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=settings().max_examples // 5)
@given(
    plies=st.sampled_from([0, 2, 3, 4]),
    asked=st.lists(st.integers(0, 30), min_size=1, max_size=6),
    seed=st.integers(0, 2**32),
)
def test_an_opening_has_its_number_whatever_was_asked_before(name, plies, asked, seed):
    at_once = drawn(name, plies, seed)
    at_once.check(31)
    one_by_one = drawn(name, plies, seed)
    assert [one_by_one.opening(number) for number in asked] == [at_once.opening(number) for number in asked]


@settings(max_examples=settings().max_examples // 5)
@given(fewer=st.integers(1, 10), more=st.integers(1, 10), seed=st.integers(0, 2**32))
def test_an_event_that_is_extended_keeps_its_openings(fewer, more, seed):
    rules = game("dominoes")
    first = [openings(rules, lambda: rules.start(rules.parse_options({})), 3, n, seed) for n in (fewer, fewer + more)]
    assert first[1][:fewer] == first[0]


def test_all_that_a_small_game_has_are_found_and_then_they_come_round_again():
    source = drawn("dominoes", 1, 4, {"rows": 3, "cols": 3})
    six = [source.opening(number) for number in range(6)]
    assert six == list(source)
    assert [source.opening(number) for number in (6, 7, 17)] == [six[0], six[1], six[5]]
    with pytest.raises(BadOption, match=r"too few openings of 1 plies: 7 are wanted, 6 were found; give more"):
        source.check(7)


def test_without_plies_all_begin_in_the_first_position():
    source = drawn("breakthrough", 0, 1)
    assert source.opening(10**9) == Opening()
    assert source.check(10**9) == ()


def test_a_game_that_ends_within_the_opening_has_none():
    with pytest.raises(BadOption, match="0 were found"):
        drawn("dominoes", 9, 1, {"rows": 2, "cols": 2}).opening(0)
