"""End of the Track: the compiled engine, then proof-number search for either side.

Deepening finds near wins, and their length; compiled proof-number search follows forced lines, of twenty plies and
more. Only the readable search proves a draw, because its tree has every position with its own history.

The engine's wins are proofs, though its table does not contain the path to a position: a win is stored with its number
of plies, which decreases with every move, so the winner never needs a position for a second time; each position of the
game so far occurred once at most, or else its table is not used.
"""

from collections.abc import Iterator
from typing import Any

from palio_clients.games.end_of_the_track.evaluation import State, evaluate, lookback, turns_between
from palio_clients.kernels import available
from palio_clients.search.game_tree import Stopped
from palio_clients.search.planning import a_star
from palio_clients.solving.budget import Budget
from palio_clients.solving.solver import STATES, ProofSolver, Solution, Solver
from palio_rules.boards.end_of_track import SIDE
from palio_rules.game import Game
from palio_rules.games.end_of_track import Move, Position
from palio_rules.records.record import Verdict

ENGINE = 0.4  # share of the budget for deepening
OURS = 0.5  # share of the rest for a win of the side to move
THEIRS = 0.8  # share of the rest for a win of the other side
COUNTED = 2_000_000  # nodes, at least, to count the plies of a proven win


def solver(rules: Game[Any, Any]) -> Solver:
    return EndOfTheTrackSolver(rules) if available() else ProofSolver(rules, evaluate, lookback)


class EndOfTheTrackSolver(Solver):
    """A solver with three searches, one after the other."""

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
        """Return the win of `seat`, by compiled proof-number search alone; None if it finds no proof."""
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


# End of the Track: plans from board to board, as in AI388U (University of Texas at Austin).


class TurnsTo(Solver):
    """A solver for the fewest turns in which both sides together bring a position's pieces to those of `goal`.

    As in the course, a game that is won goes on; the side to move at the goal does not matter.
    """

    how = "shortest plans, pruned by the turns that pieces need"

    def __init__(self, goal: Position) -> None:
        self._goal = goal.pieces

    def solve(self, state: Position, budget: Budget) -> Solution:
        search = self._compiled if available() else self._readable
        try:
            moves = search(state, budget)
        except Stopped:
            return Solution(at_least=turns_between((state.pieces, state.turn), self._goal))
        return Solution("loss") if moves is None else Solution("win", len(moves), shortest=True, line=moves)

    def _compiled(self, state: Position, budget: Budget) -> tuple[Move, ...] | None:
        from palio_clients.games.end_of_the_track.kernels import plan  # noqa: PLC0415 - numba may be missing
        from palio_clients.games.end_of_the_track.kernels.workspace import workspace  # noqa: PLC0415 - as above

        spaces = workspace()
        budget.stage = "deepening"
        try:
            with budget.counting(lambda: int(spaces[0]["nodes"])):
                return plan(state.pieces, self._goal, state.turn, stop=budget.stop, spaces=spaces)
        finally:
            budget.spend(int(spaces[0]["nodes"]))

    def _readable(self, state: Position, budget: Budget) -> tuple[Move, ...]:
        found = a_star(
            (state.pieces, state.turn),
            _successors,
            lambda there: turns_between(there, self._goal),
            max_expanded=STATES,
            stop=budget.tick,
        )
        if not found.complete:
            raise Stopped  # every board can be reached from every other: the budget was too small
        return found.moves


def _successors(state: State) -> Iterator[tuple[Any, State]]:
    pieces, turn = state
    for move in Position(pieces, turn).legal_moves():
        at = SIDE * turn + move.piece
        yield move, ((*pieces[:at], move.to, *pieces[at + 1 :]), 1 - turn)
