"""The game of two pictures: the end of a game of Chexers, three pieces in a corner, three plies deep."""

from collections.abc import Callable
from typing import Any

from palio_clients.games.chexers.evaluation import evaluate
from palio_rules.games.chexers import Chexers
from pictures.drawing.hexes import SEATS, HexBoard
from pictures.drawing.svg import MARGIN, Point, Sheet
from pictures.drawing.trees import spread
from pictures.watching import Twig, Watch

POSITION, DEPTH = "..../...../....../......./....../...g./..br 3,1,3 red 0/256", 3
WIDE, HIGH = 900, 462
ROWS = (92, 214, 304, 390)
NAMES = ("red", "green", "blue")
RULES = Chexers()

Words = Callable[[Twig], list[tuple[str, str]]]  # the text below a node, line by line, each with its colour
Chosen = Callable[[Twig], Any]  # the move that its mover plays, if it is known


def start() -> Any:
    return RULES.parse_state(POSITION)


def watch() -> Watch:
    return Watch(start(), evaluate)


def rounded(value: float) -> str:
    return f"{round(value, 6):.1f}".replace("-", "−")


def draw(sheet: Sheet, root: Twig, words: Words, chosen: Chosen) -> None:
    """Draw the board, and the tree beside it; untried moves are crossed out."""
    position(sheet, root.state)
    children = {id(twig): [*twig.children, *(Twig(state, ply=twig.ply + 1, number=-1) for state in twig.unseen())]
                for twig in root.all()}  # fmt: skip
    xs = spread(root, lambda twig: children.get(id(twig), []), MARGIN + 10, WIDE - MARGIN - 12, between=0.1)

    def at(twig: Twig) -> Point:
        return xs[id(twig)], ROWS[twig.ply]

    def below(twig: Twig) -> None:
        x, y = at(twig)
        lines = words(twig)
        best = chosen(twig)
        for child in children.get(id(twig), []):
            edge(sheet, (x, y + 12 + 12 * len(lines)), at(child), child, led=child.move == best and child.number >= 0)
            if child.number >= 0:
                below(child)
        sheet.circle(x, y, 6 if twig.children else 3.5, fill=SEATS[twig.state.turn] if twig.children else "soft")
        for row, (word, ink) in enumerate(lines):
            sheet.text(x, y + 18 + 12 * row, word, ink=ink, size=9.5)

    below(root)


def edge(sheet: Sheet, top: Point, bottom: Point, child: Twig, *, led: bool) -> None:
    (x1, y1), (x2, y2) = top, bottom
    if child.number >= 0:
        sheet.line(x1, y1, x2, y2 - 6, stroke="gold" if led else "edge", width=3 if led else 1)
        return
    sheet.line(x1, y1, x2, y2 - 4, stroke="line", dash="2 4")
    x, y = x2 + (x1 - x2) * 0.1, y2 - 6 + (y1 - y2) * 0.1
    sheet.lines([((x - 4, y - 4), (x + 4, y + 4)), ((x + 4, y - 4), (x - 4, y + 4))], stroke="bad", width=1.6)


def position(sheet: Sheet, state: Any) -> None:
    board = HexBoard(sheet, MARGIN + 64, 128, 10.5)
    board.cells(state.cells, {})
    board.pieces(state.cells)
    for row, (name, ink, off) in enumerate(zip(NAMES, SEATS, state.exits, strict=True)):
        sheet.dots([(MARGIN + 150, 94 + 19 * row)], 5, ink)
        sheet.text(MARGIN + 162, 98 + 19 * row, f"{name}: {off} of 4 are off", anchor="start")
