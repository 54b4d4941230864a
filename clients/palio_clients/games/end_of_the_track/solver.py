"""End of the Track: the compiled engine, then proof-number search for either side.

Deepening finds what is near, and how soon; compiled proof-number search follows forced lines, of twenty plies and more.
A draw is proven by the readable one only, whose tree has every position with its own past.

The engine's wins are proofs, though its table does not know on which way a position was reached: a win comes with the
plies in which it is had, these grow fewer with every move, and so the winner never needs a position for a second time;
from the game so far it knows each position once at most, or else its table is not asked.
"""

from typing import Any

from palio_clients.games.end_of_the_track.evaluation import evaluate, lookback
from palio_clients.kernels import available
from palio_clients.solving.budget import Budget
from palio_clients.solving.proof import ProofSolver
from palio_clients.solving.solver import Solution, Solver
from palio_rules.game import Game
from palio_rules.games.end_of_track import Position
from palio_rules.records.analysis import Verdict

ENGINE = 0.4  # of the budget, for what deepening can see
OURS = 0.5  # of what is left then, for a win of the side to move
THEIRS = 0.8  # of what is left then, for one of the other
COUNTED = 2_000_000  # nodes, at least, to count the plies of what is proven


def solver(rules: Game[Any, Any]) -> Solver:
    return EndOfTheTrackSolver(rules) if available() else ProofSolver(rules, evaluate, lookback)


class EndOfTheTrackSolver(Solver):
    """Three searches, one after the other."""

    how = "compiled alpha-beta with a table, then compiled proof-number search"

    def __init__(self, rules: Game[Any, Any]) -> None:
        from palio_clients.games.end_of_the_track.kernels import EndOfTheTrackEngine, prover, warm_up  # noqa: PLC0415 - numba may be missing
        from palio_clients.solving.engine_solver import Engines, EngineSolver  # noqa: PLC0415 - with it

        warm_up()
        prover.warm_up()
        engines = Engines(EndOfTheTrackEngine(), EndOfTheTrackEngine(clever=False))
        self._engine = EngineSolver(lambda _: engines)
        self._prover = prover.Prover()
        self._draws = ProofSolver(rules, evaluate, lookback)

    def solve(self, state: Position, budget: Budget) -> Solution:
        near = self._engine.solve(state, budget, ENGINE)
        for seat, part in ((state.turn, OURS), (1 - state.turn, THEIRS)):
            if near.verdict is not None or budget.stop():
                return near
            near = self.far(state, seat, budget.share(part)) or near
        return near if near.verdict is not None or budget.stop() else self._draws.far(state, budget, near)

    def far(self, state: Position, seat: int, budget: Budget) -> Solution | None:
        """That `seat` wins, by compiled proof-number search alone; None if it finds no proof."""
        prover = self._prover
        budget.stage = f"proof tree of a win for {'white' if seat == 0 else 'black'}"
        with budget.counting(lambda: prover.nodes):
            found = prover.prove(state, seat, budget.stop, max_nodes=budget.most())
        budget.spend(found.nodes)
        if not found.wins:
            return None
        verdict: Verdict = "win" if seat == state.turn else "loss"
        line, nodes = prover.line(state, seat, budget.stop), max(found.nodes, COUNTED)
        return self._engine.played_out(state, verdict, found.plies, line, budget, nodes)
