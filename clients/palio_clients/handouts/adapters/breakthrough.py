"""CS2109S: a file plays Breakthrough by its `PlayerAI`, or by one of the four searches of problem set 2.

`PlayerAI().make_move(board)` always plays Black: as White it sees the board with its rows reversed and the colours
swapped, columns as they are, and its move is turned back. The searches know both colours.
"""

import importlib
from collections.abc import Callable
from typing import Any, Literal

from palio_clients.handouts.coursework import Coursework, unpacked
from palio_clients.sdk.clock import Clock
from palio_rules.game import Game, Options
from palio_rules.games.breakthrough import BLACK, Position

SEARCHES = ("negamax_alpha_beta", "minimax_alpha_beta", "negamax", "minimax")  # the deepest-looking first
Search = Literal["", "negamax_alpha_beta", "minimax_alpha_beta", "negamax", "minimax"]
HANDOUT = "palio_clients.handouts.tsp_and_breakthrough.ps2"  # ours, even where the file itself is called ps2
_BLACKS_VIEW = str.maketrans("BW.", "WB_")
_AS_IT_IS = str.maketrans(".", "_")


class BreakthroughCoursework(Coursework):
    """`search` names one of the four searches, `limit` is its greatest depth.

    Without `search` the file's `PlayerAI` plays; where it has none, the first search in `SEARCHES` that it has.
    """

    games = ("breakthrough",)

    def __init__(self, limit: int = 3, search: Search = "") -> None:
        self.limit, self.search = limit, search
        self._ask: Callable[[Position], object]

    def prepare(self, game: Game[Any, Any], options: Options, seat: int) -> None:
        if not self.search and self.has("PlayerAI"):
            player = self.named("PlayerAI")()
            self._ask = lambda state: self._made_as_black(player, state)
            return
        name: str | None = self.search or next(filter(self.has, SEARCHES), None)
        if name is None:
            raise self.unfit("has neither PlayerAI nor a search; keep the handout's own names")
        search = self.named(name)
        self._ask = lambda state: self._searched(search, state)

    def choose(self, state: Position, clock: Clock) -> object:
        return self._ask(state)

    def _made_as_black(self, player: Any, state: Position) -> object:
        rows = state.rows()
        if state.turn == BLACK:
            return player.make_move([list(row.translate(_AS_IT_IS)) for row in rows])
        return _turned(player.make_move([list(row.translate(_BLACKS_VIEW)) for row in reversed(rows)]), len(rows) - 1)

    def _searched(self, search: Callable[..., object], state: Position) -> object:
        breakthrough = importlib.import_module("breakthrough")  # the student's own, if it is beside the file
        generate_valid_moves = self.given("generate_valid_moves", HANDOUT)
        window = (-breakthrough.INF, breakthrough.INF) if "alpha_beta" in search.__name__ else ()
        player = breakthrough.Player("black" if state.turn == BLACK else "white")
        board = [list(row.translate(_AS_IT_IS)) for row in state.rows()]
        found = search(board, 0, self.limit, *window, player, generate_valid_moves)
        value, move = unpacked(found, search.__name__, "value, move")
        if isinstance(value, int | float):
            self.see(value=value if state.turn == BLACK else -value, depth=self.limit)  # viewers see the own view
        return move


def _turned(move: object, last: int) -> object:
    """A move on the board with its rows reversed; what is no move stays as it is, for the referee to reject."""
    match move:
        case [[int(r1), c1], [int(r2), c2]]:
            return [[last - r1, c1], [last - r2, c2]]
    return move
