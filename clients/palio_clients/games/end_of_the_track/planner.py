"""End of the Track: plans from board to board, as in AI388U (University of Texas at Austin)."""

from collections.abc import Iterator
from typing import Any

from palio_clients.games.end_of_the_track.turns import State, turns_between
from palio_clients.kernels import available
from palio_clients.search.a_star import a_star
from palio_clients.search.game_tree import Stopped
from palio_clients.solving.budget import Budget
from palio_clients.solving.planning import STATES
from palio_clients.solving.solver import Solution, Solver
from palio_rules.boards.end_of_track import SIDE
from palio_rules.games.end_of_track import Move, Position


class TurnsTo(Solver):
    """The fewest turns in which both sides together bring a position's pieces to where `goal` has them.

    As in the course, a game that is won goes on; whose turn it is at the goal does not matter.
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
            raise Stopped  # every board can be had from every other: it was the budget
        return found.moves


def _successors(state: State) -> Iterator[tuple[Any, State]]:
    pieces, turn = state
    for move in Position(pieces, turn).legal_moves():
        at = SIDE * turn + move.piece
        yield move, ((*pieces[:at], move.to, *pieces[at + 1 :]), 1 - turn)
