"""Proof-number search decides what an exhaustive search decides, and finds a move that wins."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import at, somewhere, start

from palio_clients.search.proof_number import proof_number


@cache
def wins(state, seat):
    """Whether `seat` can force a win: by trying everything."""
    outcome = state.outcome()
    if outcome is not None:
        return outcome.scores[seat] == 1
    replies = (wins(state.play(move), seat) for move in state.legal_moves())
    return any(replies) if state.to_move == seat else all(replies)


SMALL = ("breakthrough:rows=4,cols=3", "dominoes:rows=3,cols=4", "dominoes:rows=4,cols=3", "dominoes:rows=3,cols=3")


@given(st.sampled_from(SMALL), st.integers(0, 500), st.integers(0, 8))
def test_the_verdict_is_that_of_an_exhaustive_search(spec, seed, plies):
    _, state = somewhere(spec, seed, plies)
    verdict, seat = proof_number(state), state.to_move
    assert verdict.wins is wins(state, seat)
    assert (verdict.move is not None) is verdict.wins
    if verdict.wins:
        assert wins(state.play(verdict.move), seat)


@given(st.sampled_from(SMALL), st.integers(0, 500), st.integers(0, 8), st.integers(0, 1))
def test_it_can_be_asked_for_either_seat_and_shows_a_line_to_the_end(spec, seed, plies, seat):
    _, state = somewhere(spec, seed, plies)
    verdict = proof_number(state, seat)
    assert verdict.wins is wins(state, seat)
    for move in verdict.line:
        state.check(move)
        state = state.play(move)
    assert state.outcome().scores[seat] == (1 if verdict.wins else 0)


@pytest.mark.parametrize(("rows", "cols", "first_wins"), [
    (2, 2, True), (3, 3, True), (4, 4, True), (2, 3, True), (1, 4, False), (4, 1, True), (3, 2, True),
])  # fmt: skip
def test_small_boards_of_domineering_have_their_known_winners(rows, cols, first_wins):
    state = start(f"dominoes:rows={rows},cols={cols}")
    if state.to_move is None:  # nothing to place: lost already
        assert not first_wins
    else:
        assert proof_number(state).wins is first_wins


@pytest.mark.parametrize("pieces", ["49,37,46,41,55,41,50,51,52,53,54,52", "44,37,46,34,40,34,1,2,52,4,5,52"])
def test_the_courses_forced_wins_of_end_of_the_track_are_proven(pieces):
    state = at("end_of_the_track", f"{pieces} white 0/300")
    verdict = proof_number(state, max_nodes=20_000)
    assert verdict.wins is True
    after = state.play(verdict.move)
    assert after.outcome() is not None or all(proof_number(after.play(reply)).wins for reply in after.legal_moves())


def test_a_draw_is_no_win():
    """One ply is left, and no move of it wins."""
    assert proof_number(start("end_of_the_track:max_plies=1")).wins is False


def test_at_a_table_all_the_others_are_against_the_seat():
    state = at("chexers", "..../...../....../......r/b..g../...../.... 3,3,3 red 40/256")
    assert proof_number(state).move == ("EXIT", (3, 0))
    assert proof_number(at("chexers", "..../...../....../.....r./b..g../...../.... 3,0,0 red 2/3")).wins is False


def test_without_enough_nodes_or_time_nothing_is_known():
    state = start("breakthrough")
    verdict = proof_number(state, max_nodes=50)
    assert (verdict.wins, verdict.move) == (None, None)
    assert 50 <= verdict.nodes < 50 + 40  # the last node gets all its children
    assert proof_number(state, stop=lambda: True) == (None, None, 1, ())
