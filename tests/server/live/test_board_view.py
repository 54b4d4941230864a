"""Boards as viewers see them: drawn once a position, one for all seats or one for each entrant of a race."""

import pytest
from msgspec import UNSET

from palio_rules.contract.messages import Result
from palio_rules.records import Ply, Setup
from palio_rules.records.boards import boards_of
from palio_server.live.match_live import BoardView, RaceView, view_of

DUEL = Setup("breakthrough", ("ann", "bob"), options={"rows": 5, "cols": 3})
PARK = Setup("rush_hour", ("ann", "bob"), options={"board": "b.../b.../aa.c/.d.."})  # c up or down lets a out
TOURS = Setup("tsp", ("ann", "bob"), options={"cities": [[0, 0], [0, 30], [40, 30], [40, 0]]})


def test_what_no_tour_can_beat_is_told_once_there_is_a_tour():
    view = looking(TOURS)
    assert view.view(0).bound is UNSET
    view.boards.play(Ply(0, [0, 2, 1, 3], 5))
    view.settle([None, None])
    assert view.view(1).bound == 140
    assert looking(PARK).view(0).bound is UNSET


def looking(setup):
    return view_of(boards_of(setup), [None] * len(setup.bots), "m")


@pytest.mark.parametrize(("setup", "kind"), [(DUEL, BoardView), (PARK, RaceView), (TOURS, RaceView)])
def test_the_game_says_which_kind_of_view_it_needs(setup, kind):
    assert type(looking(setup)) is kind


@pytest.mark.parametrize("setup", [DUEL, PARK, TOURS])
def test_each_board_is_drawn_once_a_position_however_many_look(monkeypatch, setup):
    drawn, rules = [], setup.rules()
    original = type(rules).render
    monkeypatch.setattr(type(rules), "render", lambda rules, state: drawn.append(state) or original(rules, state))
    view = looking(setup)
    for _ in range(3):
        view.view(0)
        view.each(0)
    assert len(drawn) == (1 if setup is DUEL else 2)


def test_a_duel_has_one_board_and_nobody_is_to_move_once_it_is_over():
    view = looking(DUEL)
    assert view.each(0) == []
    assert (view.view(0).to_move, view.view(0).seat, view.view(0).race) == (0, None, None)
    view.end(Result("resigned", "resigned", [0.0, 1.0], 0))
    assert view.view(0).to_move is None


def test_a_race_shows_who_is_ahead_and_each_board_with_its_own_turn():
    view = looking(PARK)
    for ply in (Ply(1, ["c", -1], 40), Ply(0, None, 0, None, "crashed")):
        view.boards.play(ply)
        view.settle([1, 2])
    assert view.view(2).seat == 1
    assert [each.seat for each in view.each(2)] == [0, 1]
    assert [each.to_move for each in view.each(2)] == [None, None]
    assert [(one.cost, one.plies, one.end) for one in view.view(2).race] == [(None, 0, "crashed"), (1, 1, "solved")]


def test_a_solution_that_is_no_better_keeps_the_picture():
    view = looking(TOURS)
    view.boards.play(Ply(0, [0, 1, 2, 3], 5))
    before = view.view(1, 0).scene
    view.boards.play(Ply(0, [0, 2, 1, 3], 5))
    view.settle([None, None])
    assert view.view(2, 0).scene is before


def test_nobody_is_to_move_whose_solution_nobody_can_beat():
    view = looking(TOURS)
    for ply in (Ply(0, [0, 1, 2, 3], 5), Ply(1, [0, 2, 1, 3], 5)):
        view.boards.play(ply)
    view.settle([None, None])
    assert [each.to_move for each in view.each(2)] == [None, 1]
    assert [one.end for one in view.view(2).race] == ["proven-optimal", None]
