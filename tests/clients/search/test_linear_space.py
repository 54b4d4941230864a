"""Searches in linear space find what A* finds."""

from hypothesis import assume, given, settings
from plans import problem_at
from puzzles import states

from palio_clients.search.planning import a_star, ida_star, rbfs


@settings(max_examples=2 * settings().max_examples // 3)
@given(states)
def test_searches_in_linear_space_agree_with_a_star_on_the_puzzles(found):
    state, successors, _, remaining, shortest = problem_at(found)
    assume(shortest is not None and shortest <= 6)
    plan = a_star(state, successors, remaining)
    for search in (ida_star, rbfs):
        other = search(state, successors, remaining)
        assert other.complete
        assert len(other.moves) == len(plan.moves)
