"""What is known of each puzzle as a search problem: estimates that never exceed the truth."""

from math import inf

from hypothesis import given
from puzzles import graph, start, states

from palio_clients.games import companion_of


@given(states)
def test_an_estimate_never_exceeds_the_exact_distance_and_is_zero_at_the_goals_only(found):
    name, board, state = found
    away = graph(name, board)[2].get(state, inf)
    remaining = companion_of(name).problem(start(name, board)).remaining(state)
    assert remaining <= away
    assert (remaining == 0) is (away == 0)


@given(states)
def test_no_step_lessens_an_estimate_by_more_than_one(found):
    name, board, state = found
    remaining = companion_of(name).problem(start(name, board)).remaining
    for _, there in graph(name, board)[0][state]:
        assert remaining(there) >= remaining(state) - 1


def test_a_piece_that_is_shut_in_leaves_infinitely_much_to_do():
    position = start("chexers_solo", "r##./##.../#.#.../......./....../...../....")
    assert companion_of("chexers_solo").problem(position).remaining(position.cells) == inf


@given(states)
def test_the_states_of_a_problem_are_the_positions_of_the_rules(found):
    """Each move leads where the rules say, and is legal there."""
    name, board, _ = found
    position = start(name, board)
    problem = companion_of(name).problem(position)
    after = {move: companion_of(name).problem(position.play(move)).start for move in position.legal_moves()}
    assert dict(problem.successors(problem.start)) == after


@given(states)
def test_of_two_positions_the_one_with_less_to_do_looks_better(found):
    name, board, _ = found
    position, evaluate = start(name, board), companion_of(name).evaluate
    problem = companion_of(name).problem(position)
    for move, there in problem.successors(problem.start):
        assert evaluate(position.play(move), 0) == -problem.remaining(there)
