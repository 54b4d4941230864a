"""Proofs by search: who wins, if everybody plays as well as can be.

First iterative deepening, which finds the quickest win if it is near. Then proof-number search for the side to move;
where draws exist, for the other side, too. At a table of several only one thing is proven: that the seat to move wins
whatever all the others do.
"""

from math import inf
from typing import Any

from palio_clients.search.alpha_beta import alpha_beta
from palio_clients.search.deepening import deepening
from palio_clients.search.game_tree import WIN, Best, Evaluate, Stop
from palio_clients.search.ordering import History
from palio_clients.search.paranoid import paranoid
from palio_clients.search.proof_number import proof_number
from palio_clients.search.transposition import Lookback, Table, nothing
from palio_clients.solving.budget import Budget
from palio_clients.solving.solver import Solution, Solver
from palio_rules.game import Game

NEAR = 0.4  # of the budget, for the quickest win
NEAR_NODES = 1_000_000
TREE = 500_000  # positions in a proof tree: about a gigabyte


class ProofSolver(Solver):
    """Any game in which somebody is against you. `draws`: whether it can end without a winner."""

    how = "iterative deepening, then proof-number search"

    def __init__(
        self, rules: Game[Any, Any], evaluate: Evaluate, lookback: Lookback = nothing, *, draws: bool = True
    ) -> None:
        self._duel, self._draws = rules.kind == "duel", draws
        self._evaluate, self._lookback = evaluate, lookback
        self._order = History()

    def solve(self, state: Any, budget: Budget) -> Solution:
        near = self._near(state, budget.share(NEAR, NEAR_NODES))
        return near if near.verdict is not None else self.far(state, budget, near)

    def _near(self, state: Any, budget: Budget) -> Solution:
        """The quickest win, or the longest defence, if that can be seen to the end; else the evaluation."""
        table = Table(lookback=self._lookback)

        def search(depth: int, stop: Stop) -> Best:
            if self._duel:
                return alpha_beta(state, depth, self._evaluate, order=self._order, table=table, stop=stop)
            return paranoid(state, depth, self._evaluate, order=self._order, stop=stop)

        best = Best(None, 0.0, 0, 0, ())
        for best in deepening(search, budget.tick):
            budget.stage = f"depth {best.depth}"
            if best.depth == 1:
                budget.spend(best.nodes)  # a first depth is searched whatever the limits say, and asks for none
        return decided(best, shortest=True) or Solution(line=best.pv, value=best.score, at_least=best.depth + 1)

    def far(self, state: Any, budget: Budget, near: Solution) -> Solution:
        """By proof-number search alone; `near`, what is known already, where that finds nothing."""
        seat = state.to_move
        budget.stage = "proof tree"
        half = budget.share(0.5) if self._duel and self._draws else budget
        ours = proof_number(state, max_nodes=min(TREE, budget.left()), stop=half.tick)
        if ours.wins:
            return Solution("win", len(ours.line), line=ours.line)
        if not self._duel:
            return near
        if ours.wins is False and not self._draws:
            return Solution("loss", len(ours.line), line=ours.line)
        if not self._draws:
            return near
        theirs = proof_number(state, 1 - seat, max_nodes=min(TREE, budget.left()), stop=budget.tick)
        if theirs.wins:
            return Solution("loss", len(theirs.line), line=theirs.line)
        return Solution("draw", line=theirs.line) if ours.wins is False and theirs.wins is False else near


def decided(best: Best, *, shortest: bool) -> Solution | None:
    """What a search says that has seen the end of the game; None if it has not."""
    if abs(best.score) <= WIN / 2 or abs(best.score) == inf:
        return None
    return Solution("win" if best.score > 0 else "loss", int(WIN - abs(best.score)), shortest, best.pv)
