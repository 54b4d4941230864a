"""Shortest plans for those who race alone: A*, which proves what it finds."""

from collections.abc import Callable
from math import ceil, inf
from typing import Any

from palio_clients.search.a_star import Plan, Problem, a_star
from palio_clients.solving.budget import Budget
from palio_clients.solving.solver import Solution, Solver

PROOF = 0.8  # of the budget; the rest is for any plan at all
STATES = 2_000_000  # that are expanded: about two gigabytes
GREEDY = 3.0  # the weight with which any plan is looked for


class PlanSolver(Solver):
    """Of a race that `problem` describes as a search problem, with a consistent estimate."""

    how = "A* with a consistent estimate"

    def __init__(self, problem: Callable[[Any], Problem[Any]]) -> None:
        self._problem = problem

    def solve(self, state: Any, budget: Budget) -> Solution:
        problem = self._problem(state)
        budget.stage = "A*"
        plan = _searched(problem, 1.0, budget.share(PROOF))
        if plan.complete:
            return self.within_the_rules(state, plan.moves)
        if plan.at_least == inf:
            return Solution("loss")
        budget.stage = "any plan"
        hasty = _searched(problem, GREEDY, budget)
        known = (len(hasty.moves), hasty.moves) if hasty.complete else (None, ())
        return Solution(at_least=ceil(plan.at_least), at_most=known[0], line=known[1])

    def within_the_rules(self, state: Any, plan: tuple[Any, ...]) -> Solution:
        """A shortest plan, if the race is not over before it ends."""
        for made, move in enumerate(plan, 1):
            state = state.play(move)
            if made < len(plan) and state.outcome() is not None:
                return Solution("loss", note=f"it takes {len(plan)} moves, and the race ends after {made}")
        outcome = state.outcome()
        assert outcome is not None
        if outcome.scores[0] != 1:  # the last move came too late
            return Solution("loss", note=f"it takes {len(plan)} moves, which is too many by the rules")
        return Solution("win", len(plan), shortest=True, line=plan)


def _searched(problem: Problem[Any], weight: float, budget: Budget) -> Plan:
    return a_star(*problem, weight=weight, max_expanded=STATES, stop=budget.tick)
