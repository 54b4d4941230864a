"""The same small duel, and the nodes that alpha-beta skips in it."""

from palio_clients.search.game_tree import Best
from palio_clients.search.minimax import alpha_beta_minimax
from pictures import duel
from pictures.drawing.dominoes import signed
from pictures.drawing.svg import Sheet
from pictures.watching import Twig


def picture() -> Sheet:
    watch = duel.watch()
    best = alpha_beta_minimax(watch.root.state, duel.DEPTH, watch.evaluate, order=watch.order)
    leaves = [twig for twig in watch.root.all() if twig.ply == duel.DEPTH]
    every = len(leaves) + sum(len(twig.unseen()) for twig in watch.root.all())
    sheet = Sheet(
        duel.WIDE,
        duel.HIGH,
        f"Alpha-beta looks at {len(leaves)} of {every} leaves",
        "Numbers are for MAX. Where one says ≤, the last reply refutes the move: it is no better than one that MAX "
        "has, so the rest is cut off (×).",
    )
    duel.Tree(sheet, watch.root, lambda twig: say(twig, best), best.pv)
    duel.plies(sheet, ("MAX to move", "MIN to move"))
    return sheet


def say(twig: Twig, best: Best) -> tuple[str, str]:
    if twig.ply == 0:
        return signed(best.score), "ink"
    if not twig.children:
        return signed(duel.leaf_value(twig, 0)), "ink"
    least = min(duel.leaf_value(child, 0) for child in twig.children)
    return f"{'≤ ' if twig.cut else ''}{signed(least)}", "bad" if twig.cut else "ink"
