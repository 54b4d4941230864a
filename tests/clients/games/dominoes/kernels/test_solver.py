"""Dominoes' solver: it is right wherever everything can be tried, and where others have published who wins."""

import pytest
from dominoes_positions import empty, positions, sparse_positions, stretched_positions, wins
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from palio_clients.games.dominoes import kernels as dominoes
from palio_clients.games.dominoes.kernels import DominoesEngine, Solver, proof
from palio_clients.games.dominoes.kernels.proof import LOST, OPEN, WON, stubborn
from palio_clients.games.dominoes.kernels.workspace import guarantees
from palio_clients.search.game_tree import WIN
from palio_rules.games.dominoes import board_of

pytestmark = pytest.mark.slow  # compiles; in `make test` the kernels of Rush Hour stand for all

# Who wins when Vertical moves first, by rows and columns: Breuker, Uiterwijk and van den Herik, "Solving 8x8
# Domineering", TCS 230 (2000). V and H win whoever begins, 1 wins whoever moves first, 2 whoever moves second.
PUBLISHED = {
    (2, 2): "1", (2, 3): "1", (2, 4): "H", (2, 5): "V", (2, 6): "1", (2, 7): "1", (2, 8): "H", (2, 9): "V",
    (3, 3): "1", (3, 4): "H", (3, 5): "H", (3, 6): "H", (3, 7): "H", (3, 8): "H", (3, 9): "H",
    (4, 4): "1", (4, 5): "V", (4, 6): "1", (4, 7): "V", (4, 8): "H", (4, 9): "V",
    (5, 5): "2", (5, 6): "H", (5, 7): "H", (5, 8): "H", (5, 9): "H",
    (6, 6): "1", (6, 7): "V", (6, 8): "H", (6, 9): "V",
    (7, 7): "1", (7, 8): "H",
}  # fmt: skip


def test_the_small_game_of_the_bounds_is_played_as_on_paper():
    first, second = guarantees()[0]
    assert (first[1, 0, 0], second[1, 0, 0]) == (2, 0)
    assert (first[2, 0, 0], second[2, 0, 0], guarantees()[1, 1, 2, 0, 0]) == (2, 2, 1)  # apart, and side by side
    assert (first[0, 1, 0], second[0, 1, 0]) == (1, 0)
    assert [int(each) for each in second[0, 0, :8]] == [0, 0, 0, 1, 1, 1, 2, 2]  # a third of the doubles
    assert [int(each) for each in second[0, :5, 0]] == [0, 0, 1, 1, 2]  # half of the singles


@settings(deadline=None, max_examples=400)
@given(positions())
def test_it_finds_the_winner_that_trying_everything_finds(state):
    assert Solver(6).solve(state).winner == (state.turn if wins(state) else 1 - state.turn)


@settings(deadline=None, max_examples=200)
@given(sparse_positions)
def test_it_is_right_where_a_larger_board_is_nearly_full(state):
    assert Solver(6).solve(state).winner == (state.turn if wins(state) else 1 - state.turn)


@settings(deadline=None, max_examples=60)
@given(stretched_positions)
def test_it_is_right_on_boards_wider_than_a_word(state):
    assert Solver(6).solve(state).winner == (state.turn if wins(state) else 1 - state.turn)


@settings(deadline=None, max_examples=60)
@given(positions(least=6))
def test_where_all_is_lost_the_loser_keeps_the_most_places_over_the_winners(state):
    assume(not wins(state) and state.to_move is not None)

    def lead(move):
        after = state.play(move)
        ours, theirs = (state.board.places(after.filled, seat).bit_count() for seat in (state.turn, 1 - state.turn))
        return ours - theirs

    assert lead(stubborn(state)) == max(map(lead, state.legal_moves()))
    assert stubborn(state) in set(state.legal_moves())


@settings(deadline=None, max_examples=200)
@given(positions(least=6))
def test_its_line_is_played_to_the_end_and_every_move_of_the_winner_wins(state):
    solved = Solver(6).solve(state)
    for move in solved.line:
        state.check(move)
        won = state.turn == solved.winner
        assert wins(state) is won
        state = state.play(move)
        assert not won or not wins(state)
    assert state.outcome().scores[solved.winner] == 1


@settings(deadline=None, max_examples=60)
@given(st.lists(positions((4, 4), (4, 5)), min_size=2, max_size=6))
def test_what_it_remembers_of_other_positions_and_boards_does_not_mislead_it(states):
    proof = Solver(2)
    for state in states:
        assert proof.move(state)[0] == (WON if wins(state) else LOST)


@pytest.mark.parametrize("size", PUBLISHED, ids=lambda size: f"{size[0]}x{size[1]}")
def test_it_finds_who_wins_on_empty_boards_as_published(size):
    expected = {"V": (0, 0), "H": (1, 1), "1": (0, 1), "2": (1, 0)}[PUBLISHED[size]]
    proof = Solver(14)
    assert tuple(proof.solve(empty(*size, turn)).winner for turn in (0, 1)) == expected


def test_a_board_and_its_image_with_the_sides_exchanged_have_exchanged_winners():
    for rows, cols in ((3, 5), (4, 6), (5, 6), (6, 7)):
        for turn in (0, 1):
            one, other = Solver(12).solve(empty(rows, cols, turn)), Solver(12).solve(empty(cols, rows, 1 - turn))
            assert one.winner == 1 - other.winner


def test_the_board_of_the_course_is_won_by_whoever_begins_in_fewer_nodes_than_obsequi_takes():
    solved = Solver().solve(empty(8, 8))
    assert solved.winner == 0
    assert solved.nodes < 2_020_000  # Obsequi's, for the same board


def test_nodes_and_move_are_the_same_each_time():
    assert Solver(14).solve(empty(7, 7)) == Solver(14).solve(empty(7, 7))


def test_a_limit_of_nodes_leaves_it_open_and_more_attempts_go_on_where_it_has_ended():
    proof, nodes = Solver(14), []
    while True:
        verdict, _, each = proof.move(empty(7, 7), max_nodes=2000)
        nodes.append(each)
        if verdict != OPEN:
            break
    assert verdict == WON
    assert len(nodes) > 2
    assert all(each <= 2001 for each in nodes)


@pytest.mark.parametrize("side", [9, 11])
def test_it_stops_when_it_is_told_to_and_says_that_it_does_not_know(side):
    looks = []

    def stop():
        looks.append(None)
        return len(looks) > 20

    solved = Solver(10).solve(empty(side, side), stop)
    assert (solved.winner, solved.line) == (None, ())
    assert solved.nodes > 0


def test_a_board_too_large_to_be_proven_is_left_open_at_once():
    assert Solver(4).solve(empty(12, 12)) == (None, (), 0)


@settings(deadline=None, max_examples=50)
@given(positions((4, 4), (4, 5), least=7))
def test_the_engine_plays_every_won_position_to_its_win(state):
    assume(state.to_move is not None)
    engine, winner = DominoesEngine(state.board, bits=6), state.turn if wins(state) else 1 - state.turn
    while state.outcome() is None:
        best = engine.best(state)
        assert (best.score > WIN / 2) is (state.turn == winner)
        state = state.play(best.move if state.turn == winner else next(state.legal_moves()))
    assert state.outcome().scores[winner] == 1


@settings(deadline=None, max_examples=50)
@given(positions((4, 4), (6, 6), (8, 8), (5, 9), (10, 10), (16, 16)), st.integers(1, 4))
def test_the_engine_looks_as_deep_as_it_is_told_to_and_its_move_can_be_played(state, depth):
    assume(state.to_move is not None)
    best = DominoesEngine(state.board, bits=6).best(state, max_depth=depth)
    assert best.depth <= depth
    state.check(best.move)
    if abs(best.score) > WIN / 2 and state.board.rows * state.board.cols <= 16:
        assert (best.score > 0) is wins(state)


def test_the_engine_keeps_its_limit_of_nodes_and_has_a_move_even_without_any_time():
    state = empty(10, 10)
    assert DominoesEngine(state.board, bits=6).best(state, max_nodes=5000).nodes <= 5000
    best = DominoesEngine(state.board, bits=6).best(state, lambda: True)
    assert best.depth == 1
    state.check(best.move)


@pytest.mark.parametrize(
    ("rows", "cols", "widths"), [(8, 8, {64}), (1, 5, {64}), (16, 5, {64, 128}), (9, 9, {64, 128}), (16, 16, {64, 128})]
)
def test_proofs_on_whatever_is_left_of_a_board_are_compiled_before_the_clock_runs(rows, cols, widths, monkeypatch):
    called = set()
    for width in (64, 128):
        monkeypatch.setattr(proof, f"_prove{width}", lambda *_, width=width: called.add(width) or 0)
    dominoes._warm_up_proofs(board_of(rows, cols))
    assert called == widths
