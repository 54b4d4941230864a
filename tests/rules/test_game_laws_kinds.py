"""What sets races, duels and tables apart, as properties over every installed game of each kind."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.game import Outcome
from palio_rules.registry import game_from_spec

seeds = st.integers(0, 2**32)


def any_seed(test: Callable[..., None]) -> Callable[..., None]:
    """Half the usual number of examples: each test runs for all games and settings."""
    return settings(max_examples=settings().max_examples // 2)(given(seed=seeds)(test))


def test_the_kind_follows_from_the_seats(play_out, spec):
    rules = play_out(spec, 0, longest=0).rules
    assert rules.kind == {1: "race", 2: "duel"}.get(len(rules.seats), "table")
    assert rules.kind == "race" or not rules.anytime


@any_seed
def test_a_duel_forfeited_is_lost_by_its_seat(position_of, duel_spec, seed):
    rules, state = position_of(duel_spec, seed)
    assert rules.forfeit(state, 0) == Outcome("forfeit", (0.0, 1.0))
    assert rules.forfeit(state, 1) == Outcome("forfeit", (1.0, 0.0))


@settings(max_examples=10)
@given(seed=st.integers(0, 2))
def test_an_instance_written_out_is_the_same_first_position_whatever_the_seed(spec, seed):
    rules, options = game_from_spec(spec)
    written = rules.parse_options(rules.instance(options, seed))
    assert rules.start(written, seed + 1) == rules.start(options, seed)
    assert rules.format_state(rules.start(written, seed + 1)) == rules.format_state(rules.start(options, seed))
    assert rules.instance(written, seed + 1) == rules.instance(options, seed)


# --- races -----------------------------------------------------------------------------------------------------------


@any_seed
def test_only_races_have_a_cost_and_only_what_is_solved_has_one(play_out, spec, seed):
    played = play_out(spec, seed)
    rules = played.rules
    for state in played.states:
        cost = rules.cost(state)
        assert cost is None or (rules.kind == "race" and cost >= 0)
    if rules.kind == "race":
        assert (rules.cost(played.ended) is not None) == (played.ended.outcome().scores == (1.0,))


@any_seed
def test_a_race_given_up_is_not_solved_unless_something_was_handed_in(position_of, race_spec, seed):
    rules, state = position_of(race_spec, seed)
    if rules.anytime:
        closed = rules.forfeit(state, 0)
        assert rules.cost(closed) == rules.cost(state)
        assert closed.outcome().scores == (float(rules.cost(state) is not None),)
        assert rules.parse_state(rules.format_state(closed)) == closed
    else:
        assert rules.forfeit(state, 0) == Outcome("forfeit", (0.0,))


@any_seed
def test_in_an_anytime_race_the_turn_stays_and_the_cost_never_rises(play_out, anytime_spec, seed):
    played = play_out(anytime_spec, seed)
    costs = [played.rules.cost(state) for state in played.states]
    assert costs[0] is None
    assert costs[1:] == sorted(costs[1:], reverse=True)
    assert {state.to_move for state in played.states} == {0}


@any_seed
def test_no_solution_costs_less_than_what_is_proven_of_its_instance(play_out, anytime_spec, seed):
    played = play_out(anytime_spec, seed)
    rules = played.rules
    bounds = {rules.lower_bound(state) for state in played.states}
    assert len(bounds) == 1, "it depends on the instance only"
    bound = bounds.pop()
    assert bound is None or all(bound <= rules.cost(state) for state in played.states[1:])
    assert rules.lower_bound(rules.parse_state(rules.format_state(played.ended))) == bound


# --- tables ----------------------------------------------------------------------------------------------------------


@any_seed
def test_a_table_plays_on_without_a_seat_until_one_is_left_and_has_won(play_out, table_spec, seed):
    played, choose = play_out(table_spec, seed), random.Random(seed)
    rules, state = played.rules, choose.choice(played.states)
    seats = list(range(len(rules.seats)))
    choose.shuffle(seats)
    for number, seat in enumerate(seats[:-1], 1):
        if state.to_move is None:
            return
        state = rules.forfeit(state, seat)
        again = rules.parse_state(rules.format_state(state))
        assert again == state
        assert state.to_move not in seats[:number]
        for _ in range(choose.randrange(4)):
            if state.to_move is not None:
                assert state.to_move not in seats[:number]
                move = choose.choice(list(state.legal_moves()))
                state.check(move)
                state = state.play(move)
    ended = state.outcome()
    assert ended is not None
    assert all(ended.scores[seat] == 0 for seat in seats[:-1]) or ended.reason not in ("last-seat", "last-player")
    assert sum(ended.scores) == pytest.approx(1)
