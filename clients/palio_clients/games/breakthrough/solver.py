"""Breakthrough: the compiled engine, then proof-number search, both of which know won races. There are no draws.

Deepening finds near wins, and their length. Far wins on small boards depend on narrow lines, which proof-number search
follows to their end: 5x5 from its first position in ten seconds, where deepening gives no answer in minutes.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from palio_clients.games.breakthrough.evaluation import evaluate
from palio_clients.kernels import available
from palio_clients.solving.budget import Budget
from palio_clients.solving.solver import ProofSolver, Solution, Solver
from palio_rules.game import Game
from palio_rules.games.breakthrough import Board, Position
from palio_rules.records.record import Verdict

if TYPE_CHECKING:  # numba may be missing
    from palio_clients.games.breakthrough.kernels.prover import Prover
    from palio_clients.solving.engine_solver import EngineSolver

NEAR = 0.4  # share of the budget for deepening
NEAR_NODES = 5_000_000  # at most, half a second: deepening rarely finds more later


def solver(rules: Game[Any, Any]) -> Solver:
    if not available():
        return ProofSolver(rules, evaluate, draws=False)
    from palio_clients.games.breakthrough.kernels import BreakthroughEngine, prover, warm_up  # noqa: PLC0415 - numba may be missing
    from palio_clients.solving.engine_solver import Engines, EngineSolver  # noqa: PLC0415 - with it

    warm_up()
    prover.warm_up()

    @cache  # what they have stored of boards of one size helps with the next position
    def engines_of(board: Board) -> Engines:
        return Engines(BreakthroughEngine(board), BreakthroughEngine(board, clever=False))

    return BreakthroughSolver(EngineSolver(lambda state: engines_of(state.board)), cache(prover.Prover))


class BreakthroughSolver(Solver):
    """A solver with two searches, one after the other."""

    how = "compiled alpha-beta with a table, then compiled proof-number search"

    def __init__(self, engine: "EngineSolver", prover_of: Callable[[Board], "Prover"]) -> None:
        self._engine, self._prover_of = engine, prover_of

    def solve(self, state: Position, budget: Budget) -> Solution:
        near = self._engine.solve(state, budget, NEAR, NEAR_NODES)
        return near if near.verdict is not None or budget.stop() else self.far(state, budget, near)

    def far(self, state: Position, budget: Budget, near: Solution) -> Solution:
        """Return a solution by proof-number search alone, or `near`, the known one, if that finds nothing."""
        prover = self._prover_of(state.board)
        budget.stage = "proof tree"
        with budget.counting(lambda: prover.nodes):
            found = prover.prove(state, budget.stop, max_nodes=budget.most())
        budget.spend(found.nodes)
        if found.move is None:
            return near
        verdict: Verdict = "win" if found.verdict > 0 else "loss"
        line, nodes = prover.line(state, budget.stop), max(found.nodes, NEAR_NODES)
        return self._engine.played_out(state, verdict, found.plies, line, budget, nodes)
