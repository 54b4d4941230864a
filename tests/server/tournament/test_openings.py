"""Openings are legal, different, undecided, and the same for the same seed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_rules.registry import game
from palio_server.tournament.openings import openings

GAMES = ["breakthrough", "chexers", "dominoes", "end_of_the_track"]


def drawn(name, plies, count, seed):
    rules = game(name)
    return openings(rules, lambda: rules.start(rules.parse_options({})), plies, count, seed)


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=settings().max_examples // 5)
@given(plies=st.integers(1, 6), count=st.integers(1, 8), seed=st.integers(0, 2**32))
def test_openings_are_legal_and_lead_to_different_positions_that_are_not_decided(name, plies, count, seed):
    rules, reached = game(name), set()
    for opening in drawn(name, plies, count, seed):
        assert len(opening) == plies
        state = rules.start(rules.parse_options({}))
        for value in opening:
            state = state.play(rules.read_move(state, value))
        assert state.outcome() is None
        reached.add(state)
    assert len(reached) == count


def test_the_same_seed_draws_the_same_openings_and_another_one_others():
    assert drawn("breakthrough", 4, 5, 7) == drawn("breakthrough", 4, 5, 7)
    assert drawn("breakthrough", 4, 5, 7) != drawn("breakthrough", 4, 5, 8)


def test_without_plies_every_game_starts_from_the_first_position():
    assert drawn("dominoes", 0, 3, 1) == [(), (), ()]


def test_more_openings_than_a_game_has_are_refused_with_the_remedy():
    with pytest.raises(BadOption, match=r"too few openings of 1 plies: 40 are wanted, 16 were found; give more"):
        drawn("breakthrough", 1, 40, 1)
