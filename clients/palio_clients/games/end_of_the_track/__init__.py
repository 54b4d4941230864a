"""All that our programs know of End of the Track."""

from palio_clients.games.companion import Companion
from palio_clients.games.end_of_the_track.evaluation import evaluate, lookback, problem
from palio_clients.solving.solver import Solver
from palio_rules.boards.end_of_track import BALL, BLOCKS, COLS, ROWS, SIDE, cell_of, name_of
from palio_rules.errors import IllegalMove
from palio_rules.game import Game
from palio_rules.games.end_of_track import Move, Position
from palio_rules.gestures import Cell, Gestures, Touches


class BlocksAndBall(Gestures[Position, Move]):
    """End of the Track: a block, then its square; or the block with the ball, then the block that gets it."""

    how = (
        "Click a block, then a knight's move away; or the block with\n"
        "the ball, then who gets it. Bring your ball to the far row."
    )

    def touches(self, state: Position, move: Move) -> Touches:
        at = state.pieces[SIDE * state.turn + move.piece]
        return frozenset({cell_of(at)}), frozenset({cell_of(move.to)})

    def meant(self, state: Position, cells: tuple[Cell, ...]) -> Move:
        first = SIDE * state.turn
        own = state.pieces[first : first + BLOCKS]
        src, dst = _at(cells[0]), _at(cells[-1])
        if src not in own:
            raise IllegalMove("no-block", f"none of your blocks stands on {name_of(src)}")
        holds = src == state.pieces[first + BALL]
        if len(cells) == 1:
            reason = f"no pass from {name_of(src)} is open" if holds else f"the block on {name_of(src)} cannot move"
            raise IllegalMove("path-blocked", reason)
        return Move(BALL if holds else own.index(src), dst)


def _at(cell: Cell) -> int:
    return (ROWS - 1 - cell[0]) * COLS + cell[1]


class EndOfTheTrackCompanion(Companion[Position, Move]):
    """Compiled searches of every kind, proofs, and plans from board to board."""

    compiled = f"{__name__}.kernels"
    gestures = BlocksAndBall()
    evaluate = staticmethod(evaluate)
    problem = staticmethod(problem)
    lookback = staticmethod(lookback)

    def solver(self, rules: Game[Position, Move]) -> Solver:
        from palio_clients.games.end_of_the_track.solver import solver  # noqa: PLC0415 - once it is needed

        return solver(rules)

    def solver_to(self, rules: Game[Position, Move], goal: str) -> Solver:
        from palio_clients.games.end_of_the_track.planner import TurnsTo  # noqa: PLC0415 - as above

        return TurnsTo(rules.parse_state(goal))
