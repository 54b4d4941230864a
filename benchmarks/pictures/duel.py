"""The duel of four pictures: dominoes on nine squares, two plies deep, with every possible move."""

from collections.abc import Callable
from typing import Any

from palio_clients.games.dominoes.evaluation import evaluate
from palio_clients.search.game_tree import worth
from palio_rules.registry import game_from_spec
from pictures.drawing.dominoes import board
from pictures.drawing.svg import Sheet
from pictures.drawing.trees import spread
from pictures.watching import Twig, Watch

SPEC, DEPTH = "dominoes:rows=3,cols=3", 2
WIDE, HIGH = 900, 372
ROWS = (84, 184, 294)  # the y of the boards of each ply
CELL = 11
SIDE = 3 * CELL

Say = Callable[[Twig], tuple[str, str]]  # the text below a position, and its colour


def start() -> Any:
    rules, options = game_from_spec(SPEC)
    return rules.start(options)


def watch() -> Watch:
    return Watch(start(), evaluate)


def leaf_value(twig: Twig, seat: int) -> float:
    """Return the value of a position without children: the evaluation, or the score of the end of the game."""
    outcome = twig.state.outcome()
    if outcome is not None:
        return worth(outcome, seat, twig.ply)
    return evaluate(twig.state, seat)


def grown(twig: Twig) -> list[Twig]:
    """Return the children that were visited, then the others."""
    return [*twig.children, *(Twig(state, ply=twig.ply + 1, number=-1) for state in twig.unseen())]


class Tree:
    """The tree of a search that has been watched, with unvisited positions in grey."""

    def __init__(self, sheet: Sheet, root: Twig, say: Say, line: tuple[Any, ...], *, headroom: float = 3) -> None:
        self.sheet, self.say, self.line, self.headroom = sheet, say, line, headroom
        self.children: dict[int, list[Twig]] = {}
        self._grow(root)
        self.places = spread(root, self._below, 24 + SIDE / 2, WIDE - 24 - SIDE / 2, between=0.35)
        self._draw(root, on_line=True)

    def _grow(self, twig: Twig) -> None:
        self.children[id(twig)] = grown(twig)
        for child in self.children[id(twig)]:
            self._grow(child)

    def _below(self, twig: Twig) -> list[Twig]:
        return self.children[id(twig)]

    def _draw(self, twig: Twig, *, on_line: bool) -> None:
        sheet, x, top = self.sheet, self.places[id(twig)], ROWS[twig.ply]
        for child in self._below(twig):
            led = on_line and twig.ply < len(self.line) and child.move == self.line[twig.ply] and child.number >= 0
            self._edge(twig, child, led=led)
            self._draw(child, on_line=led)
        board(sheet, twig.state, x, top, CELL, pale=twig.number < 0)
        if twig.number >= 0:
            text, ink = self.say(twig)
            sheet.text(x, top + SIDE + 15, text, ink=ink, bold=on_line)

    def _edge(self, twig: Twig, child: Twig, *, led: bool) -> None:
        x1, y1 = self.places[id(twig)], ROWS[twig.ply] + SIDE + 21
        x2, y2 = self.places[id(child)], ROWS[child.ply] - (self.headroom if self._below(child) else 3)
        if child.number >= 0:
            self.sheet.line(x1, y1, x2, y2, stroke="gold" if led else "edge", width=3 if led else 1)
            return
        self.sheet.line(x1, y1, x2, y2, stroke="line", dash="2 4")
        x, y = x2 + (x1 - x2) * 0.18, y2 + (y1 - y2) * 0.18
        self.sheet.lines([((x - 4, y - 4), (x + 4, y + 4)), ((x + 4, y - 4), (x - 4, y + 4))], stroke="bad", width=1.6)


def plies(sheet: Sheet, names: tuple[str, ...], *, headroom: float = 18) -> None:
    """Write the side to move in the first rows, at the left edge, so far above the boards."""
    for name, top in zip(names, ROWS, strict=False):
        sheet.text(24, top - headroom if top > ROWS[0] else top + 8, name, ink="soft", anchor="start")
