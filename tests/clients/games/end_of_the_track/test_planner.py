"""Plans from board to board: as short as the course says, by readable and by compiled searches."""

import pytest

from palio_clients.games.end_of_the_track import solver
from palio_clients.solving.budget import Budget
from palio_rules.games.end_of_track import START, Position


def played(state, line):
    for move in line:
        state.check(move)
        state = state.play(move)
    return state


@pytest.mark.parametrize("compiled", [pytest.param(True, marks=pytest.mark.slow), False])
@pytest.mark.parametrize(("changes", "turns"), [
    ({0: 14}, 1), ({0: 23}, 4), ({1: 22, 5: 22, 11: 50}, 5), ({4: 20, 5: 20, 6: 22, 11: 22}, 6),
])  # fmt: skip
def test_turns_from_board_to_board_are_as_few_as_the_course_says(monkeypatch, compiled, changes, turns):
    """AI388U (University of Texas at Austin): its lists count the goal, too, and so have one pair more."""
    monkeypatch.setattr(solver, "available", lambda: compiled)
    goal = tuple(changes.get(index, square) for index, square in enumerate(START))
    found = solver.TurnsTo(Position.of(goal)).solve(Position.of(), Budget())
    assert (found.verdict, found.distance, len(found.line)) == ("win", turns, turns)
    assert played(Position.of(), found.line).pieces == goal


@pytest.mark.parametrize("compiled", [pytest.param(True, marks=pytest.mark.slow), False])
def test_a_plan_counts_its_nodes_and_can_be_cancelled(monkeypatch, compiled):
    monkeypatch.setattr(solver, "available", lambda: compiled)
    plan, budget = solver.TurnsTo(Position.of((1, 22, 3, 4, 5, 22, 50, 51, 52, 53, 54, 50))), Budget()
    assert plan.solve(Position.of(), budget).distance == 5
    assert budget.nodes > 0
    budget.cancel()
    assert plan.solve(Position.of(), budget).verdict is None
