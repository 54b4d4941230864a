"""Three seats, a score for each at every leaf, and each seat plays what is best for itself."""

from palio_clients.search.minimax import max_n
from pictures import three
from pictures.drawing.hexes import SEATS
from pictures.drawing.svg import Sheet
from pictures.watching import Twig

SEATED = len(SEATS)


def picture() -> Sheet:
    watch = three.watch()
    best = max_n(watch.root.state, three.DEPTH, watch.evaluate, seats=SEATED, order=watch.order)
    sheet = Sheet(
        three.WIDE,
        three.HIGH,
        f"Max^n: {best.nodes} positions, three scores at each",
        "Whoever is to move, shown by the colour of the dot, takes the branch with its own highest score (thick).",
    )
    three.draw(sheet, watch.root, words, chosen)
    return sheet


def chosen(twig: Twig) -> object:
    if not twig.children:
        return None
    return max_n(twig.state, three.DEPTH - twig.ply, three.evaluate, seats=SEATED).move


def words(twig: Twig) -> list[tuple[str, str]]:
    """Return the scores of all seats at the end of the line that is expected from here."""
    state = twig.state
    if twig.children:
        for move in max_n(state, three.DEPTH - twig.ply, three.evaluate, seats=SEATED).pv:
            state = state.play(move)
    return [(three.rounded(three.evaluate(state, seat)), ink) for seat, ink in enumerate(SEATS)]
