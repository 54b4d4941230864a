"""Positions of OpenSpiel's games."""

import pickle

import pytest

from palio_rules.errors import IllegalMove
from palio_rules.game import Outcome
from palio_rules.registry import game_from_spec

pytestmark = pytest.mark.usefixtures("own_games")


def played(spec, *moves):
    rules, options = game_from_spec(f"openspiel:{spec}")
    state = rules.start(options)
    for text in moves:
        state = state.play(rules.parse_notation(state, text))
    return rules, state


def test_a_won_game_is_scored_one_to_nil():
    _, state = played("tic_tac_toe", "x(0,0)", "o(1,0)", "x(0,1)", "o(1,1)", "x(0,2)")
    assert state.outcome() == Outcome("win", (1.0, 0.0))
    assert state.to_move is None
    with pytest.raises(IllegalMove, match="the game is over"):
        state.check(8)


def test_a_drawn_game_is_shared():
    moves = ("x(0,0)", "o(1,1)", "x(2,2)", "o(0,1)", "x(2,1)", "o(2,0)", "x(0,2)", "o(1,2)", "x(1,0)")
    _, state = played("tic_tac_toe", *moves)
    assert state.outcome() == Outcome("draw", (0.5, 0.5))


def test_a_margin_is_a_win_like_any_other():
    rules, options = game_from_spec("openspiel:dots_and_boxes:utility_margin=true,num_rows=1,num_cols=1")
    state = rules.start(options)
    while state.to_move is not None:
        last, state = state.to_move, state.play(next(state.legal_moves()))
    assert state.outcome() == Outcome("win", (float(last == 0), float(last == 1)))


def test_after_so_many_plies_it_is_a_draw():
    rules, options = game_from_spec("openspiel:quoridor:players=3,board_size=3,max_plies=2")
    state = rules.start(options)
    for _ in range(2):
        state = state.play(next(state.legal_moves()))
    assert state.outcome() == Outcome("max-plies", (1 / 3, 1 / 3, 1 / 3))
    assert list(state.legal_moves()) == []


def test_an_action_that_is_not_legal_is_quoted():
    _, state = played("tic_tac_toe", "x(0,0)")
    with pytest.raises(IllegalMove, match="cannot be played here, got 0"):
        state.check(0)


def test_notation_has_no_white_space_and_braces():
    rules, state = played("nim")
    assert rules.notation(state, next(state.legal_moves())) == "pile:1,_take:1;"


def test_two_actions_of_one_name_are_told_apart_by_their_numbers():
    _, state = played("tic_tac_toe")

    class Alike:
        def __getattr__(self, name):
            return getattr(state.spiel, name)

        def action_to_string(self, seat, action):
            return "here" if action < 2 else f"there {action}"

    names = type(state)(state.variant, (), Alike()).names()
    assert [names[0], names[1], names[2]] == ["here#0", "here#1", "there_2"]


def test_a_pickled_position_goes_on():
    _, state = played("hex:board_size=4", "a1", "b2")
    again = pickle.loads(pickle.dumps(state))
    assert again == state
    assert str(again.spiel) == str(state.spiel)
