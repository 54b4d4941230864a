"""Chexers Solo in numbers: the hexagon is turned so that every colour plays from left to right, as Red does."""

from typing import Any

import numpy as np

from palio_rules.addons.encodings.encoding import Encoding, Planes, stacked
from palio_rules.addons.encodings.hexes import CELLS, PIECES, SEEN_CELLS, action_of, index_of
from palio_rules.boards.chexers import BLOCK, COLOURS, LETTERS, SIDE, Action
from palio_rules.game import Game
from palio_rules.games.chexers_solo import ChexersSolo, ChexersSoloOptions, Position


class ChexersSoloEncoding(Encoding[Position, Action]):
    """Action `hex * 13 + kind`, numbered as those of Chexers; there is no pass."""

    planes = ("hexes of the board", "pieces", "blocks", "actions taken, of max_actions")
    limits = frozenset({"max-actions"})

    def __init__(self, rules: Game[Any, Any], options: ChexersSoloOptions) -> None:
        super().__init__(rules, options)
        start = ChexersSolo().start(options) if options.board else None
        self.colour = COLOURS.index(options.colour) if start is None else start.colour
        self.shape = (SIDE, SIDE, len(self.planes))
        self.actions = PIECES

    def index(self, state: Position, move: Action) -> int:
        return index_of(move, state.colour)

    def move(self, state: Position, index: int) -> Action:
        return action_of(index, state.colour)

    def observe(self, state: Position, seat: int) -> Planes:
        board = np.zeros((3, SIDE, SIDE), np.float32)
        for cell in CELLS:
            board[(0, *cell)] = 1
        for letter, cell in zip(state.cells, SEEN_CELLS[state.colour], strict=True):
            if letter == LETTERS[state.colour]:
                board[(1, *cell)] = 1
            elif letter == BLOCK:
                board[(2, *cell)] = 1
        return stacked(self.shape, [*board, state.actions / state.max_actions])

    def spent(self, state: Position) -> float:
        return float(state.actions)

    def longest(self, state: Position) -> int:
        return state.max_actions
