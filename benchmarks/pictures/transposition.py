"""A graph instead of a tree: positions with two paths to them, and the table's answers there."""

from collections import defaultdict
from statistics import mean

from palio_clients.games.dominoes.evaluation import evaluate
from palio_clients.search.game_tree import Table
from palio_clients.search.minimax import alpha_beta
from palio_rules.registry import game_from_spec
from pictures.drawing.dominoes import board
from pictures.drawing.svg import Sheet
from pictures.watching import Twig, Watch

SPEC, DEPTH = "dominoes:board=...../##.../...##", 5
WIDE, HIGH = 900, 520
TOP, PLY, CELL = 76, 78, 7


def picture() -> Sheet:
    rules, options = game_from_spec(SPEC)
    start = rules.start(options)
    watch = Watch(start, evaluate, table=Table())
    best = alpha_beta(start, DEPTH, watch.evaluate, order=watch.order, table=watch.table)
    plain = alpha_beta(start, DEPTH, evaluate)
    known = sum(twig.known for twig in watch.root.all())
    sheet = Sheet(
        WIDE,
        HIGH,
        f"{known} times the table knows the answer: {best.nodes} visits instead of {plain.nodes}",
        "Equal positions are drawn once. A thick line leads to one that was searched before, on another way: "
        "its score is in the table.",
    )
    first: dict[tuple[int, object], Twig] = {}
    for twig in watch.root.all():
        first.setdefault((twig.ply, twig.state), twig)
    at: dict[tuple[int, object], tuple[float, float]] = {}
    above: defaultdict[tuple[int, object], list[float]] = defaultdict(list)  # the parents' places, by position
    for ply in range(DEPTH + 1):
        row = sorted((key for key in first if key[0] == ply), key=lambda key: mean(above[key]) if ply else 0.0)
        for place, key in enumerate(row):
            at[key] = ((place + 0.5) * WIDE / len(row), TOP + PLY * ply)
        for twig in watch.root.all():
            if twig.ply == ply:
                for child in twig.children:
                    above[child.ply, child.state].append(at[ply, twig.state][0])
    high = start.board.rows * CELL
    edges = [
        ((at[twig.ply, twig.state][0], at[twig.ply, twig.state][1] + high), at[child.ply, child.state], child.known)
        for twig in watch.root.all()
        for child in twig.children
    ]
    sheet.lines([edge[:2] for edge in edges if not edge[2]], stroke="edge")
    sheet.lines([edge[:2] for edge in edges if edge[2]], stroke="gold", width=2.6)
    for key, (x, y) in at.items():
        board(sheet, first[key].state, x, y, CELL)
    return sheet
