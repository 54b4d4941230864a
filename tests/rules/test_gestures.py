"""The laws of gestures, as properties over every installed game that is played by hand, third-party games included."""

import random
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.errors import IllegalMove, Rejection
from palio_rules.registry import game, game_from_spec, games

SHIPPED = ("breakthrough", "chess", "chexers", "chexers_solo", "dominoes", "end_of_the_track", "go", "rush_hour", "tsp")
seeds = st.integers(0, 2**32)
fewer = settings(max_examples=max(settings().max_examples // 4, 5))


def by_touch(rules, state):
    """The legal moves that are made by touches, and their touches; the test is skipped where there is none."""
    if rules.gestures is None or rules.gestures.kind != "touches":
        pytest.skip("not played by touch")
    return [(move, touches) for move in state.legal_moves() if (touches := rules.gesture(state, move))]


def made_of(choose, touches):
    return tuple(choose.choice(sorted(cells)) for cells in touches)


def test_every_game_that_ships_is_played_by_hand():
    kinds = {name: game(name).gestures.kind for name in games() if name in SHIPPED}
    assert kinds == dict.fromkeys(SHIPPED, "touches") | {"tsp": "order"}


def test_a_page_of_help_says_how(spec):
    rules, _ = game_from_spec(spec)
    if rules.gestures is not None:
        assert all(0 < len(line) <= 64 for line in rules.gestures.how.splitlines())


@fewer
@given(seed=seeds)
def test_touches_lie_on_the_scene(position_of, spec, seed):
    rules, state = position_of(spec, seed)
    scene = rules.scene(state)
    for move in state.legal_moves():
        for cells in rules.gesture(state, move):
            assert cells
            assert all(0 <= row < scene.rows and 0 <= col < scene.cols for row, col in cells)


@fewer
@given(seed=seeds)
def test_whatever_cells_of_its_touches_are_taken_they_mean_that_move(position_of, spec, seed):
    """So no two moves have touches in common: a click makes one move."""
    rules, state = position_of(spec, seed)
    choose = random.Random(seed)
    for move, touches in by_touch(rules, state):
        cells = made_of(choose, touches)
        assert rules.gestures.meant(state, cells) == move
        assert rules.gestures.made(state, cells) == move


@fewer
@given(seed=seeds)
def test_the_beginning_of_a_move_asks_for_nothing_yet(position_of, spec, seed):
    rules, state = position_of(spec, seed)
    choose = random.Random(seed)
    for _, touches in by_touch(rules, state):
        cells = made_of(choose, touches)
        assert all(rules.gestures.made(state, cells[:length]) is None for length in range(len(cells)))


@fewer
@given(seed=seeds)
def test_a_move_without_touches_is_forced_or_has_a_button(position_of, spec, seed):
    rules, state = position_of(spec, seed)
    moves, forced = {move for move, _ in by_touch(rules, state)}, rules.gestures.forced(state)
    buttons = set(rules.gestures.by_name(state)) & set(state.legal_moves())
    assert set(state.legal_moves()) - moves == buttons | ({forced} if forced is not None else set())


@fewer
@given(seed=seeds, data=st.data())
def test_any_cells_mean_a_move_that_the_rules_judge_or_are_refused_with_a_sentence(position_of, spec, seed, data):
    rules, state = position_of(spec, seed)
    scene = rules.scene(state)
    cell = st.tuples(st.integers(0, scene.rows - 1), st.integers(0, scene.cols - 1))
    cells = tuple(data.draw(st.lists(cell, min_size=1, max_size=4)))
    move, refused = asked(lambda: judged(rules, state, cells))
    assert refused if move is None else rules.anytime or move in set(state.legal_moves())
    if rules.gestures.kind == "touches":
        for touched in (cells, cells[:1]):
            made, refused = asked(partial(rules.gestures.made, state, touched))
            assert refused != ""
            assert made is None or made in set(state.legal_moves())


def judged(rules, state, cells):
    move = rules.gestures.meant(state, cells)
    rules.move_to_wire(move)
    state.check(move)
    return move


def asked(answer):
    """The answer and None, or None and why it was refused."""
    try:
        return answer(), None
    except Rejection as error:
        return None, str(error)


@fewer
@given(seed=seeds)
def test_once_the_game_is_over_touches_are_refused(play_out, spec, seed):
    played = play_out(spec, seed)
    rules, ended = played.rules, played.ended
    if rules.gestures.kind == "touches":
        with pytest.raises(IllegalMove, match="the game is over"):
            rules.gestures.made(ended, ((0, 0),))
        assert rules.gestures.forced(ended) is None


@fewer
@given(seed=seeds)
def test_what_is_told_beside_the_board_is_one_line(position_of, spec, seed):
    rules, state = position_of(spec, seed)
    told = [rules.gestures.count(state), *(rules.gestures.effect(state, move) for move in state.legal_moves())]
    assert not any("\n" in text for text in told)


# --- what single games say -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "cells", "sentence"),
    [
        ("breakthrough", [(2, 0)], "a4 is empty"),
        ("breakthrough", [(0, 0)], "the pawn on a6 cannot move"),
        ("end_of_the_track", [(4, 4)], "none of your blocks stands on e4"),
        ("end_of_the_track", [(7, 3), (5, 3)], "none of your blocks stands on d3"),
        ("chexers", [(0, 0)], "(-3, -3) is off the board, where |q|, |r| and |q + r| are at most 3"),
        ("chexers", [(3, 0), (3, 0)], "red exits where q = 3, not from (-3, 0)"),
        ("chexers_solo:board=####/#####/######/###r###/######/####./###r", [(3, 3)], "the piece on (0, 0) cannot move"),
        ("rush_hour:board=.b../.b../aac./..c.", [(2, 2), (0, 3)], "c slides along its own column only"),
        ("rush_hour:board=.b../.b../aac./..c.", [(1, 1)], "b cannot slide either way"),
        ("tsp:size=3", [(0, 0), (0, 1)], "there is no city on row 0, column 0"),
    ],
)
def test_what_cannot_be_done_is_said_in_the_rules_words(setting, cells, sentence):
    rules, options = game_from_spec(setting)
    state = rules.start(options)
    with pytest.raises(IllegalMove) as caught:
        state.check(rules.gestures.meant(state, tuple(cells)))
    assert str(caught.value) == sentence


def test_a_chain_of_passes_takes_two_touches_however_long_it_is():
    """d1 to g4 by c2 and e4: the board between tells the way, and the hand only who gets the ball."""
    rules, _ = game_from_spec("end_of_the_track")
    state = rules.parse_state("3,9,25,27,5,3,50,51,52,53,54,52 white 0/300")
    assert rules.gestures.made(state, ((7, 3),)) is None
    assert rules.notation(state, rules.gestures.made(state, ((7, 3), (4, 6)))) == "@d1-g4"


def test_a_vehicle_slides_several_cells_to_where_its_front_is_put():
    rules, options = game_from_spec("rush_hour:board=b.../b.../aa.c/.d..")
    state = rules.start(options)
    assert [
        rules.notation(state, rules.gestures.made(state, cells)) for cells in (((2, 0), (2, 2)), ((2, 3), (0, 3)))
    ] == ["a+1", "c-2"]


def test_a_piece_leaves_when_it_is_touched_twice():
    rules, _ = game_from_spec("chexers")
    state = rules.parse_state("..../...../....../....b.r/....../...../.... 0,0,0 red 0/256")
    assert rules.gestures.made(state, ((3, 6), (3, 6))) == ("EXIT", (3, 0))
    assert "(of 4)" in rules.gestures.count(state)


def test_who_can_only_pass_is_not_asked():
    rules, _ = game_from_spec("chexers")
    state = rules.parse_state("..../...../....../...g.../....../...../.... 0,0,0 red 0/256")
    assert rules.gestures.forced(state) == ("PASS", None)


def test_a_jump_says_whom_it_turns():
    rules, _ = game_from_spec("chexers")
    state = rules.parse_state("..../...../....../..rg.../....../...../.... 0,0,0 red 0/256")
    move = rules.gestures.made(state, ((3, 2), (3, 4)))
    assert rules.gestures.effect(state, move) == ", (0, 0) turns from green to red"


@fewer
@given(seed=seeds)
def test_a_tour_is_the_marks_of_the_scene_in_order(position_of, anytime_spec, seed):
    rules, state = position_of(anytime_spec, seed)
    scene = rules.scene(state)
    for tour in state.legal_moves():
        assert rules.gestures.ordered(state, rules.gestures.marks(state, tour)) == tour
        assert sorted(rules.gestures.marks(state, tour)) == list(range(len(scene.marks)))
        cells = tuple((scene.marks[city].row, scene.marks[city].col) for city in tour)
        assert rules.gesture(state, tour) == tuple(frozenset({cell}) for cell in cells)
        meant = rules.gestures.meant(state, cells)
        state.check(meant)
        if len(set(cells)) == len(cells):
            assert meant == tour


def test_more_marks_than_cities_are_judged_by_the_rules():
    rules, options = game_from_spec("tsp:size=3")
    state = rules.start(options)
    with pytest.raises(IllegalMove, match="city 1 is visited twice"):
        state.check(rules.gestures.ordered(state, (0, 1, 1)))
