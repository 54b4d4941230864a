"""An AND/OR tree with its proof and disproof numbers: during the search, and at the end."""

from importlib import import_module
from typing import Any

from palio_rules.registry import game_from_spec
from pictures.drawing.dominoes import board
from pictures.drawing.svg import MARGIN, Sheet
from pictures.drawing.trees import spread
from pictures.growing import nodes_of

search = import_module("palio_clients.search.proof_number")  # the module: the package's name is the function

SPEC = "dominoes:board=...#../.#...."
EARLY = 15  # nodes at the first snapshot
WIDE = 900
TOPS, PLY, CELL = (84, 306), 58, 6


def picture() -> Sheet:
    rules, options = game_from_spec(SPEC)
    start = rules.start(options)
    early, _ = grown(start, EARLY)
    late, verdict = grown(start, 10_000)
    sheet = Sheet(
        WIDE,
        644,
        f"Vertical wins: proven with {verdict.nodes} positions",
        "Below a board, proof · disproof: how many open ends must be won at least to prove a win, and lost to "
        "disprove it.",
    )
    for tree, top, label in zip((early, late), TOPS, (f"when there are {EARLY}", "at the end"), strict=True):
        sheet.text(MARGIN, top + 8, label, anchor="start", bold=True)
        draw(sheet, tree, top)
    for ply, label in enumerate(
        (
            "Vertical to move: one move that wins is enough;",
            "the proofs' minimum, the disproofs' sum.",
            "Horizontal to move: all replies must lose;",
            "the proofs' sum, the disproofs' minimum.",
        )
    ):
        sheet.text(MARGIN, TOPS[1] + 208 + 17 * ply + 10 * (ply > 1), label, ink="soft", anchor="start")
    return sheet


def grown(start: Any, most: int) -> tuple[Any, search.Verdict]:
    with nodes_of(search) as nodes:
        verdict = search.proof_number(start, max_nodes=most)
    return nodes[0], verdict


def draw(sheet: Sheet, root: Any, top: float) -> None:
    xs = spread(root, lambda node: node.children, MARGIN + 20, WIDE - MARGIN - 20, between=0.3)

    def below(node: Any, ply: int, *, proving: bool) -> None:
        x, y = xs[id(node)], top + ply * PLY
        chosen = pick(node) if proving else None
        for child in node.children:
            led, won = child is chosen, child.proof == 0
            ink = "gold" if led else "good" if won else "edge"
            sheet.line(x, y + 30, xs[id(child)], y + PLY - 2, stroke=ink, width=3 if led else 2 if won else 1)
            below(child, ply + 1, proving=led)
        board(sheet, node.state, x, y, CELL)
        ink = "good" if node.proof == 0 else "bad" if node.disproof == 0 else "ink"
        sheet.text(x, y + 25, f"{count(node.proof)} · {count(node.disproof)}", ink=ink, size=11, bold=proving)

    below(root, 0, proving=root.proof > 0 and root.disproof > 0)


def pick(node: Any) -> Any:
    """Return the node to which the search goes next."""
    number = "proof" if node.wanted else "disproof"
    return min(node.children, key=lambda child: getattr(child, number), default=None)


def count(number: float) -> str:
    return "∞" if number == float("inf") else f"{number:.0f}"
