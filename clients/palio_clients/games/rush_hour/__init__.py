"""All that our programs know of Rush Hour."""

from palio_clients.games.companion import Companion
from palio_clients.games.rush_hour.evaluation import evaluate, problem
from palio_clients.solving.solver import Solver
from palio_rules.errors import IllegalMove
from palio_rules.game import Game
from palio_rules.games.rush_hour import Move, Position
from palio_rules.gestures import Cell, Gestures, Touches


class Slides(Gestures[Position, Move]):
    """Rush Hour: a vehicle, wherever one takes hold of it, then the cell that its front is to reach."""

    how = "Click a vehicle, then the cell that its front is to reach.\nClear the way to the right of vehicle a."

    def touches(self, state: Position, move: Move) -> Touches:
        cells, lies = _vehicle(state, move.vehicle)
        front_row, front_col = cells[-1 if move.amount > 0 else 0]
        front = (front_row, front_col + move.amount) if lies else (front_row + move.amount, front_col)
        return frozenset(cells), frozenset({front})

    def meant(self, state: Position, cells: tuple[Cell, ...]) -> Move:
        row, col = cells[0]
        letter = state.rows()[row][col]
        if letter == ".":
            raise IllegalMove("no-such-vehicle", f"there is no vehicle on row {row}, column {col}")
        if len(cells) == 1:
            raise IllegalMove("blocked", f"{letter} cannot slide either way")
        (covered, lies), (to_row, to_col) = _vehicle(state, letter), cells[-1]
        if (to_row if lies else to_col) != (row if lies else col):
            raise IllegalMove("off-line", f"{letter} slides along its own {'row' if lies else 'column'} only")
        to, first, last = (to_col, covered[0][1], covered[-1][1]) if lies else (to_row, covered[0][0], covered[-1][0])
        return Move(letter, to - first if to < first else max(0, to - last))


def _vehicle(state: Position, letter: str) -> tuple[list[Cell], bool]:
    """The cells of a vehicle, from the left or from the top, and whether it lies."""
    index = [car.letter for car in state.garage.vehicles].index(letter)
    return list(state.garage.covered(index, state.at[index])), state.garage.vehicles[index].lies


class RushHourCompanion(Companion[Position, Move]):
    """Shortest plans by A*, or compiled, breadth first."""

    compiled = f"{__name__}.kernels"
    gestures = Slides()
    evaluate = staticmethod(evaluate)
    problem = staticmethod(problem)

    def solver(self, rules: Game[Position, Move]) -> Solver:
        from palio_clients.games.rush_hour.solver import solver  # noqa: PLC0415 - the searches, once they are needed

        return solver()
