"""Openings are legal, different, undecided, the same for the same seed; a round robin plays each from both sides."""

from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_rules.registry import game
from palio_server.tournament.openings import openings
from palio_server.tournament.schedule import RoundRobin

DUELS = ["breakthrough", "dominoes", "end_of_the_track"]


def drawn(name, plies, count, seed):
    rules = game(name)
    return openings(rules, lambda: rules.start(rules.parse_options({})), plies, count, seed)


@pytest.mark.parametrize("name", DUELS)
@settings(max_examples=20)
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


def test_each_opening_is_played_twice_with_the_seats_swapped():
    matches = RoundRobin("breakthrough", ["a", "b", "c"], rounds=3, openings=2, seed=5).setups()
    assert len(matches) == 3 * 3 * 2
    played = defaultdict(list)
    for _, setup in matches:
        played[frozenset(setup.bots), repr(setup.opening)].append(setup.bots)
    assert all(seats == [seats[0], seats[0][::-1]] for seats in played.values())
    assert len(played) == 9


def test_every_pair_is_given_the_same_openings():
    matches = RoundRobin("dominoes", ["a", "b", "c", "d"], rounds=2, openings=3).setups()
    by_pair = defaultdict(set)
    for _, setup in matches:
        by_pair[frozenset(setup.bots)].add(repr(setup.opening))
    assert len(set(map(frozenset, by_pair.values()))) == 1


def test_every_bot_sits_equally_often_in_each_seat():
    matches = RoundRobin("breakthrough", ["a", "b", "c", "d"], rounds=3).setups()
    assert set(Counter(setup.bots[0] for _, setup in matches).values()) == {9}


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"bots": ["a"]}, "two bots at least"),
        ({"bots": ["a", "a"]}, "two bots are called 'a'"),
        ({"bots": ["a", "b"], "rounds": 0}, "--rounds 0 is out of range; give 1 to 10000"),
        ({"bots": ["a", "b"], "openings": -1}, "--openings -1 is out of range"),
        ({"bots": ["a", "b"], "game": "brakethrough"}, "did you mean 'breakthrough'"),
    ],
)
def test_a_tournament_that_cannot_be_is_refused_with_the_remedy(settings, sentence):
    with pytest.raises(BadOption, match=sentence):
        RoundRobin(**{"game": "breakthrough", **settings})


def test_a_wrong_option_is_refused_before_the_first_match():
    with pytest.raises(BadOption, match="no option 'row'; did you mean 'rows'"):
        RoundRobin("breakthrough", ["a", "b"], options={"row": "6"}).setups()
