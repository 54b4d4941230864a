"""The algorithms keep their contracts, and agree with a search that is too simple to be wrong."""

from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_clients.knowledge import knowledge_of
from palio_clients.search.a_star import a_star
from palio_clients.search.alpha_beta import WIN, Stopped, alpha_beta
from palio_clients.search.deepening import deepening
from palio_rules.registry import game

DUELS = ("breakthrough", "dominoes", "end_of_the_track")
SMALL = {"breakthrough": {"rows": 5, "cols": 4}, "dominoes": {"rows": 4, "cols": 5}, "end_of_the_track": {}}


def somewhere(name, seed, plies):
    """A position that random play reaches, not yet decided."""
    rules, random = game(name), Random(seed)
    state = rules.start(rules.parse_options(SMALL[name]))
    for _ in range(plies):
        after = state.play(random.choice(list(state.legal_moves())))
        if after.outcome() is not None:
            break
        state = after
    return state


positions = st.builds(somewhere, st.sampled_from(DUELS), st.integers(0, 1000), st.integers(0, 14))


def minimax(state, depth, evaluate, ply=0):
    """The plain definition, for the seat to move; (score, nodes)."""
    seat, best, nodes = state.to_move, -2 * WIN, 1
    for move in state.legal_moves():
        after = state.play(move)
        outcome = after.outcome()
        if outcome is not None:
            score, below = (outcome.scores[seat] - outcome.scores[1 - seat]) * (WIN - ply - 1), 1
        elif depth == 1:
            score, below = evaluate(after, seat), 1
        else:
            score, below = minimax(after, depth - 1, evaluate, ply + 1)
            score = -score
        best, nodes = max(best, score), nodes + below
    return best, nodes


def evaluator(state):
    return knowledge_of(type(state).__module__.rpartition(".")[2].replace("end_of_track", "end_of_the_track")).evaluate


@given(positions, st.integers(1, 2))
def test_alpha_beta_finds_the_value_of_plain_minimax_with_no_more_nodes(state, depth):
    score, nodes = minimax(state, depth, evaluator(state))
    best = alpha_beta(state, depth, evaluator(state))
    assert best.score == pytest.approx(score)
    assert best.nodes <= nodes


@given(positions, st.integers(1, 3))
def test_the_principal_variation_can_be_played_and_leads_to_the_score(state, depth):
    best = alpha_beta(state, depth, evaluator(state))
    seat, end = state.to_move, state
    for move in best.line:
        end.check(move)
        end = end.play(move)
    if end.outcome() is None:
        assert len(best.line) == depth
        assert evaluator(state)(end, seat) == pytest.approx(best.score)
    else:
        assert abs(best.score) in (0, WIN - len(best.line))


@given(positions, st.floats(-5, 5), st.floats(0.1, 5))
def test_a_window_gives_bounds_on_the_true_value(state, alpha, width):
    true, beta = alpha_beta(state, 2, evaluator(state)).score, alpha + width
    found = alpha_beta(state, 2, evaluator(state), alpha=alpha, beta=beta).score
    if found <= alpha:
        assert true <= found + 1e-9
    elif found >= beta:
        assert true >= found - 1e-9
    else:
        assert true == pytest.approx(found)


def test_of_two_wins_the_quicker_one_is_chosen():
    rules = game("breakthrough")
    state = rules.parse_state("...../..B../B..../...../....W/W.... black")
    best = alpha_beta(state, 5, knowledge_of("breakthrough").evaluate)
    assert best.score > WIN / 2
    assert best.line[0] != ((1, 2), (2, 2))


@pytest.mark.parametrize(("side", "winner"), [(2, 0), (3, 0), (4, 0)])
def test_domineering_on_small_squares_is_won_by_the_first_player_as_proven(side, winner):
    rules = game("dominoes")
    state = rules.start(rules.parse_options({"rows": side, "cols": side}))
    assert (alpha_beta(state, 64, lambda *_: 0.0).score > 0) is (winner == 0)


def test_a_stopped_search_raises_and_gives_nothing():
    with pytest.raises(Stopped):
        alpha_beta(somewhere("breakthrough", 1, 0), 6, lambda *_: 0.0, stop=lambda: True)


def test_deepening_always_has_the_answer_of_depth_one():
    found = list(deepening(somewhere("dominoes", 1, 0), lambda *_: 0.0, lambda: True))
    assert [deeper.depth for deeper in found] == [1]


@given(positions)
def test_deepening_agrees_with_a_direct_search_of_each_depth(state):
    for deeper in islice(deepening(state, evaluator(state), lambda: False), 2):
        assert deeper.best.score == alpha_beta(state, deeper.depth, evaluator(state)).score


def test_deepening_ends_at_a_proven_win():
    rules = game("breakthrough")
    state = rules.parse_state("...../...../...../..B../....W/W.... black")
    assert [deeper.depth for deeper in deepening(state, lambda *_: 0.0, lambda: False)] == [1, 2, 3]


# --- A* on a maze whose distances a flood fill knows ------------------------------------------------------------------

mazes = st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=6, max_size=6)


def neighbours(maze, cell):
    for move, (dr, dc) in {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}.items():
        row, col = cell[0] + dr, cell[1] + dc
        if 0 <= row < 6 and 0 <= col < 6 and not maze[row][col]:
            yield move, (row, col)


def flood(maze):
    distance, wave = {(0, 0): 0}, [(0, 0)]
    for cell in wave:
        for _, after in neighbours(maze, cell):
            if after not in distance:
                distance[after] = distance[cell] + 1
                wave.append(after)
    return distance


def to_corner(cell):
    return 10 - sum(cell)


@given(mazes)
def test_a_star_is_optimal_with_an_admissible_estimate(maze):
    plan, shortest = a_star((0, 0), lambda cell: neighbours(maze, cell), to_corner), flood(maze).get((5, 5))
    assert plan.complete is (shortest is not None)
    if plan.complete:
        assert len(plan.moves) == shortest


@given(mazes, st.floats(1, 5))
def test_a_weight_costs_at_most_its_factor(maze, weight):
    plan, shortest = a_star((0, 0), lambda cell: neighbours(maze, cell), to_corner, weight=weight), flood(maze)
    if plan.complete:
        assert len(plan.moves) <= weight * shortest[(5, 5)]


@given(mazes)
def test_without_a_way_the_plan_leads_to_the_most_promising_cell(maze):
    maze[5][5] = True
    plan = a_star((0, 0), lambda cell: neighbours(maze, cell), to_corner)
    cell = (0, 0)
    for move in plan.moves:
        cell = dict(neighbours(maze, cell))[move]
    assert not plan.complete
    assert to_corner(cell) == min(to_corner(reached) for reached in flood(maze))


def test_a_stopped_a_star_still_answers():
    plan = a_star((0, 0), lambda cell: neighbours([[False] * 6] * 6, cell), to_corner, stop=lambda: True)
    assert plan == ((), False, 0)
