"""The same small duel again: alpha-beta in negamax form, with the window at each node."""

from palio_clients.search.minimax import alpha_beta
from pictures import duel
from pictures.drawing.dominoes import bound, signed
from pictures.drawing.svg import Sheet
from pictures.watching import Twig


def picture() -> Sheet:
    watch = duel.watch()
    best = alpha_beta(watch.root.state, duel.DEPTH, watch.evaluate, order=watch.order, table=watch.table)
    sheet = Sheet(
        duel.WIDE,
        duel.HIGH,
        f"Alpha-beta in negamax form: {best.nodes} positions, and the window (α, β) that each is given",
        "Numbers are for the side to move. A cut is made where a score reaches β; with a sign turned, β is what the "
        "side above has for certain.",
    )
    tree = duel.Tree(sheet, watch.root, say, best.pv, headroom=19)
    for twig in watch.root.all():
        if twig.window is not None:
            alpha, beta = twig.window
            x, top = tree.places[id(twig)], duel.ROWS[twig.ply]
            label = f"({bound(alpha)}, {bound(beta)})"
            sheet.text(x, top - 6, label, ink="soft")
    duel.plies(sheet, ("Vertical", "Horizontal"), headroom=30)
    return sheet


def say(twig: Twig) -> tuple[str, str]:
    ink = "lapis" if twig.state.turn == 0 else "brick"
    if twig.best is None:
        return signed(duel.leaf_value(twig, twig.state.turn)), ink
    return f"{'≥ ' if twig.cut else ''}{signed(twig.best.score)}", ink
