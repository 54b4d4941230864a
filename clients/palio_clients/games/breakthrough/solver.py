"""Breakthrough: the compiled engine, then proof-number search, both of which know won races. There are no draws.

Deepening finds what is near, and how soon. Far wins on small boards hang on narrow lines, which proof-number search
follows to their end: 5x5 from its first position in ten seconds, where deepening gives no answer in minutes.
"""

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

from palio_clients.games.breakthrough.evaluation import evaluate
from palio_clients.kernels import available
from palio_clients.solving.budget import Budget
from palio_clients.solving.proof import ProofSolver
from palio_clients.solving.solver import Solution, Solver
from palio_rules.game import Game
from palio_rules.games.breakthrough import Board, Position

if TYPE_CHECKING:  # numba may be missing
    from palio_clients.games.breakthrough.kernels.prover import Prover
    from palio_clients.solving.engine_solver import EngineSolver

NEAR = 0.4  # of the budget, for what deepening can see
NEAR_NODES = 5_000_000  # at most, half a second: what it has not seen until then, it rarely sees


def solver(rules: Game[Any, Any]) -> Solver:
    if not available():
        return ProofSolver(rules, evaluate, draws=False)
    from palio_clients.games.breakthrough.kernels import BreakthroughEngine, prover, warm_up  # noqa: PLC0415 - numba may be missing
    from palio_clients.solving.engine_solver import Engines, EngineSolver  # noqa: PLC0415 - with it

    warm_up()
    prover.warm_up()
    engines: dict[Board, Engines] = {}

    def engines_for(state: Position) -> Engines:
        """Those for this size of board, kept: what they have seen helps with the next position."""
        if state.board not in engines:
            clever, plain = (BreakthroughEngine(state.board, clever=clever) for clever in (True, False))
            engines[state.board] = Engines(clever, plain)
        return engines[state.board]

    return BreakthroughSolver(EngineSolver(engines_for))


class BreakthroughSolver(Solver):
    """Two searches, one after the other."""

    how = "compiled alpha-beta with a table, then compiled proof-number search"

    def __init__(self, engine: "EngineSolver") -> None:
        self._engine = engine
        self._provers: dict[Board, Prover] = {}

    def solve(self, state: Position, budget: Budget) -> Solution:
        near = self._engine.solve(state, budget, NEAR, NEAR_NODES)
        return near if near.verdict is not None or budget.stop() else self.far(state, budget, near)

    def far(self, state: Position, budget: Budget, near: Solution) -> Solution:
        """By proof-number search alone; `near`, what is known already, where that finds nothing."""
        prover, left = self._prover_for(state), budget.left()
        budget.stage = "proof tree"
        with budget.counting(lambda: prover.nodes):
            found = prover.prove(state, budget.stop, max_nodes=max(1, int(left)) if left < inf else 0)
        budget.spend(found.nodes)
        if found.move is None:
            return near
        budget.stage = "line of play"
        line = []
        for move, nodes in prover.line(state, budget.stop):
            budget.spend(nodes)
            line.append(move)
        plies = max(found.plies, len(line))  # a line whose proof was lost, and found once more, may be a longer one
        proven = Solution("win" if found.verdict > 0 else "loss", plies, line=tuple(line))
        exact = self._engine.counted(state, plies, budget, max(found.nodes, NEAR_NODES))
        return proven if exact is None else replace(exact, verdict=proven.verdict)

    def _prover_for(self, state: Position) -> "Prover":
        """The one for this size of board, kept as the engines are."""
        from palio_clients.games.breakthrough.kernels.prover import Prover  # noqa: PLC0415 - numba may be missing

        if state.board not in self._provers:
            self._provers[state.board] = Prover(state.board)
        return self._provers[state.board]
