"""COMP30024, part B, `player.py`: a player by Palio's own rules and its max-n search, two plies deep."""

from palio_clients.games import companion_of
from palio_clients.search.minimax import max_n
from palio_rules.boards.chexers import COLOURS, Action
from palio_rules.games.chexers import Position

DEPTH = 2


class Player:
    """A player of one colour, which keeps the position by the actions that it is told."""

    def __init__(self, colour):
        self.seat = COLOURS.index(colour)
        self.state = Position.of()

    def action(self):
        evaluate = companion_of("chexers").evaluate
        best = max_n(self.state, DEPTH, evaluate, seats=len(COLOURS))
        return best.move.kind, best.move.where

    def update(self, colour, action):
        kind, where = action
        self.state = self.state.play(Action(kind, where))
