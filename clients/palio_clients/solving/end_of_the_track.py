"""End of the Track: the compiled engine, then proof-number search for either side; and plans from board to board.

Deepening finds what is near, and how soon; compiled proof-number search follows forced lines, of twenty plies and more.
A draw is proven by the readable one only, whose tree has every position with its own past.

The engine's wins are proofs, though its table does not know on which way a position was reached: a win comes with the
plies in which it is had, these grow fewer with every move, and so the winner never needs a position for a second time;
from the game so far it knows each position once at most, or else its table is not asked.
"""

from collections.abc import Iterator
from math import inf
from typing import Any

from palio_clients.kernels import available
from palio_clients.search.a_star import a_star
from palio_clients.search.end_of_track_bounds import State, turns_between
from palio_clients.search.game_tree import Stopped
from palio_clients.solving.budget import Budget
from palio_clients.solving.planning import STATES
from palio_clients.solving.proof import ProofSolver
from palio_clients.solving.solution import Solution
from palio_clients.solving.solver import Solver
from palio_rules.games.end_of_track import Move, Position
from palio_rules.games.end_of_track_board import SIDE
from palio_rules.registry import game

ENGINE = 0.4  # of the budget, for what deepening can see
OURS, THEIRS = (
    0.5,
    0.8,
)  # of what is left then, for a win of the side to move; of what is left then, for one of the other
COUNTED = 2_000_000  # nodes, at least, to count the plies of what is proven


def solver() -> Solver:
    return EndOfTheTrackSolver() if available() else ProofSolver(game("end_of_the_track"))


class EndOfTheTrackSolver(Solver):
    """Three searches, one after the other."""

    how = "compiled alpha-beta with a table, then compiled proof-number search"

    def __init__(self) -> None:
        from palio_clients.kernels.end_of_the_track import EndOfTheTrackEngine, prover, warm_up  # noqa: PLC0415 - numba may be missing
        from palio_clients.solving.compiled import Engines, EngineSolver  # noqa: PLC0415 - with it

        warm_up()
        prover.warm_up()
        engines = Engines(EndOfTheTrackEngine(), EndOfTheTrackEngine(clever=False))
        self._engine = EngineSolver(lambda _: engines)
        self._prover = prover.Prover()
        self._draws = ProofSolver(game("end_of_the_track"))

    def solve(self, state: Position, budget: Budget) -> Solution:
        near = self._engine.solve(state, budget, ENGINE)
        for seat, part in ((state.turn, OURS), (1 - state.turn, THEIRS)):
            if near.verdict is not None or budget.stop():
                return near
            near = self.far(state, seat, budget.share(part)) or near
        return near if near.verdict is not None or budget.stop() else self._draws.far(state, budget, near)

    def far(self, state: Position, seat: int, budget: Budget) -> Solution | None:
        """That `seat` wins, by compiled proof-number search alone; None if it finds no proof."""
        prover, left = self._prover, budget.left()
        budget.stage = f"proof tree of a win for {'white' if seat == 0 else 'black'}"
        with budget.counting(lambda: prover.nodes):
            found = prover.prove(state, seat, budget.stop, max_nodes=max(1, int(left)) if left < inf else 0)
        budget.spend(found.nodes)
        if not found.wins:
            return None
        budget.stage = "line of play"
        line = []
        for move, nodes in prover.line(state, seat, budget.stop):
            budget.spend(nodes)
            line.append(move)
        plies = max(found.plies, len(line))  # a line whose proof was lost, and found once more, may be a longer one
        proven = Solution("win" if seat == state.turn else "loss", plies, line=tuple(line))
        return self._engine.counted(state, plies, budget, max(found.nodes, COUNTED)) or proven


def plan(start: Position, goal: Position, budget: Budget) -> Solution:
    """The fewest turns in which both sides together bring the pieces of `start` to where `goal` has them.

    As in the course, a game that is won goes on; whose turn it is at the goal does not matter.
    """
    try:
        moves = _compiled(start, goal, budget) if available() else _readable(start, goal, budget)
    except Stopped:
        return Solution(at_least=turns_between((start.pieces, start.turn), goal.pieces))
    return Solution("loss") if moves is None else Solution("win", len(moves), shortest=True, line=moves)


def _compiled(start: Position, goal: Position, budget: Budget) -> tuple[Move, ...] | None:
    from palio_clients.kernels.end_of_the_track import plan as compiled  # noqa: PLC0415 - numba may be missing
    from palio_clients.kernels.end_of_the_track.board import workspace  # noqa: PLC0415 - as above

    spaces = workspace()
    budget.stage = "deepening"
    try:
        with budget.counting(lambda: int(spaces[0]["nodes"])):
            return compiled(start.pieces, goal.pieces, start.turn, stop=budget.stop, spaces=spaces)
    finally:
        budget.spend(int(spaces[0]["nodes"]))


def _readable(start: Position, goal: Position, budget: Budget) -> tuple[Move, ...] | None:
    there = goal.pieces
    found = a_star(
        (start.pieces, start.turn),
        _successors,
        lambda state: turns_between(state, there),
        max_expanded=STATES,
        stop=budget.tick,
    )
    if not found.complete:
        raise Stopped  # every board can be had from every other: it was the budget
    return found.moves


def _successors(state: State) -> Iterator[tuple[Any, State]]:
    pieces, turn = state
    for move in Position(pieces, turn).legal_moves():
        at = SIDE * turn + move.piece
        yield move, ((*pieces[:at], move.to, *pieces[at + 1 :]), 1 - turn)
