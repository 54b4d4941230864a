"""Rush Hour in numbers: an action names the vehicle by the cell where it begins, since letters mean nothing."""

from typing import Any

import numpy as np

from palio_rules.addons.encodings.encoding import BadAction, Encoding, Planes, stacked
from palio_rules.game import Game
from palio_rules.games.rush_hour import Move, Position, RushHourOptions


class RushHourEncoding(Encoding[Position, Move]):
    """Action `(row * side + col) * 2 * (side - 1) + slide`: the vehicle whose left or upper cell is there slides.

    Slides 0, 1, 2, ... go one cell, two, three, ... to the right or down, those from `side - 1` on to the left or up.
    """

    planes = (
        "cells of vehicles that lie",
        "cells of vehicles that stand upright",
        "cells of the vehicle that wants to escape",
        "the left or upper cell of each vehicle",
        "moves made, of max_moves",
    )
    limits = frozenset({"max-moves"})

    def __init__(self, rules: Game[Any, Any], options: RushHourOptions) -> None:
        super().__init__(rules, options)
        self.side = len(options.board.split("/")) if options.board else options.size
        self.slides = 2 * (self.side - 1)
        self.shape = (self.side, self.side, len(self.planes))
        self.actions = self.side * self.side * self.slides

    def index(self, state: Position, move: Move) -> int:
        garage = state.garage
        vehicle = next(at for at, car in enumerate(garage.vehicles) if car.letter == move.vehicle)
        row, col = next(garage.covered(vehicle, state.at[vehicle]))
        slide = move.amount - 1 if move.amount > 0 else self.side - 2 - move.amount
        return (row * self.side + col) * self.slides + slide

    def move(self, state: Position, index: int) -> Move:
        square, slide = divmod(index, self.slides)
        cell = divmod(square, self.side)
        amount = slide + 1 if slide < self.side - 1 else self.side - 2 - slide
        for vehicle, (car, at) in enumerate(zip(state.garage.vehicles, state.at, strict=True)):
            if next(state.garage.covered(vehicle, at)) == cell:
                return Move(car.letter, amount)
        raise BadAction(f"no vehicle begins on row {cell[0]}, column {cell[1]}")

    def observe(self, state: Position, seat: int) -> Planes:
        garage = state.garage
        board = np.zeros((4, self.side, self.side), np.float32)
        for vehicle, (car, at) in enumerate(zip(garage.vehicles, state.at, strict=True)):
            cells = list(garage.covered(vehicle, at))
            for cell in cells:
                board[(0 if car.lies else 1, *cell)] = 1
                if vehicle == garage.escaping:
                    board[(2, *cell)] = 1
            board[(3, *cells[0])] = 1
        return stacked(self.shape, [*board, state.moves / state.max_moves])

    def spent(self, state: Position) -> float:
        return float(state.moves)

    def longest(self, state: Position) -> int:
        return state.max_moves
