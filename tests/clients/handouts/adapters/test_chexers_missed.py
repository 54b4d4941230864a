"""What was played between two positions is found again: over exits, over sides that have forfeited, or not at all."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.handouts.adapters.chexers import leads, missed
from palio_rules.boards.chexers import Action
from palio_rules.games.chexers import Chexers, Position

RULES = Chexers()


def game(seed, plies, thrown_out=()):
    """Positions of a random game, as bots get them, and (seat, action) for each; (ply, seat) leave the game."""
    choose = random.Random(seed)
    states, plays, state = [Position.of()], [], Position.of()
    for number in range(plies):
        for seat in [seat for ply, seat in thrown_out if ply == number]:
            state = state.without(seat)
        if state.to_move is None:
            break
        move = choose.choice(list(state.legal_moves()))
        plays.append((state.to_move, move))
        state = state.play(move)
        states.append(state)
    return [RULES.parse_state(RULES.format_state(each)) for each in states], plays


@settings(max_examples=2 * settings().max_examples // 3, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 300), st.integers(0, 12))
def test_what_was_missed_leads_from_one_position_to_the_other(seed, first, count):
    states, plays = game(seed, first + count)
    before, after = states[min(first, len(plays))], states[-1]
    found = missed(before, after)
    if found is None:  # an exit hides what was before it: nobody could tell
        assert "EXIT" in [move.kind for _, move in plays[first:]]
        return
    assert len(found) == len(plays) - min(first, len(plays))
    for seat, move in found:
        assert before.to_move == seat
        before.check(move)
        before = before.play(move)
    assert (before, before.ply) == (after, after.ply)


@pytest.mark.parametrize("count", [0, 1, 12, 40])
def test_without_exits_it_is_reported_exactly(count):
    states, plays = game(1, count)
    assert missed(states[0], states[-1]) == plays


@pytest.mark.parametrize(("ply", "seat"), [(0, 1), (1, 1), (1, 2), (2, 1), (3, 0), (4, 0)])
def test_where_a_side_was_thrown_out_what_is_found_leads_there_all_the_same(ply, seat):
    states, plays = game(3, 5, [(ply, seat)])
    assert leads(states[0], plays, states[-1])
    found = missed(states[0], states[-1])
    assert leads(states[0], found, states[-1])


def test_a_side_that_is_out_already_stays_so():
    states, plays = game(3, 9, [(2, 1)])
    assert missed(states[4], states[-1]) == plays[4:]


@pytest.mark.parametrize("wrong", [slice(1, None), slice(None, -1), slice(None, None, 2), slice(0, 0)])
def test_plays_with_a_gap_do_not_lead_there(wrong):
    states, plays = game(3, 8, [(4, 2)])
    assert leads(states[0], plays, states[-1])
    assert not leads(states[0], plays[wrong], states[-1])


def test_an_exit_among_the_last_few_actions_is_found():
    start = RULES.parse_state("..../...../....../b.....r/g...../...../.... 0,0,0 red 0/256")
    moves = [Action("EXIT", (3, 0)), Action("MOVE", ((-3, 1), (-3, 2))), Action("EXIT", (-3, 0))]
    after = start
    for move in moves:
        after = after.play(move)
    assert missed(start, after) == list(enumerate(moves))


def test_two_positions_of_different_games_have_nothing_between_them():
    assert missed(game(1, 4)[0][-1], game(2, 8)[0][-1]) is None
    assert missed(game(1, 4)[0][-1], game(1, 2)[0][-1]) is None
