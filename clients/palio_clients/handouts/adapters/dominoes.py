"""CIS 521: a file with the class `DominoesGame` plays dominoes by its `get_best_move` or its `get_random_move`."""

from typing import Literal

from palio_clients.handouts.coursework import Coursework, Unfit, unpacked
from palio_clients.sdk.clock import Clock
from palio_rules.games.dominoes import VERTICAL, Position


class DominoesCoursework(Coursework):
    """`limit` is passed to `get_best_move`; `play` is "best" or "random" (default: the best that the file has)."""

    games = ("dominoes",)

    def __init__(self, limit: int = 3, play: Literal["", "best", "random"] = "") -> None:
        self.limit, self.play = limit, play

    def choose(self, state: Position, clock: Clock) -> object:
        """A new `DominoesGame` each time, so that no turn depends on another."""
        game = self.named("DominoesGame")([[cell != "." for cell in row] for row in state.rows()])
        vertical = state.turn == VERTICAL
        method = f"get_{self.play or ('best' if hasattr(game, 'get_best_move') else 'random')}_move"
        if not hasattr(game, method):
            raise Unfit(f"the DominoesGame of {self.file} has no {method}; keep the handout's own names")
        if method == "get_random_move":
            return game.get_random_move(vertical)
        found = game.get_best_move(vertical, self.limit)
        move, value, leaves = unpacked(found, "get_best_move", "move, value, leaves")
        self.see(value=value, depth=self.limit, nodes=leaves)
        return move
