"""End of the Track: the compiled engine, then proof-number search, which knows draws; and plans from board to board.

The engine's wins are proofs, though its table does not know on which way a position was reached: a win comes with the
plies in which it is had, these grow fewer with every move, and so the winner never needs a position for a second time;
from the game so far it knows each position once at most, or else its table is not asked.
"""

from collections.abc import Iterator
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

ENGINE = 0.6  # of the budget; the rest is for draws, and for a second opinion


def solver() -> Solver:
    return EndOfTheTrackSolver() if available() else ProofSolver(game("end_of_the_track"))


class EndOfTheTrackSolver(Solver):
    """Two searches, one after the other."""

    how = "compiled alpha-beta with a table, then proof-number search"

    def __init__(self) -> None:
        from palio_clients.kernels.end_of_the_track import EndOfTheTrackEngine, warm_up  # noqa: PLC0415 - numba may be missing
        from palio_clients.solving.compiled import Engines, EngineSolver  # noqa: PLC0415 - with it

        warm_up()
        engines = Engines(EndOfTheTrackEngine(), EndOfTheTrackEngine(clever=False))
        self._engine = EngineSolver(lambda _: engines)
        self._proof = ProofSolver(game("end_of_the_track"))

    def solve(self, state: Position, budget: Budget) -> Solution:
        found = self._engine.solve(state, budget.share(ENGINE))
        return found if found.verdict is not None or budget.stop() else self._proof.far(state, budget, found)


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
