"""Proofs by compiled searches: iterative deepening until the end is in sight, some fifty times as fast."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from palio_clients.search.game_tree import Best, Stopped
from palio_clients.solving.budget import Budget
from palio_clients.solving.proof import decided
from palio_clients.solving.solution import Solution
from palio_clients.solving.solver import Solver

if TYPE_CHECKING:  # numba may be missing
    from palio_clients.kernels.engine import Engine

DEEPEST = 60  # plies; a line in the workspace has room for little more


class Engines(NamedTuple):
    """The one that plays, and the same without its short cuts, whose scores are those of plain alpha-beta."""

    clever: "Engine"
    plain: "Engine"


class EngineSolver(Solver):
    """Asks the engines of a game, whose decided scores are proofs: they never take a guess for a win.

    The clever one finds out who wins, though not always how soon; the plain one then counts the plies. A line may end
    where the engine knows who wins: then it is played on from there.
    """

    how = "compiled alpha-beta with a table, deepening"

    def __init__(self, engines_for: Callable[[Any], Engines]) -> None:
        self._engines_for = engines_for

    def solve(self, state: Any, budget: Budget) -> Solution:
        engines = self._engines_for(state)
        best = _deepened(engines.clever, state, budget)
        found = decided(best, shortest=False)
        if found is None:
            return Solution(line=best.pv, value=best.score)
        assert found.distance is not None, "a decided search counts"
        exact = _counted(engines.plain, state, found.distance, budget)
        if exact is not None:
            best, found = exact, decided(exact, shortest=True) or found
        line = self._to_the_end(state, best, budget)
        return Solution(found.verdict, found.distance, found.shortest, line)

    def _to_the_end(self, state: Any, best: Best, budget: Budget) -> tuple[Any, ...]:
        """The line of a decided search, and on from where that ends, until the game does or the budget."""
        line: list[Any] = []
        while True:
            for move in best.pv:
                state = state.play(move)
                line.append(move)
            if state.outcome() is not None or budget.stop():
                return tuple(line)
            best = _deepened(self._engines_for(state).clever, state, budget)


def _deepened(engine: "Engine", state: Any, budget: Budget) -> Best:
    """The last depth that could be searched to its end."""
    left = budget.left()
    most = int(left) if left < 1 << 62 else 0  # engines take 0 for no limit
    with budget.counting(lambda: int(engine.workspace[0]["nodes"])):
        for best in engine.deepen(state, budget.stop, max_depth=DEEPEST, max_nodes=most):
            budget.stage = f"depth {best.depth}"
    budget.spend(best.nodes)
    return best


def _counted(engine: "Engine", state: Any, depth: int, budget: Budget) -> Best | None:
    """A search that sees every end within `depth` plies; None where the budget ended it."""
    budget.stage = f"counting plies, depth {depth}"
    try:
        with budget.counting(lambda: int(engine.workspace[0]["nodes"])):
            best = engine.search(state, depth, stop=budget.stop)
    except Stopped:
        return None
    budget.spend(best.nodes)
    return best
