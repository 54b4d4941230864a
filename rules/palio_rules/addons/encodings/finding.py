"""Encodings by the names of their games. Those of other packages join by `palio.encodings`, exactly as ours do."""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import numpy as np

from palio_rules.addons.encodings.encoding import BadAction, Encoding, Planes, stacked
from palio_rules.errors import BadOption, quoted
from palio_rules.game import Game

# A game without an encoding of its own, in numbers: by its scene and by the cells that a hand touches.
#
# Nothing of it is turned for the seat that looks, and what a scene does not show is not seen: an encoding of its own is
# better.

SHAPES = ("pawn", "disc", "ball", "block", "bar", "hex", "wall", "label")
STONES = ("stone", "area")  # have planes only in games on lines
CHESSMEN = ("king", "queen", "rook", "bishop", "knight")  # have planes only in games that begin with one of them
MOST = 200_000  # actions


class TouchEncoding(Encoding[Any, Any]):
    """Action 0 is a move without a touch; `1 + cell` one with one touch, `1 + cells + first * cells + second` with two.

    A cell is `row * cols + col` of the scene; where a touch may be on several, the first of them counts. There is a
    plane for each shape and owner: you, the next seat, and so on, and no seat; then whose turn it is, and who you
    are.
    """

    def __init__(self, rules: Game[Any, Any], options: Any) -> None:
        super().__init__(rules, options)
        remedy = f"{rules.name} has no encoding; give it one in the entry-point group palio.encodings"
        if rules.gestures is None or rules.gestures.kind != "touches":
            raise BadOption(f"{remedy}, or gestures and a scene (docs/how-to/games.md)")
        start = rules.start(options)
        scene = rules.scene(start)
        if scene is None:
            raise BadOption(f"{remedy}, or a scene (docs/how-to/games.md)")
        self._touches = 2 if any(len(rules.gesture(start, move)) > 1 for move in start.legal_moves()) else 1
        self.rows, self.cols = scene.rows, scene.cols
        self.cells = scene.rows * scene.cols
        self.actions = 1 + sum(self.cells**touches for touches in range(1, self._touches + 1))
        if self.actions > MOST:
            raise BadOption(f"{remedy}: by the cells of its {self.rows}x{self.cols} scene there are too many actions")
        self._shapes: tuple[str, ...] = SHAPES
        if any(mark.shape in CHESSMEN for mark in scene.marks):
            self._shapes += CHESSMEN
        if scene.board == "lines":
            self._shapes += STONES
        seats = len(rules.seats)
        owners = [*(f"of the {later}. seat from yours" if later else "of yours" for later in range(seats)), "of nobody"]
        self.planes = (
            *(f"{shape} {owner}" for owner in owners for shape in self._shapes),
            *(f"1 where it is the turn {owner}" for owner in owners[:-1]),
            *(f"1 where you are {name}" for name in rules.seats),
        )
        self.shape = (self.rows, self.cols, len(self.planes))

    def index(self, state: Any, move: Any) -> int:
        touched = [min(row * self.cols + col for row, col in cells) for cells in self.rules.gesture(state, move)]
        match touched:
            case []:
                return 0
            case [cell]:
                return 1 + cell
            case [first, second] if self._touches > 1:
                return 1 + self.cells + first * self.cells + second
        raise BadOption(
            f"{self.rules.name} has a move of {len(touched)} touches in mid-game, for which no action was foreseen; "
            "give it an encoding of its own (docs/how-to/games.md)"
        )

    def move(self, state: Any, index: int) -> Any:
        for move in state.legal_moves():
            if self.index(state, move) == index:
                return move
        raise BadAction("no legal move is made by these touches")

    def observe(self, state: Any, seat: int) -> Planes:
        scene = self.rules.scene(state)
        if scene is None or (scene.rows, scene.cols) != (self.rows, self.cols):
            raise BadOption(f"the scene of {self.rules.name} changes its size; give it an encoding of its own")
        seats = len(self.rules.seats)
        board = np.zeros(((seats + 1) * len(self._shapes), self.rows, self.cols), np.float32)
        for mark in scene.marks:
            owner = seats if mark.seat is None else (mark.seat - seat) % seats
            plane = board[owner * len(self._shapes) + self._shapes.index(mark.shape)]
            plane[mark.row : mark.row + mark.rows, mark.col : mark.col + mark.cols] = 1
        turns = (state.to_move == (seat + later) % seats for later in range(seats))
        return stacked(self.shape, [*board, *turns, *(seat == each for each in range(seats))])

    def spent(self, state: Any) -> float:
        """Known at the end only: until then a race has cost nothing."""
        return self.rules.cost(state) or 0.0


GROUP = "palio.encodings"


@cache
def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def encoding_of(rules: Game[Any, Any], options: Any) -> Encoding[Any, Any]:
    """The encoding of `rules` under `options`, an instance of `rules.options_type`.

    An entry point names it, or the game's own method `encoding` gives it; a game without one is encoded by its scene
    and its gestures. Raises BadOption, with the remedy, where it has none of these either, or where what is given as
    its encoding is none.
    """
    entry = _entries().get(rules.name)
    if entry is None:
        own = rules.encoding(options)
        if own is not None and not isinstance(own, Encoding):
            raise BadOption(
                f"encoding() of {rules.name!r} returned {quoted(own)}, which is no "
                "palio_rules.addons.encodings.Encoding; mend it, or return None"
            )
        return own or TouchEncoding(rules, options)
    try:
        found = entry.load()
    except Exception as error:
        raise BadOption(
            f"the encoding of {rules.name!r} cannot be imported: {type(error).__name__}: {error}; "
            f"mend its entry point {entry.value!r}, or uninstall its package"
        ) from error
    if not (isinstance(found, type) and issubclass(found, Encoding)):
        raise BadOption(
            f"what is installed as the encoding of {rules.name!r} is no subclass of "
            f"palio_rules.addons.encodings.Encoding; mend its entry point {entry.value!r}"
        )
    made: Encoding[Any, Any] = found(rules, options)
    return made
