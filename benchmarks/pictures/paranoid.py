"""The same game, seen by a paranoid player: red against all."""

from palio_clients.search.minimax import paranoid
from pictures import three
from pictures.drawing.hexes import SEATS
from pictures.drawing.svg import Sheet
from pictures.watching import Twig


def picture() -> Sheet:
    watch = three.watch()
    best = paranoid(watch.root.state, three.DEPTH, watch.evaluate, order=watch.order)
    sheet = Sheet(
        three.WIDE,
        three.HIGH,
        f"Paranoid: {best.nodes} positions, for green and blue are one opponent, and alpha-beta cuts",
        "All scores are red's. Red takes the highest, the others the lowest; where one says ≤, the rest cannot "
        "matter (×).",
    )
    three.draw(sheet, watch.root, words, chosen)
    if value(watch.root) != best.score:
        raise AssertionError(f"the tree is worth {value(watch.root)}, the search says {best.score}")
    return sheet


def value(twig: Twig) -> float:
    """Return the value from below; a bound after a cutoff."""
    if not twig.children:
        return twig.values[0]
    return (max if twig.state.turn == 0 else min)(value(child) for child in twig.children)


def chosen(twig: Twig) -> object:
    """Return the first child with this value; none if the others were cut off, because the best is then unknown."""
    if twig.cut or not twig.children:
        return None
    return next(child.move for child in twig.children if value(child) == value(twig))


def words(twig: Twig) -> list[tuple[str, str]]:
    return [(f"{'≤ ' if twig.cut else ''}{three.rounded(value(twig))}", "bad" if twig.cut else SEATS[0])]
