"""The puzzle of five pictures: one piece of Chexers Solo among blocks, so that a state is a hex, or off the board.

The searches use states that store the number of steps to them, and are otherwise equal to plain ones.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Self

from palio_clients.games.chexers_solo.evaluation import problem
from palio_clients.search.planning import Problem
from palio_rules.boards.chexers import BLOCK, EXITS, LETTERS, RED
from palio_rules.registry import game_from_spec
from pictures.drawing.hexes import HexBoard
from pictures.drawing.palette import heat
from pictures.drawing.svg import Sheet

SPEC = "chexers_solo:board=..../..#.#/..##.#/...#..#/#..##./..##./r..."
OFF = -1  # instead of a cell: the piece has left


class Walked(str):
    """The cells of a state, and the number of steps by which a search reached it."""

    __slots__ = ("steps",)
    steps: int

    @classmethod
    def after(cls, cells: str, steps: int) -> Self:
        walked = cls(cells)
        walked.steps = steps
        return walked


class Maze:
    """The puzzle, with the requests of a search: `expanded` has the states whose successors it requested."""

    def __init__(self, spec: str = SPEC) -> None:
        rules, options = game_from_spec(spec)
        self.plain = problem(rules.start(options))
        self.start = Walked.after(self.plain.start, 0)
        self.expanded: list[Walked] = []

    def successors(self, state: Walked) -> Iterator[tuple[Any, Walked]]:
        self.expanded.append(state)
        for move, after in self.plain.successors(str(state)):
            yield move, Walked.after(after, state.steps + 1)

    def remaining(self, state: str) -> float:
        return self.plain.remaining(str(state))

    def problem(self) -> Problem[Walked]:
        return Problem(self.start, self.successors, self.remaining)

    def way(self, moves: Iterable[Any]) -> list[int]:
        """Return the cells of the piece in turn, until it leaves."""
        state, cells = str(self.start), [place(self.start)]
        for move in moves:
            state = next(after for each, after in self.plain.successors(state) if each == move)
            cells.append(place(state))
        return [cell for cell in cells if cell != OFF]


def place(state: str) -> int:
    """Return the cell of the piece."""
    return state.find(LETTERS[RED])


def shades(values: dict[int, float], cool: float | None = None, hot: float | None = None) -> dict[int, str]:
    """Return for each cell a shade between the least value and the largest one, or these."""
    low = min(values.values()) if cool is None else cool
    high = max(values.values()) if hot is None else hot
    return {cell: heat((value - low) / max(high - low, 1)) for cell, value in values.items()}


def draw(
    sheet: Sheet,
    middle: tuple[float, float],
    size: float,
    start: str,
    shade: dict[int, str],
    labels: dict[int, Any],
    way: Iterable[int] = (),
    *,
    letters: float = 13,
) -> None:
    """Draw the board with a word on each hex, the exits on its right, and the path that was found."""
    board = HexBoard(sheet, *middle, size)
    board.cells(start, shade)
    board.right_edge((cell for cell in EXITS[RED] if start[cell] != BLOCK), "brick")
    if cells := list(way):
        board.way(cells, "brick")
    board.words({cell: str(value) for cell, value in labels.items() if cell != OFF}, size=letters)
