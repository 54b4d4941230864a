"""Proofs by compiled searches: iterative deepening until the end is in sight, some fifty times as fast."""

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

DEEPEST = 60  # plies; a line in the workspace has room for little more
COUNTED = 5_000_000  # nodes at most, about a second, to count the plies of what is proven


class Engines(NamedTuple):
    """The one that plays, and the same without its short cuts, whose scores are those of plain alpha-beta."""

    clever: "KernelEngine"
    plain: "KernelEngine"


class EngineSolver(Solver):
    """Asks the engines of a game, whose decided scores are proofs: they never take a guess for a win.

    The clever one finds out who wins, though not always how soon; the plain one then counts the plies. A line may end
    where the engine knows who wins: then it is played on from there.
    """

    how = "compiled alpha-beta with a table, deepening"

    def __init__(self, engines_for: Callable[[Any], Engines]) -> None:
        self._engines_for = engines_for

    def solve(self, state: Any, budget: Budget, part: float = 1.0, nodes: float = inf) -> Solution:
        """As every solver; to find a proof takes a part of the budget at most, and so many nodes."""
        best = _deepened(self._engines_for(state).clever, state, budget.share(part, nodes))
        found = decided(best, shortest=False)
        if found is None:
            return Solution(line=best.pv, value=best.score)
        assert found.distance is not None, "a decided search counts"
        solved = replace(found, line=self._to_the_end(state, best, budget))  # before counting, which may take the rest
        return self.counted(state, found.distance, budget) or solved

    def counted(self, state: Any, plies: int, budget: Budget, nodes: float = COUNTED) -> Solution | None:
        """The quickest win, or the longest defence, of a position that is known to be decided within so many plies.

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
        """What a proof search has decided within so many plies; its `line` comes with the nodes that each move took.

        So many `nodes` may be spent to count its plies.
        """
        budget.stage = "line of play"
        moves = []
        for move, spent in line:
            budget.spend(spent)
            moves.append(move)
        plies = max(plies, len(moves))  # a line whose proof was lost, and found once more, may be a longer one
        exact = self.counted(state, plies, budget, nodes)
        return replace(exact or Solution(distance=plies, line=tuple(moves)), verdict=verdict)

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


def _deepened(engine: "KernelEngine", state: Any, budget: Budget) -> Best:
    """The last depth that could be searched to its end."""
    with budget.counting(lambda: int(engine.workspace[0]["nodes"])):
        for best in engine.deepen(state, budget.stop, max_depth=DEEPEST, max_nodes=budget.most()):
            budget.stage = f"depth {best.depth}"
    budget.spend(best.nodes)
    return best
