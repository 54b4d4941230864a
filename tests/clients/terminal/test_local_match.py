"""A game in progress: what is taken back was never played."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_clients.terminal.opponent import LocalMatch, NothingToTakeBack
from palio_rules.errors import IllegalMove
from palio_rules.games.dominoes import HORIZONTAL, VERTICAL, Move
from palio_rules.registry import game, games


def test_every_game_that_is_played_by_touch_is_examined(table):
    assert set(table.specs) == {name for name in games() if game(name).gestures.kind == "touches"}


@given(data=st.data())
def test_taking_a_move_back_is_the_game_before_it(table, data):
    match = data.draw(table.matches())
    moves = list(match.state.legal_moves())
    if moves:
        after = match.play(data.draw(st.sampled_from(moves)))
        assert after.undo({match.to_move}) == match  # this is not the screen's: it would go on past a forced pass
        assert len(after.positions) == len(after.moves) + 1


@given(data=st.data())
def test_undo_returns_to_the_last_turn_of_one_of_the_seats(table, data):
    match = data.draw(table.matches())
    seats = data.draw(st.sets(st.integers(0, 1), min_size=1))
    turns = [position.to_move for position in match.positions[:-1]]
    if not seats & set(turns):
        with pytest.raises(NothingToTakeBack):
            match.undo(seats)
        return
    earlier = match.undo(seats)
    assert earlier.to_move in seats
    assert not seats & set(turns[len(earlier.moves) + 1 :])
    assert match.follows(earlier.moves)


@given(data=st.data())
def test_the_moves_as_written_lead_to_the_same_position(table, data):
    match = data.draw(table.matches())
    again = match.again()
    assert again.moves == ()
    for seat, text in match.notations():
        assert seat == again.to_move
        again = again.play(match.rules.parse_notation(again.state, text))
    assert again == match


def test_an_illegal_move_is_rejected_with_the_reason_and_changes_nothing(table):
    match = table.match("dominoes:rows=3,cols=3").play(Move(0, 0))
    with pytest.raises(IllegalMove, match="a3 is taken"):
        match.play(Move(0, 0))
    assert match.moves == (Move(0, 0),)


def test_against_a_bot_undo_takes_the_bots_answer_back_too(table):
    match = table.match("dominoes:rows=4,cols=4").play(Move(0, 0)).play(Move(0, 1))
    assert match.undo({VERTICAL}).moves == ()
    assert match.undo({HORIZONTAL}).moves == (Move(0, 0),)


def test_a_game_that_went_another_way_does_not_follow(table):
    match = table.match("dominoes:rows=4,cols=4")
    assert not match.play(Move(0, 0)).follows((Move(1, 1),))
    assert not match.follows((Move(0, 0),))


def test_undo_goes_past_a_pass_that_nobody_chose(table):
    rules = table.match("chexers").rules
    gestures = rules.gestures
    start = rules.parse_state("..../...../....../...g..r/....../...../.... 3,0,0 green 4/256")
    match = LocalMatch(rules, (start,))
    for text in ("(0,0)-(1,0)", "pass", "(3,0)-(2,1)", "(1,0)-(0,0)", "pass"):
        match = match.play(rules.parse_notation(match.state, text))
    assert match.to_move == 0
    assert [move.kind for move in match.undo({2, 0}, gestures.forced).moves] == ["MOVE", "PASS"]
    with pytest.raises(NothingToTakeBack):
        match.undo({2}, gestures.forced)
