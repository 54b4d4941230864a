"""Proofs against an opponent: what trying everything says, by readable and by compiled searches; lines that show it."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import at, solver_of, somewhere, start

from palio_clients.games import companion_of
from palio_clients.solving.budget import Budget
from palio_clients.solving.solver import ProofSolver, Solution
from palio_rules.registry import game

READABLE = ProofSolver(game("breakthrough"), companion_of("breakthrough").evaluate, draws=False)
COMPILED = pytest.param("compiled", marks=pytest.mark.slow)
FORCED = {  # the course's handout: White wins in one ply, and in three
    "49,37,46,41,55,41,50,51,52,53,54,52": 1,
    "44,37,46,34,40,34,1,2,52,4,5,52": 3,
}


@cache
def solver_called(name):
    """Of Breakthrough; made when it is asked for, as the compiled one compiles."""
    return READABLE if name == "readable" else solver_of(game("breakthrough"))


def readable(rules):
    companion = companion_of(rules.name)
    return ProofSolver(rules, companion.evaluate, companion.lookback)


@cache
def exact(state):
    """Score of the seat to move, and plies to the end with best play: by trying everything."""
    outcome = state.outcome()
    if outcome is not None:
        return outcome.scores[state.turn], 0
    replies = [exact(state.play(move)) for move in state.legal_moves()]
    wins = [plies for score, plies in replies if score == 0]
    return (1.0, 1 + min(wins)) if wins else (0.0, 1 + max(plies for _, plies in replies))


def played(state, line):
    for move in line:
        state.check(move)
        state = state.play(move)
    return state


@pytest.mark.parametrize("solver", ["readable", COMPILED])
@given(st.integers(0, 500), st.integers(2, 12))
@settings(max_examples=settings().max_examples // 4, deadline=None)
def test_breakthrough_is_solved_as_by_trying_everything(solver, seed, plies):
    _, state = somewhere("breakthrough:rows=4,cols=3", seed, plies)
    score, distance = exact(state)
    found = solver_called(solver).solve(state, Budget())
    assert found.verdict == ("win" if score else "loss")
    assert found.shortest
    assert found.distance == distance
    end = played(state, found.line)
    assert end.outcome().scores[state.turn] == score


@given(st.integers(0, 500), st.integers(0, 8))
@settings(max_examples=settings().max_examples // 4, deadline=None)
def test_proof_number_search_alone_agrees_and_counts_no_less_than_is_needed(seed, plies):
    _, state = somewhere("breakthrough:rows=4,cols=3", seed, plies)
    score, distance = exact(state)
    found = READABLE.far(state, Budget(), READABLE.solve(state, Budget(nodes=1)))
    assert found.verdict == ("win" if score else "loss")
    assert found.distance == len(found.line)
    if score:
        assert found.distance >= distance
    assert played(state, found.line).outcome().scores[state.turn] == score


@pytest.mark.slow
@given(st.integers(0, 500), st.integers(0, 12))
@settings(max_examples=settings().max_examples // 4, deadline=None)
def test_breakthroughs_proof_numbers_alone_agree_and_the_plies_are_counted_where_that_is_cheap(seed, plies):
    _, state = somewhere("breakthrough:rows=4,cols=3", seed, plies)
    score, distance = exact(state)
    found = solver_called("compiled").far(state, Budget(), Solution())
    assert (found.verdict, found.distance, found.shortest) == ("win" if score else "loss", distance, True)
    assert played(state, found.line).outcome().scores[state.turn] == score


@pytest.mark.slow
def test_breakthrough_on_a_small_board_is_won_by_whoever_moves_second():
    """As on 5x5, which takes too long here (Tasmanian Devil, forum of littlegolem.net, 2006)."""
    rules, state = game("breakthrough"), start("breakthrough:rows=5,cols=4")
    found = solver_called("compiled").far(state, Budget(nodes=1_000_000), Solution())
    assert found.in_words(rules, state).startswith("white wins within ")
    assert len(found.line) <= found.distance
    assert played(state, found.line).outcome().scores == (0.0, 1.0)


@pytest.mark.parametrize("pieces", FORCED)
@pytest.mark.parametrize("solver", ["readable", COMPILED])
def test_the_courses_forced_wins_of_end_of_the_track(pieces, solver):
    rules = game("end_of_the_track")
    state = at("end_of_the_track", f"{pieces} white 0/300")
    found = (solver_of(rules) if solver == "compiled" else readable(rules)).solve(state, Budget(60))
    plies = FORCED[pieces]
    assert (found.verdict, found.distance, found.shortest) == ("win", plies, True)
    assert found.in_words(rules, state) == f"white wins in {plies} {'ply' if plies == 1 else 'plies'}"
    assert played(state, found.line).outcome().scores == (1.0, 0.0)
    if plies > 1:  # whatever Black does, it is lost two plies before the end
        after = state.play(found.line[0])
        lost = (solver_of(rules) if solver == "compiled" else readable(rules)).solve(after, Budget(60))
        assert (lost.verdict, lost.distance) == ("loss", plies - 1)
        assert lost.in_words(rules, after) == f"white wins in {plies - 1} plies"


@pytest.mark.slow
def test_a_win_of_end_of_the_track_is_proven_far_beyond_what_deepening_sees():
    rules, state = game("end_of_the_track"), at("end_of_the_track", "36,30,3,34,55,36,24,38,39,11,26,39 black 0/300")
    found = solver_of(rules).far(state, state.turn, Budget())
    assert found.in_words(rules, state) == "black wins within 23 plies"
    assert played(state, found.line).outcome().scores == (0.0, 1.0)
    assert solver_of(rules).far(state, 1 - state.turn, Budget(nodes=2000)) is None


@pytest.mark.parametrize("max_plies", [1, 2])
def test_a_game_that_must_end_too_soon_is_a_proven_draw(max_plies, solvers):
    rules, state = game("end_of_the_track"), start(f"end_of_the_track:max_plies={max_plies}")
    found = solver_of(rules).solve(state, Budget(60))
    assert found.in_words(rules, state) == "draw"


def test_at_a_table_a_win_is_one_against_all_the_others():
    rules = game("chexers")
    state = at("chexers", "..../...../....../......r/b..g../...../.... 3,3,3 red 40/256")
    found = solver_of(rules).solve(state, Budget(30))
    assert found.in_words(rules, state) == "red wins in 1 ply, whatever the others do"
    assert played(state, found.line).outcome().scores == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("spec", ["breakthrough", "end_of_the_track", "chexers"])
def test_what_is_not_proven_is_said_with_what_is_known(spec, solvers):
    rules, state = game(spec), start(spec)
    found = solver_of(rules).solve(state, Budget(nodes=300))
    assert found.verdict is None
    assert found.in_words(rules, state).startswith("not proven: ")
    assert f"{rules.seats[0]} " in found.in_words(rules, state)
    played(state, found.line)
