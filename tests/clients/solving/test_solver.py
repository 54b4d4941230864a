"""Every solver says its nodes while it is at work, and ends when it is told to, with what it knows."""

import pytest
from positions import solver_of, start

from palio_clients.solving.budget import Budget
from palio_rules.registry import game

HARD = (  # nobody proves these in a minute
    "breakthrough:rows=8,cols=8",
    "chexers",
    "dominoes:rows=10,cols=10",
    "dominoes:rows=16,cols=16",
    "end_of_the_track",
)
RACES = ("rush_hour", "chexers_solo")


class Impatient(Budget):
    """Cancels itself once nodes are to be seen, as somebody does who looks at the bar and presses Ctrl-C."""

    def stop(self):
        if self.nodes:
            self.cancel()
        return super().stop()


@pytest.mark.parametrize("spec", HARD)
def test_nodes_are_seen_while_a_search_runs_and_cancelling_ends_it(spec, solvers):
    state, budget = start(spec), Impatient(seconds=100)
    found = solver_of(game(spec.partition(":")[0])).solve(state, budget)
    assert found.verdict is None
    assert budget.cancelled
    assert budget.nodes > 0
    assert budget.stage
    for move in found.line:
        state.check(move)
        state = state.play(move)


WHERE_SOLVERS_ARE = {"chexers_solo": "chexers_solo", "rush_hour": "rush_hour.evaluation"}


@pytest.mark.parametrize("name", RACES)
@pytest.mark.parametrize("compiled", [True, False])
def test_a_race_that_is_cancelled_tells_bounds(monkeypatch, name, compiled):
    monkeypatch.setattr(f"palio_clients.games.{WHERE_SOLVERS_ARE[name]}.available", lambda: compiled)
    rules, state, budget = game(name), start(name), Budget()
    budget.cancel()
    found = solver_of(rules).solve(state, budget)
    assert found.verdict is None
    assert found.in_words(rules, state).startswith("not proven: at least ")


@pytest.mark.parametrize("name", RACES)
def test_the_nodes_of_a_race_are_counted_once(name):
    state, budget = start(name), Budget()
    assert solver_of(game(name)).solve(state, budget).verdict == "win"
    assert 0 < budget.nodes < 100_000
    assert budget.nodes == budget._spent
    assert budget.stage
