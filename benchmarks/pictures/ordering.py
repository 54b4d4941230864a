"""The value of move ordering: one search twice, each position a dot."""

from palio_clients.games.dominoes.evaluation import evaluate
from palio_clients.search.game_tree import AS_LISTED, Best, History, Order
from palio_clients.search.minimax import alpha_beta
from palio_rules.registry import game_from_spec
from pictures.drawing.svg import MARGIN, Sheet
from pictures.drawing.trees import spread
from pictures.watching import Twig, Watch

SPEC, DEPTH = "dominoes:rows=3,cols=4", 4
WIDE, HIGH = 900, 470
TOPS, PLY = (92, 292), 38  # of both trees, and from one ply to the next


def picture() -> Sheet:
    plain, helped = searched(AS_LISTED), searched(History())
    sheet = Sheet(
        WIDE,
        HIGH,
        f"The same score from {plain[1].nodes} positions or from {helped[1].nodes}",
        "Dominoes on 3x4 squares, 4 plies deep; both pictures have the same scale.",
    )
    leaves = [sum(not twig.children for twig in watch.root.all()) for watch, _ in (plain, helped)]
    for (watch, best), top, count, label in zip(
        (plain, helped), TOPS, leaves, ("in the game's own order", "with the history heuristic"), strict=True
    ):
        right = MARGIN + 4 + (WIDE - 2 * MARGIN - 8) * (count - 1) / (max(leaves) - 1)
        sheet.text(MARGIN, top - 10, label, anchor="start", bold=True)
        sheet.text(MARGIN, top + 7, f"{best.nodes} positions", ink="soft", anchor="start")
        draw(sheet, watch.root, right, top)
    legend(sheet, 560, TOPS[1] + 40)
    return sheet


def legend(sheet: Sheet, x: float, y: float) -> None:
    for row, (radius, ink, label) in enumerate((
        (3.2, "ink", "a position whose moves are looked at"),
        (2.2, "soft", "a leaf"),
        (3, "brick", "a cut: after it no brother is looked at any more"),
    )):  # fmt: skip
        sheet.dots([(x, y + 24 * row - 4)], radius, ink)
        sheet.text(x + 14, y + 24 * row, label, anchor="start")


def searched(order: Order) -> tuple[Watch, Best]:
    rules, options = game_from_spec(SPEC)
    watch = Watch(rules.start(options), evaluate, order=order)
    return watch, alpha_beta(watch.root.state, DEPTH, watch.evaluate, order=watch.order)


def draw(sheet: Sheet, root: Twig, right: float, top: float) -> None:
    xs = spread(root, lambda twig: twig.children, MARGIN + 4, right)
    at = {id(twig): (xs[id(twig)], top + PLY * twig.ply) for twig in root.all()}
    sheet.lines([(at[id(twig)], at[id(child)]) for twig in root.all() for child in twig.children], stroke="edge")
    refuting = {id(twig.children[-1]) for twig in root.all() if twig.cut}
    ends = [twig for twig in root.all() if not twig.children]
    sheet.dots([at[id(twig)] for twig in root.all() if twig.children and id(twig) not in refuting], 3.2, "ink")
    sheet.dots([at[id(twig)] for twig in ends if id(twig) not in refuting], 2.2, "soft")
    sheet.dots([at[id(twig)] for twig in root.all() if id(twig) in refuting], 3, "brick")
