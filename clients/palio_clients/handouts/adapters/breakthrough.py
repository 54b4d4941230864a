"""CS2109S: a file plays Breakthrough by its `PlayerAI`, or by one of the four searches of problem set 2.

`PlayerAI().make_move(board)` always plays Black: as White it sees the board with its rows reversed and the colours
swapped, columns unchanged, and its move is turned back. So do searches of 2023/24, which return the best move of Black;
those of later terms know both colours. The signature shows the term.
"""

import importlib
import sys
from collections.abc import Callable, Collection
from typing import Any, Literal

from palio_clients.handouts.coursework import Coursework, Unfit, unpacked
from palio_clients.handouts.signatures import INIT, NOTHING, Form, call, form_of, told
from palio_clients.handouts.text import Text
from palio_clients.sdk.clock import Clock
from palio_rules.game import Game, Options
from palio_rules.games.breakthrough import BLACK, Position

SEARCHES = ("negamax_alpha_beta", "minimax_alpha_beta", "negamax", "minimax")  # in order of preference
Search = Literal["", "negamax_alpha_beta", "minimax_alpha_beta", "negamax", "minimax"]
HANDOUT = "palio_clients.handouts.tsp_and_breakthrough.ps2"  # ours, even if the file itself is called ps2
_TURN = {  # by term: the arguments for the side to move, after the board, the depths and the window
    "CS2109S 2024/25": ("current_player", "generate_valid_moves"),
    "CS2109S 2025/26": ("current_player",),
    "CS2109S 2023/24": ("is_black",),
    "CS2109S 2023/24, negamax": (),
}
NEITHER = "has neither PlayerAI nor a search; keep the handout's own names"
MAKE_MOVE = Form("", ("board",))
_BLACKS_VIEW = str.maketrans("BW.", "WB_")
_AS_IT_IS = str.maketrans(".", "_")


class BreakthroughCoursework(Coursework):
    """The adapter for Breakthrough. `search` names one of the four searches, `limit` is its greatest depth.

    Without them the file's `PlayerAI` plays, or the only other class with `make_move`; without one, the first search in
    `SEARCHES` that the file has. `player` names the class, if there are several.
    """

    games = ("breakthrough",)

    def __init__(self, limit: int = 3, search: Search = "", player: str = "") -> None:
        if search and player:
            raise ValueError("search and player are given; give one of them")
        self.limit, self.search, self.player = limit, search, player
        self._ask: Callable[[Position], object]

    def read(self, text: Text) -> str:
        name = self.player or ("" if self.search or text.lacks("PlayerAI") else "PlayerAI")
        search: str = "" if name else self.search or next((each for each in SEARCHES if not text.lacks(each)), "")
        if search:
            if fault := text.fault(search, *forms_of(search)):
                raise Unfit(fault)
            form = text.form(search, forms_of(search))
            return told(text.file, search, form) if form else ""
        if not name:
            players, certain = text.classes_with("make_move", own=False)
            if len(players) > 1:
                raise Unfit(f"{text.file} {_several(players)}")
            if certain and not players:
                raise Unfit(f"{text.file} {NEITHER}")
            name = next(iter(players)) if certain else ""
        if name and (fault := text.fault(f"{name}.{INIT}", NOTHING) or text.fault(f"{name}.make_move", MAKE_MOVE)):
            raise Unfit(fault)
        return ""

    def prepare(self, game: Game[Any, Any], options: Options, seat: int) -> None:
        name = self.player or self._usual_player()
        if name and not self.search:
            player = call(self.named(name, f"{name}()"), NOTHING, {}, self.file)
            self._ask = lambda state: self._made_as_black(player, state)
            return
        search: str | None = self.search or next(filter(self.has, SEARCHES), None)
        if search is None:
            raise self.unfit(NEITHER)
        function = self.named(search)
        form = form_of(function, forms_of(search), self.file)
        print(told(self.file, search, form), file=sys.stderr)  # noqa: T201
        self._ask = lambda state: self._searched(function, form, state)

    def choose(self, state: Position, clock: Clock) -> object:
        return self._ask(state)

    def _usual_player(self) -> str:
        """Return PlayerAI, or the only class that makes moves; "" if a search plays.

        Raises Unfit with all their names.
        """
        if self.has("PlayerAI") or self.search:
            return "PlayerAI"
        if any(map(self.has, SEARCHES)):
            return ""
        found = vars(self.module).items()
        players = {
            each: name for name, each in reversed(found) if isinstance(each, type) and hasattr(each, "make_move")
        }
        names = list(players.values())[::-1]  # each by its first name
        if len(names) > 1:
            raise self.unfit(_several(names))
        return names[0] if names else ""

    def _made_as_black(self, player: Any, state: Position) -> object:
        make_move = self.method(player, "make_move", MAKE_MOVE.of("make_move", bound=True))
        move = call(make_move, MAKE_MOVE, {"board": _blacks_view(state)}, self.file)
        return move if state.turn == BLACK else _turned(move, len(state.rows()) - 1)

    def _searched(self, search: Callable[..., object], form: Form, state: Position) -> object:
        breakthrough = importlib.import_module("breakthrough")  # the student's own, if it is beside the file
        own = self.module  # in 2025/26 all of it is in ps2.py
        players, infinite = getattr(own, "Player", breakthrough.Player), getattr(own, "INF", breakthrough.INF)
        as_black = "current_player" not in form.names
        values = {
            "board": _blacks_view(state) if as_black else [list(row.translate(_AS_IT_IS)) for row in state.rows()],
            "depth": 0,
            "max_depth": self.limit,
            "alpha": -infinite,
            "beta": infinite,
            "is_black": True,
            "current_player": None if as_black else players("black" if state.turn == BLACK else "white"),
        }
        if "generate_valid_moves" in form.names:
            values["generate_valid_moves"] = self.given("generate_valid_moves", HANDOUT)
        value, move = unpacked(call(search, form, values, self.file), search.__name__, "value, move")
        if isinstance(value, int | float):
            self.report(value=value if as_black or state.turn == BLACK else -value, depth=self.limit)  # the side's view
        return _turned(move, len(state.rows()) - 1) if as_black and state.turn != BLACK else move


def forms_of(search: str) -> list[Form]:
    """Return the forms of the search of this name, by term."""
    window = ("alpha", "beta") if "alpha_beta" in search else ()
    return [Form(term, ("board", "depth", "max_depth", *window, *turn)) for term, turn in _TURN.items()]


def _several(names: Collection[str]) -> str:
    return f"has {len(names)} players; choose one: {' or '.join(f'player={each}' for each in names)}"


def _blacks_view(state: Position) -> list[list[str]]:
    rows = state.rows()
    if state.turn == BLACK:
        return [list(row.translate(_AS_IT_IS)) for row in rows]
    return [list(row.translate(_BLACKS_VIEW)) for row in reversed(rows)]


def _turned(move: object, last: int) -> object:
    """Return a move on the board with its rows reversed; an invalid move unchanged, for the referee to reject."""
    match move:
        case [[int(r1), c1], [int(r2), c2]]:
            return [[last - r1, c1], [last - r2, c2]]
    return move
