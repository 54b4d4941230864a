"""Proofs by compiled searches: iterative deepening to the end of the game, some fifty times as fast."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from palio_clients.search.game_tree import Best, Stopped
from palio_clients.solving.budget import Budget
from palio_clients.solving.solver import Solution, Solver, decided
from palio_rules.records.record import Verdict

if TYPE_CHECKING:  # numba may be missing
    from palio_clients.kernels.engine import KernelEngine

DEEPEST = 60  # plies; a line in the workspace has little more room
COUNTED = 5_000_000  # nodes at most, about a second, to count the plies of a proven result


class Engines(NamedTuple):
    """The engine of bots, and the same without its shortcuts, whose scores are those of plain alpha-beta."""

    clever: "KernelEngine"
    plain: "KernelEngine"


class EngineSolver(Solver):
    """A solver by the engines of a game, whose decided scores are proofs: they never take a guess for a win.

    The clever one finds the winner, though not always the shortest win; the plain one then counts the plies. A line may
    end where the engine knows the winner: then it is played on from there.
    """

    how = "compiled alpha-beta with a table, deepening"

    def __init__(self, engines_for: Callable[[Any], Engines]) -> None:
        self._engines_for = engines_for

    def solve(self, state: Any, budget: Budget, part: float = 1.0, nodes: float = inf) -> Solution:
        """Solve like every solver; the proof may use a part of the budget at most, and so many nodes."""
        best = _deepened(self._engines_for(state).clever, state, budget.share(part, nodes))
        found = decided(best, shortest=False)
        if found is None:
            return Solution(line=best.pv, value=best.score, depth=best.depth)
        assert found.distance is not None, "a decided search counts"
        solved = replace(found, line=self._to_the_end(state, best, budget))  # before counting, which may use the rest
        return self.counted(state, found.distance, budget) or solved

    def counted(self, state: Any, plies: int, budget: Budget, nodes: float = COUNTED) -> Solution | None:
        """Return the quickest win, or the longest defence, of a position decided within so many plies.

        None if that takes more nodes, or the budget ended it.
        """
        budget.stage = f"counting plies, depth {plies}"
        engine, most = self._engines_for(state).plain, min(nodes, COUNTED)

        def live() -> int:
            return int(engine.workspace[0]["nodes"])

        try:
            with budget.counting(live):
                best = engine.search(state, plies, stop=lambda: budget.stop() or live() > most)
        except Stopped:
            return None
        budget.spend(best.nodes)
        found = decided(best, shortest=True)
        return None if found is None else replace(found, line=self._to_the_end(state, best, budget))

    def played_out(
        self, state: Any, verdict: Verdict, plies: int, line: Iterable[tuple[Any, int]], budget: Budget, nodes: int
    ) -> Solution:
        """Return the solution of a proof search within so many plies; its `line` has the nodes that each move took.

        So many `nodes` may be spent to count its plies.
        """
        budget.stage = "line of play"
        moves = []
        for move, spent in line:
            budget.spend(spent)
            moves.append(move)
        plies = max(plies, len(moves))  # a line whose proof was lost, and found again, may be longer
        exact = self.counted(state, plies, budget, nodes)
        return replace(exact or Solution(distance=plies, line=tuple(moves)), verdict=verdict)

    def _to_the_end(self, state: Any, best: Best, budget: Budget) -> tuple[Any, ...]:
        """Return the line of a decided search, continued to the end of the game or of the budget."""
        line: list[Any] = []
        while True:
            for move in best.pv:
                state = state.play(move)
                line.append(move)
            if state.outcome() is not None or budget.stop():
                return tuple(line)
            best = _deepened(self._engines_for(state).clever, state, budget)


def _deepened(engine: "KernelEngine", state: Any, budget: Budget) -> Best:
    """Return the last depth that was searched to its end."""
    with budget.counting(lambda: int(engine.workspace[0]["nodes"])):
        for best in engine.deepen(state, budget.stop, max_depth=DEEPEST, max_nodes=budget.most()):
            budget.stage = f"depth {best.depth}"
    budget.spend(best.nodes)
    return best
