"""CIS 521: a file with the class `DominoesGame` plays dominoes by its `get_best_move` or its `get_random_move`."""

from typing import Literal

from palio_clients.handouts.coursework import Coursework, Unfit, unpacked
from palio_clients.handouts.signatures import INIT, Form, call
from palio_clients.handouts.text import Text
from palio_clients.sdk.clock import Clock
from palio_rules.games.dominoes import VERTICAL, Position

GAME = "DominoesGame"
BOARD = Form("", ("board",))
MOVES = {"best": Form("", ("vertical", "limit")), "random": Form("", ("vertical",))}


class DominoesCoursework(Coursework):
    """The adapter for dominoes. `limit` is passed to `get_best_move`.

    `play` is "best" or "random" (default: the better one that the file has).
    """

    games = ("dominoes",)

    def __init__(self, limit: int = 3, play: Literal["", "best", "random"] = "") -> None:
        self.limit, self.play = limit, play

    def read(self, text: Text) -> str:
        lacking = [play for play in MOVES if text.lacks(f"{GAME}.get_{play}_move")]
        play = self.play or ("random" if lacking == ["best"] else "best")
        if fault := text.fault(f"{GAME}.{INIT}", BOARD) or text.fault(f"{GAME}.get_{play}_move", MOVES[play]):
            raise Unfit(fault)
        return ""

    def choose(self, state: Position, clock: Clock) -> object:
        """Ask a new `DominoesGame` each time, so that no turn depends on another."""
        kind = self.named(GAME, BOARD.of(GAME))
        game = call(kind, BOARD, {"board": [[cell != "." for cell in row] for row in state.rows()]}, self.file)
        having = [play for play in MOVES if hasattr(game, f"get_{play}_move")]
        play = self.play or ("random" if having == ["random"] else "best")
        name = f"get_{play}_move"
        method = self.method(game, name, MOVES[play].of(name, bound=True))
        found = call(method, MOVES[play], {"vertical": state.turn == VERTICAL, "limit": self.limit}, self.file)
        if play == "random":
            return found
        move, value, leaves = unpacked(found, "get_best_move", "move, value, leaves")
        self.report(value=value, depth=self.limit, nodes=leaves)
        return move
