"""End of the Track's proof-number search: its wins are won whatever the loser plays, and draws are not forgotten."""

from dataclasses import replace
from random import Random

import pytest
from end_of_track_positions import somewhere
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.games.end_of_the_track.kernels.prover import Prover
from palio_clients.search.proof_number import proof_number
from palio_rules.boards.end_of_track import word_of
from palio_rules.games.end_of_track import BLACK, WHITE, Position

pytestmark = pytest.mark.slow  # compiles; in `make test` the kernels of Rush Hour stand for all

BITS = 16
FORCED = {  # the first two are the course's; the others are from games of the engine against itself
    ("49,37,46,41,55,41,50,51,52,53,54,52", WHITE): (WHITE, 1),
    ("44,37,46,34,40,34,1,2,52,4,5,52", WHITE): (WHITE, 3),
    ("16,15,3,37,48,16,50,26,52,23,28,52", WHITE): (WHITE, 13),
    ("36,30,3,34,55,36,24,38,39,11,26,39", BLACK): (BLACK, 23),
    ("31,45,3,15,48,3,11,36,52,29,8,8", WHITE): (BLACK, 26),
}


def forced(case, **past):
    pieces, turn = case
    return Position.of(tuple(map(int, pieces.split(","))), turn, **past)


@pytest.mark.parametrize("case", FORCED)
def test_forced_wins_are_proven_with_a_line_that_is_no_longer_than_told(case):
    state, prover, (winner, plies) = forced(case), Prover(BITS), FORCED[case]
    assert not prover.prove(state, 1 - winner, max_nodes=2000).wins
    found = prover.prove(state, winner, max_nodes=200_000)
    assert (found.wins, found.plies) == (True, plies)
    line = [move for move, _ in prover.line(state, winner)]
    assert len(line) <= plies
    for move in line:
        state.check(move)
        state = state.play(move)
    assert state.outcome().scores[winner] == 1


@given(case=st.sampled_from(list(FORCED)), seed=st.integers(0, 1000))
@settings(deadline=None, max_examples=8)
def test_whatever_the_loser_plays_it_has_lost_within_the_plies_that_are_given(case, seed):
    state, prover, random, (winner, _) = forced(case), Prover(BITS), Random(seed), FORCED[case]
    plies = prover.prove(state, winner).plies
    while state.outcome() is None:
        assert plies > 0
        found = prover.prove(state, winner, max_nodes=200_000)
        assert found.wins
        assert found.plies <= plies
        move = found.move if state.turn == winner else random.choice(list(state.legal_moves()))
        state, plies = state.play(move), found.plies - 1
    assert state.outcome().scores[winner] == 1


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 1000), st.integers(0, 60), st.integers(1, 3), st.integers(0, 1))
def test_nothing_is_proven_that_a_tree_with_every_past_of_its_own_refutes(seed, plies, left, attacker):
    state = somewhere(seed, plies)
    state = replace(state, max_plies=state.ply + left)
    found = Prover(BITS).prove(state, attacker)
    readable = proof_number(state, attacker, max_nodes=3000)
    assert not (found.wins and readable.wins is False)
    assert found.wins or not readable.wins or readable.wins is None
    if found.wins:
        assert found.plies <= left


def test_a_win_that_takes_longer_than_the_game_may_last_is_none():
    case = ("44,37,46,34,40,34,1,2,52,4,5,52", WHITE)
    prover = Prover(BITS)
    assert prover.prove(forced(case), WHITE).wins
    assert prover.prove(forced(case, ply=297), WHITE).wins
    assert not prover.prove(forced(case, ply=298), WHITE).wins


def test_what_the_game_has_seen_twice_is_no_way_to_win():
    case = ("44,37,46,34,40,34,1,2,52,4,5,52", WHITE)
    state, prover = forced(case), Prover(BITS)
    winning = prover.prove(state, WHITE).move
    after = state.play(winning)
    word = word_of(after.pieces, after.turn)
    for times in (1, 2):
        past = forced(case, ply=10, history=" ".join([word] * times))
        found = prover.prove(past, WHITE, max_nodes=20_000)
        assert (past.play(winning).outcome() is not None) is (times == 2)
        assert (found.wins and found.move == winning) is (times == 1)
    assert prover.prove(state, WHITE).move == winning


def test_a_search_that_is_stopped_or_comes_to_its_limit_proves_nothing():
    prover = Prover(BITS)
    assert not prover.prove(Position.of(), WHITE, lambda: True).wins
    limited = prover.prove(Position.of(), BLACK, max_nodes=100)
    assert (limited.wins, limited.move, limited.nodes) == (False, None, 100)
    assert list(prover.line(Position.of(), WHITE, lambda: True)) == []
