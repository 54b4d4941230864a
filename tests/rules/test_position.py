"""A position of every game is looked at with the same words: its moves, its places, its board as text."""

import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import IllegalMove
from palio_rules.position import Moves
from palio_rules.registry import game, games

GAMES = [game(name) for name in games()]


def positions(rules, plies: int):
    """The positions of a short game, in which the move is drawn by its number."""
    state = rules.start(rules.parse_options({"size": 5} if rules.name == "tsp" else {}))
    yield state
    for number in range(plies):
        moves = state.legal_moves()
        if not moves:
            return
        state = state.play(moves[number * 7 % len(moves)])
        yield state


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_moves_are_a_sequence_that_says_the_same_each_time(rules):
    for state in positions(rules, 6):
        moves = state.legal_moves()
        listed = list(moves)
        assert len(moves) == len(listed)
        assert [moves[index] for index in range(len(moves))] == listed == list(moves)
        assert moves == listed
        assert moves == tuple(listed)
        assert bool(moves) == bool(listed)
        if listed:
            assert moves[-1] == listed[-1]
            assert listed[0] in moves
            assert next(state.legal_moves()) == listed[0]


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_a_position_prints_as_its_board_and_is_read_place_by_place(rules):
    for state in positions(rules, 4):
        assert str(state) == rules.render(state)
        assert [place for place, _ in state.items()] == list(state.places())
        contents = dict(state.items())
        assert [state[place] for place in state.places()] == list(contents.values())
        some = state.places()[0]
        assert some in state.find(state[some])
        with pytest.raises(TypeError):
            iter(state)
        assert pickle.loads(pickle.dumps(state)) == state  # our own


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("breakthrough", (6, 0)),
        ("breakthrough", (0, -1)),
        ("chexers", (3, 3)),
        ("dominoes", (0, 8)),
        ("end_of_the_track", (8, 0)),
        ("tsp", 30),
    ],
)
def test_a_place_off_the_board_is_an_error_that_names_it(name, place):
    rules = game(name)
    with pytest.raises(IndexError, match=r"off the board|does not exist"):
        rules.start(rules.parse_options({}))[place]


@pytest.mark.parametrize("place", [1, "b5", (1,), (1, 0, 0), None, ("b", 5)])
def test_what_is_no_square_is_an_error_that_says_how_to_write_one(place):
    rules = game("breakthrough")
    with pytest.raises(TypeError, match=r"is no square; write state\[row, col\]"):
        rules.start(rules.parse_options({}))[place]


def test_contents_are_those_of_the_text_board():
    rules = game("breakthrough")
    state = rules.parse_state("BBB/.../.W./WW. black")
    assert state[0, 2] == "B"
    assert state.find("W") == [(2, 1), (3, 0), (3, 1)]
    track = game("end_of_the_track")
    start = track.start(track.parse_options({}))
    assert (start[7, 3], start[0, 3], start[7, 1], start[4, 4]) == ("W", "B", "w", ".")


def test_next_takes_move_after_move_and_a_loop_goes_on_from_there():
    moves = Moves(lambda: [1, 2, 3])
    assert next(moves) == 1
    assert list(moves) == [2, 3]
    assert list(Moves(lambda: iter([1, 2]))) == [1, 2]


def test_a_loop_that_stops_early_finds_no_more_moves_than_it_needs():
    found = []

    def find():
        for number in range(10):
            found.append(number)
            yield number

    for move in Moves(find):
        if move == 2:
            break
    assert found == [0, 1, 2]
    assert Moves(find)
    assert found == [0, 1, 2, 0]


@given(st.lists(st.integers()), st.integers(-5, 5), st.integers(-5, 5))
def test_slices_are_those_of_a_tuple(numbers, start, stop):
    assert Moves(lambda: numbers)[start:stop] == tuple(numbers)[start:stop]


def test_a_move_that_cannot_be_played_says_why_instead_of_a_key_error():
    rules = game("breakthrough")
    with pytest.raises(ValueError, match="b2 is your opponent's piece"):
        rules.start(rules.parse_options({})).play(((4, 1), (3, 1)))


@pytest.mark.parametrize("name", ["chexers", "chexers_solo"])
def test_a_plain_pair_is_checked_as_an_action(name):
    rules = game(name)
    state = rules.start(rules.parse_options({}))
    action = state.legal_moves()[0]
    state.check(tuple(action))
    with pytest.raises(IllegalMove, match="an action is a kind and its hexes"):
        state.check((1, 2, 3))


def test_the_evaluation_on_the_page_about_bots_runs_as_printed():
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "python-bots.md").read_text("utf-8")
    listing = re.search(r"```python\n(def lead.*?)```", page, re.DOTALL)
    assert listing
    space: dict = {}
    exec(listing[1], space)  # our own page
    rules = game("breakthrough")
    start = rules.start(rules.parse_options({}))
    assert space["lead"](start) == 0
    move = space["choose"](start)
    assert move.dst[0] == move.src[0] + 1
    assert space["lead"](start.play(move)) == 1
