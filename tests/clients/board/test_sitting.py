"""A game in progress: what is taken back was never played."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_clients.board.handling import HANDLINGS
from palio_clients.board.sitting import NothingToTakeBack, Sitting
from palio_rules.errors import IllegalMove
from palio_rules.games.dominoes import HORIZONTAL, VERTICAL, Move


def test_every_game_with_a_handling_is_examined(table):
    assert set(table.specs) == set(HANDLINGS)


@given(data=st.data())
def test_taking_a_move_back_is_the_game_before_it(table, data):
    sitting = data.draw(table.sittings())
    moves = list(sitting.state.legal_moves())
    if moves:
        after = sitting.play(data.draw(st.sampled_from(moves)))
        assert after.undo({sitting.to_move}) == sitting  # this is not the screen's: it would go on past a forced pass
        assert len(after.positions) == len(after.moves) + 1


@given(data=st.data())
def test_undo_returns_to_the_last_turn_of_one_of_the_seats(table, data):
    sitting = data.draw(table.sittings())
    seats = data.draw(st.sets(st.integers(0, 1), min_size=1))
    turns = [position.to_move for position in sitting.positions[:-1]]
    if not seats & set(turns):
        with pytest.raises(NothingToTakeBack):
            sitting.undo(seats)
        return
    earlier = sitting.undo(seats)
    assert earlier.to_move in seats
    assert not seats & set(turns[len(earlier.moves) + 1 :])
    assert sitting.follows(earlier.moves)


@given(data=st.data())
def test_the_moves_as_written_lead_to_the_same_position(table, data):
    sitting = data.draw(table.sittings())
    again = sitting.again()
    assert again.moves == ()
    for seat, text in sitting.notations():
        assert seat == again.to_move
        again = again.play(sitting.rules.parse_notation(again.state, text))
    assert again == sitting


def test_an_illegal_move_is_refused_with_the_reason_and_changes_nothing(table):
    sitting = table.sitting("dominoes:rows=3,cols=3").play(Move(0, 0))
    with pytest.raises(IllegalMove, match="a3 is taken"):
        sitting.play(Move(0, 0))
    assert sitting.moves == (Move(0, 0),)


def test_against_a_bot_undo_takes_the_bots_answer_back_too(table):
    sitting = table.sitting("dominoes:rows=4,cols=4").play(Move(0, 0)).play(Move(0, 1))
    assert sitting.undo({VERTICAL}).moves == ()
    assert sitting.undo({HORIZONTAL}).moves == (Move(0, 0),)


def test_a_game_that_went_another_way_does_not_follow(table):
    sitting = table.sitting("dominoes:rows=4,cols=4")
    assert not sitting.play(Move(0, 0)).follows((Move(1, 1),))
    assert not sitting.follows((Move(0, 0),))


def test_undo_goes_past_a_pass_that_nobody_chose(table):
    rules = table.sitting("chexers").rules
    handling = HANDLINGS["chexers"]
    start = rules.parse_state("..../...../....../...g..r/....../...../.... 3,0,0 green 4/256")
    sitting = Sitting(rules, (start,))
    for text in ("(0,0)-(1,0)", "pass", "(3,0)-(2,1)", "(1,0)-(0,0)", "pass"):
        sitting = sitting.play(rules.parse_notation(sitting.state, text))
    assert sitting.to_move == 0
    assert [move.kind for move in sitting.undo({2, 0}, handling.forced).moves] == ["MOVE", "PASS"]
    with pytest.raises(NothingToTakeBack):
        sitting.undo({2}, handling.forced)
