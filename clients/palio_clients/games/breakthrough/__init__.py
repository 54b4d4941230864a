"""All that our programs know of Breakthrough."""

from palio_clients.games.breakthrough.evaluation import evaluate, problem
from palio_clients.games.companion import Companion
from palio_clients.solving.solver import Solver
from palio_rules.errors import IllegalMove
from palio_rules.game import Game
from palio_rules.games.breakthrough import Move, Position
from palio_rules.gestures import Cell, Gestures, Touches


class PawnSteps(Gestures[Position, Move]):
    """Breakthrough: a pawn, then the square where it goes."""

    how = (
        "Click a pawn, then where it goes: one step ahead, straight or\n"
        "diagonally; it captures diagonally. Reach the far row to win."
    )

    def touches(self, state: Position, move: Move) -> Touches:
        return frozenset({move.src}), frozenset({move.dst})

    def meant(self, state: Position, cells: tuple[Cell, ...]) -> Move:
        if len(cells) == 1:
            own = state.white if state.turn else state.black
            if own & state.board.bit(*cells[0]):
                raise IllegalMove("path-blocked", f"the pawn on {state.board.name(*cells[0])} cannot move")
        return Move(cells[0], cells[-1])


class BreakthroughCompanion(Companion[Position, Move]):
    """Compiled searches of every kind, and proofs by compiled proof-number search."""

    compiled = f"{__name__}.kernels"
    gestures = PawnSteps()
    evaluate = staticmethod(evaluate)
    problem = staticmethod(problem)

    def solver(self, rules: Game[Position, Move]) -> Solver:
        from palio_clients.games.breakthrough.solver import solver  # noqa: PLC0415 - the searches, once they are needed

        return solver(rules)
