"""What programs know of a third party's game: an evaluation of Nim, and a solver.

It lies beside the rules, not in them, so that whoever needs only these imports nothing else.
"""

from functools import cache, reduce
from operator import xor

from palio_nim import Heaps, Take

from palio_clients.games import Companion
from palio_clients.solving.budget import Budget
from palio_clients.solving.solver import Solution, Solver
from palio_rules.game import Game


class NimSolver(Solver):
    """Looks at every position of the heaps once, whatever their order."""

    how = "every position of the heaps"

    def solve(self, state: Heaps, budget: Budget) -> Solution:
        known, wins, line = _wins.cache_info().misses, _wins(_sorted(state)), list[Take]()
        budget.spend(_wins.cache_info().misses - known)
        while state.to_move is not None:
            moves = list(state.legal_moves())
            move = next((move for move in moves if not _wins(_sorted(state.play(move)))), moves[0])
            line.append(move)
            state = state.play(move)
        return Solution("win" if wins else "loss", line=tuple(line))


class NimCompanion(Companion[Heaps, Take]):
    def evaluate(self, state: Heaps, seat: int, /) -> float:
        """1 for the side that wins by Bouton's theorem, -1 for the other one."""
        return 1.0 if (reduce(xor, state.heaps) != 0) is (state.turn == seat) else -1.0

    def solver(self, rules: Game[Heaps, Take]) -> Solver:
        return NimSolver() if rules.kind == "duel" else super().solver(rules)


def _sorted(state: Heaps) -> tuple[int, ...]:
    return tuple(sorted(filter(None, state.heaps)))


@cache
def _wins(heaps: tuple[int, ...]) -> bool:
    """Whether the side to move takes the last stone."""
    return any(
        not _wins(tuple(sorted(filter(None, (*heaps[:at], left, *heaps[at + 1 :])))))
        for at, size in enumerate(heaps)
        for left in range(size)
    )
