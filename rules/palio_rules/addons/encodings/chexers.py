"""Chexers in numbers: the hexagon is turned so that the seat that looks plays from left to right, as Red does."""

from typing import Any

import numpy as np

from palio_rules.addons.encodings.encoding import Encoding, Planes, stacked
from palio_rules.addons.encodings.hexes import CELLS, PIECES, SEEN_CELLS, action_of, index_of
from palio_rules.boards.chexers import LETTERS, PASS, SIDE, Action
from palio_rules.game import Game
from palio_rules.games.chexers import OCCURRENCES, OUT, SEATS, TO_WIN, ChexersOptions, Position, word_of

_WHOSE = ("your", "the next side's", "the third side's")


class ChexersEncoding(Encoding[Position, Action]):
    """Action `hex * 13 + kind` of a piece, 481 to pass.

    Hexes are numbered row by row from the top, each from the left, as the side to move sees them; kinds are the steps
    (0 to 5) and jumps (6 to 11) clockwise from the right, and the exit (12).
    """

    planes = (
        "hexes of the board",
        *(f"{whose} pieces" for whose in _WHOSE),
        *(f"{whose} exits, of four" for whose in _WHOSE),
        *(f"1 where {whose} seat has forfeited" for whose in _WHOSE),
        *(f"1 where it is {whose} turn" for whose in _WHOSE),
        "how often this position has come before, divided by three",
        "turns played, of max_turns for each",
        "1 where you are Red",
        "1 where you are Green",
        "1 where you are Blue",
    )
    limits = frozenset({"max-turns"})

    def __init__(self, rules: Game[Any, Any], options: ChexersOptions) -> None:
        super().__init__(rules, options)
        self.shape = (SIDE, SIDE, len(self.planes))
        self.actions = PIECES + 1

    def index(self, state: Position, move: Action) -> int:
        return PIECES if move.kind == "PASS" else index_of(move, state.turn)

    def move(self, state: Position, index: int) -> Action:
        return PASS if index == PIECES else action_of(index, state.turn)

    def observe(self, state: Position, seat: int) -> Planes:
        board = np.zeros((1 + SEATS, SIDE, SIDE), np.float32)
        for cell in CELLS:
            board[(0, *cell)] = 1
        for letter, cell in zip(state.cells, SEEN_CELLS[seat], strict=True):
            if (colour := LETTERS.find(letter)) >= 0:
                board[(1 + (colour - seat) % SEATS, *cell)] = 1
        seats = [(seat + later) % SEATS for later in range(SEATS)]
        before = state.history.count(word_of(state.cells, state.turn)) / (OCCURRENCES - 1)
        told: list[Planes | float] = [
            *board,
            *(max(0, state.exits[each]) / TO_WIN for each in seats),
            *(state.exits[each] == OUT for each in seats),
            *(state.to_move == each for each in seats),
            min(1.0, before),
            state.ply / (SEATS * state.max_turns),
            *(seat == each for each in range(SEATS)),
        ]
        return stacked(self.shape, told)
