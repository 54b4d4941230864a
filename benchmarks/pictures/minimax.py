"""Every line of a small duel, and the values from its leaves."""

from palio_clients.search.game_tree import Best
from palio_clients.search.minimax import minimax
from pictures import duel
from pictures.drawing.dominoes import signed
from pictures.drawing.svg import Sheet
from pictures.watching import Twig


def picture() -> Sheet:
    watch = duel.watch()
    best = minimax(watch.root.state, duel.DEPTH, watch.evaluate, order=watch.order)
    sheet = Sheet(
        duel.WIDE,
        duel.HIGH,
        f"Minimax visits all {best.nodes} positions",
        "The number below a board: how many more places Vertical (blue), who is MAX, has than Horizontal (red).",
    )
    duel.Tree(sheet, watch.root, lambda twig: (signed(value(twig, best)), "ink"), best.pv)
    duel.plies(sheet, ("MAX to move", "MIN to move"))
    return sheet


def value(twig: Twig, best: Best) -> float:
    """Return what minimax finds here, always for the side that moves first."""
    if twig.ply == 0:
        return best.score
    if not twig.children:
        return duel.leaf_value(twig, 0)
    return -minimax(twig.state, duel.DEPTH - twig.ply, duel.evaluate).score
