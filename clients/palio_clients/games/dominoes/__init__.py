"""The companion of dominoes (Domineering): searches, solvers and evaluation."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from palio_clients.games.advice import Advice, SearchStopped, plural
from palio_clients.games.companion import Companion
from palio_clients.games.dominoes.evaluation import evaluate, problem, room
from palio_clients.games.engine import Engine
from palio_clients.search.game_tree import Stop, never
from palio_clients.search.minimax import CountedAlphaBeta, Found
from palio_clients.solving.solver import Solver
from palio_rules.game import Game
from palio_rules.games.dominoes import VERTICAL, Move, Position


def counted_search(position: Position, limit: int, stop: Stop = never) -> Found:
    """Run the search of CIS 521's homework (University of Pennsylvania), to compare your own file with it.

    The value of a board is the number of moves of the player who asks, less the opponent's, for either side to move. A
    leaf is a board at the limit, or one on which the side to move cannot move. Raises SearchStopped after `stop`.
    """
    board, seat = position.board, position.turn

    def successors(filled: int, own: bool) -> Iterator[tuple[Move, int]]:  # noqa: FBT001 - as the search calls it
        if stop():
            raise SearchStopped
        turn = seat if own else 1 - seat
        other = board.cols if turn == VERTICAL else 1
        places = board.places(filled, turn)
        while places:
            place = places & -places
            places ^= place
            yield board.moves[place], filled | place | place << other

    return CountedAlphaBeta(successors, partial(room, board, seat=seat)).search(position.filled, limit)


class CountedAdviser:
    """An adviser with the course's alpha-beta search to a depth, with its value and its count of leaves."""

    promise = "play the best move within so many plies,\n               by the course's own alpha-beta search"

    def advise(self, state: Position, limit: int, stop: Stop) -> Advice:
        found = counted_search(state, limit, stop)
        text = f"limit {limit}: value {found.value:g}, {plural(found.leaves, 'leaf', 'leaves')}"
        return Advice(found.move, text, f"{plural(limit, 'ply', 'plies')} deep {_counted(found.value)}")


def _counted(value: float) -> str:
    if value == 0:
        return "both sides have equally many moves left"
    return f"you have {plural(round(abs(value)), 'more move' if value > 0 else 'fewer move')} left than your opponent"


class DominoesCompanion(Companion[Position, Move]):
    """A compiled solver, an engine that proves the winner and plays for mistakes, and the course's own search."""

    compiled = f"{__name__}.kernels"
    evaluate = staticmethod(evaluate)
    problem = staticmethod(problem)

    def engine(self, rules: Game[Position, Move], options: Any, seed: int = 0) -> Engine:
        """Return the compiled engine, which proves the winner, and in a lost position plays for a mistake."""
        made = super().engine(rules, options, seed)
        if made.remark is not None:
            return made
        from palio_clients.games.dominoes.swindle import SwindleEngine  # noqa: PLC0415 - numba may be missing

        return SwindleEngine(made, rules.start(options))

    def solver(self, rules: Game[Position, Move]) -> Solver:
        from palio_clients.games.dominoes.solver import solver  # noqa: PLC0415 - loads the searches

        return solver()

    def adviser(self, rules: Game[Position, Move]) -> CountedAdviser:
        return CountedAdviser()
