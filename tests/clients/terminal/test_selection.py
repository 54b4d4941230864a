"""Touches become moves: every legal move can be made by touch, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_clients.terminal.screens import Chosen, Selection
from palio_rules.boards.chexers import Action
from palio_rules.errors import IllegalMove
from palio_rules.scene import Mark


def selection_of(match):
    return Selection(match.rules.gestures, match.state)


def touch(selection, *cells):
    for cell in cells:
        selection = selection.touch(cell)
    return selection


@given(data=st.data())
def test_touching_the_cells_of_a_legal_move_makes_that_move(table, data):
    match = data.draw(table.matches())
    selection = selection_of(match)
    for move in match.state.legal_moves():
        cells = [data.draw(st.sampled_from(sorted(each))) for each in selection.gestures.touches(match.state, move)]
        if cells:
            assert touch(selection, *cells) == Chosen(move)
        else:  # nothing to touch: it is made by itself, or by its key
            assert move in (selection.gestures.forced(match.state), *selection.gestures.by_name(match.state))


@given(data=st.data())
def test_any_touch_goes_on_or_lets_go_or_is_refused_with_a_reason(table, data):
    match = data.draw(table.matches())
    scene = match.rules.scene(match.state)
    cells = st.tuples(st.integers(0, scene.rows - 1), st.integers(0, scene.cols - 1))
    selection = selection_of(match)
    for cell in data.draw(st.lists(cells, max_size=6)):
        leads_on = cell in selection.targets()
        try:
            touched = selection.touch(cell)
        except IllegalMove as error:
            refusal = error.code, str(error)
            assert not leads_on
            assert all(refusal)
            continue
        if isinstance(touched, Chosen):
            assert cell in selection.landings()
            match.state.check(touched.move)
            return
        assert bool(touched.touched) == (cell not in selection.held())
        selection = touched


@given(data=st.data())
def test_a_preview_shows_the_pieces_that_the_move_then_places(table, data):
    match = data.draw(table.matches())
    scene = match.rules.scene(match.state)
    selection = selection_of(match)
    for cell in [(row, col) for row in range(scene.rows) for col in range(scene.cols)]:
        marks = selection.preview(match.rules, cell)
        assert bool(marks) == (cell in selection.landings())
        if marks:
            after = match.rules.scene(match.state.play(selection.touch(cell).move))
            assert set(marks) <= set(after.marks)
            assert not set(marks) & set(scene.marks)


def test_a_domino_is_previewed_where_it_would_lie(table):
    match = table.match("dominoes:rows=3,cols=3")
    assert selection_of(match).preview(match.rules, (1, 2)) == (Mark("bar", 0, 1, 2, 2, 1),)
    assert selection_of(match).preview(match.rules, (2, 2)) == ()


@pytest.mark.parametrize(
    ("spec", "touches", "sentence"),
    [
        ("dominoes:rows=3,cols=3", [(2, 0)], "a domino on a1 would lie across the lower edge"),
        ("dominoes:board=.#/..", [(0, 1)], "b2 is taken"),
        ("dominoes:rows=1,cols=1", [(0, 0)], "the game is over"),
        ("breakthrough", [(2, 0)], "a4 is empty"),
        ("breakthrough", [(5, 0)], "a1 is your opponent's piece"),
        ("breakthrough", [(0, 0)], "the pawn on a6 cannot move"),
        ("breakthrough", [(1, 0), (3, 0)], "a5 to a3 is not one step down, straight or diagonal"),
        ("end_of_the_track", [(4, 4)], "none of your blocks stands on e4"),
        ("end_of_the_track", [(7, 1), (6, 1)], "b1 to b2 is not a knight's move"),
        ("end_of_the_track", [(7, 3), (5, 3)], "none of your blocks stands on d3"),
        ("chexers", [(0, 0)], "(-3, -3) is off the board, where |q|, |r| and |q + r| are at most 3"),
        ("chexers", [(3, 3)], "(0, 0) is empty"),
        ("chexers", [(0, 3)], "on (0, -3) stands no piece of red"),
        ("chexers", [(3, 0), (3, 2)], "(-2, 0), between (-3, 0) and (-1, 0), is empty"),
        ("chexers", [(3, 0), (5, 2)], "(-3, 0) to (-1, 2) is not two hexes in a straight line"),
        ("chexers_solo:board=####/#####/######/###r###/######/####./###r", [(3, 3)], "the piece on (0, 0) cannot move"),
        ("rush_hour:board=.b../.b../aac./..c.", [(0, 0)], "there is no vehicle on row 0, column 0"),
        ("rush_hour:board=.b../.b../aac./..c.", [(2, 2), (0, 3)], "c slides along its own column only"),
        ("rush_hour:board=.b../.b../aac./..c.", [(1, 1)], "b cannot slide either way"),
    ],
)
def test_what_cannot_be_done_is_reported_in_the_rules_words(table, spec, touches, sentence):
    selection = selection_of(table.match(spec))
    with pytest.raises(IllegalMove) as caught:
        touch(selection, *touches)
    assert str(caught.value) == sentence


def test_touching_a_piece_again_lets_it_go_and_touching_another_takes_that(table):
    selection = selection_of(table.match("breakthrough")).touch((1, 0))
    assert selection.held() == {(1, 0)}
    assert selection.landings() == {(2, 0), (2, 1)}
    assert selection.touch((1, 0)).touched == ()
    assert selection.touch((1, 3)).touched == ((1, 3),)


def test_the_ball_is_passed_by_touching_who_holds_it_and_who_gets_it(table):
    selection = selection_of(table.match("end_of_the_track")).touch((7, 3))
    assert selection.landings() == {(7, 1), (7, 2), (7, 4), (7, 5)}
    assert selection.touch((7, 1)) == Chosen((5, 1))


def test_a_vehicle_is_held_as_a_whole_wherever_one_takes_it(table):
    selection = selection_of(table.match("rush_hour:board=..../..b./aab./...."))
    held = selection.touch((2, 2))
    assert held.held() == {(1, 2), (2, 2)}
    assert held.landings() == {(0, 2), (3, 2)}
    assert held.touch((1, 2)).touched == ()
    assert held.touch((0, 2)) == Chosen(("b", -1))
    assert selection.touch((1, 2)).touch((3, 2)) == Chosen(("b", 1))


def test_a_piece_on_the_edge_opposite_leaves_when_it_is_touched_twice(table):
    selection = selection_of(table.match("chexers_solo:board=..../...../....../..r...r/....../...../....")).touch(
        (3, 6)
    )
    assert selection.leaves()
    assert selection.touch((3, 6)) == Chosen(Action("EXIT", (3, 0)))
    assert not selection.touch((3, 2)).leaves()
    assert selection.touch((3, 2)).touch((3, 2)).touched == ()


def test_a_jump_is_previewed_with_the_piece_that_it_turns(table):
    rules = table.match("chexers").rules
    state = rules.parse_state("..../...../....../..rg.../....../...../.... 0,0,0 red 0/256")
    selection = Selection(rules.gestures, state).touch((3, 2))
    assert selection.preview(rules, (3, 4)) == (Mark("disc", 0, 3, 3), Mark("disc", 0, 3, 4))


def test_who_can_do_nothing_but_pass_touches_nothing(table):
    rules = table.match("chexers").rules
    state = rules.parse_state("..../...../....../...g.../....../...../.... 0,0,0 red 0/256")
    selection = Selection(rules.gestures, state)
    assert selection.targets() == frozenset()
    with pytest.raises(IllegalMove, match="is empty"):
        selection.touch((3, 2))
