"""The same small duel, but every number for the side to move there."""

from palio_clients.search.minimax import negamax
from pictures import duel
from pictures.drawing.dominoes import signed
from pictures.drawing.svg import Sheet
from pictures.watching import Twig


def picture() -> Sheet:
    watch = duel.watch()
    best = negamax(watch.root.state, duel.DEPTH, watch.evaluate, order=watch.order)
    sheet = Sheet(
        duel.WIDE,
        duel.HIGH,
        f"Negamax: the same {best.nodes} positions, every number for the side to move",
        "Whoever is to move takes the largest negative of what is below: blue numbers are Vertical's, red ones "
        "Horizontal's.",
    )
    duel.Tree(sheet, watch.root, say, best.pv)
    duel.plies(sheet, ("largest −v", "largest −v", "v"))
    return sheet


def say(twig: Twig) -> tuple[str, str]:
    seat = twig.state.turn
    if twig.children:
        found = negamax(twig.state, duel.DEPTH - twig.ply, duel.evaluate).score
    else:
        found = duel.leaf_value(twig, seat)
    return signed(found), "lapis" if seat == 0 else "brick"
