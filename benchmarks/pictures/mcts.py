"""A tree that grows where games go well, and a value that converges."""

from importlib import import_module
from math import sqrt
from random import Random
from typing import Any

from palio_clients.games.dominoes.evaluation import evaluate
from palio_clients.search.game_tree import Best
from palio_clients.search.mcts import Playout
from palio_rules.games.dominoes import Dominoes
from pictures.drawing.charts import Chart, thinned
from pictures.drawing.dominoes import board
from pictures.drawing.svg import MARGIN, Sheet
from pictures.drawing.trees import spread
from pictures.growing import nodes_of

search = import_module("palio_clients.search.mcts")  # the module: the package's name is the function

POSITION, GAMES, SEED = "^<>./v..^/...v/..../..<> vertical", 500, 2
FEWEST = 4  # games of the smallest node that is drawn
WIDE, HIGH = 900, 560
TOP, PLY, CELL = 84, 62, 6


def picture() -> Sheet:
    start = Dominoes().parse_state(POSITION)
    with nodes_of(search) as nodes:
        playouts = Playouts(nodes)
        best = search.mcts(start, playouts, random=Random(SEED), nodes=GAMES)
    sheet = Sheet(
        WIDE,
        HIGH,
        f"{GAMES} games, more of those that go well",
        "Vertical to move in dominoes. The more games went along a line, the thicker it is; with fewer than "
        f"{FEWEST} it is left out.",
    )
    draw(sheet, nodes[0], best)
    settle(sheet, playouts, best)
    return sheet


class Playouts:
    """A player of playouts that records their results at the root."""

    def __init__(self, nodes: list[Any]) -> None:
        self.playout = Playout(2, evaluate)  # to the end: nothing is evaluated
        self.nodes = nodes
        self.rewards: list[float] = []  # of each game, for the side that moves first
        self.visits: list[dict[Any, int]] = []  # of each move at the root, before each game

    def __call__(self, state: Any, random: Random) -> tuple[float, ...]:
        rewards = self.playout(state, random)
        self.rewards.append(rewards[0])
        self.visits.append({child.move: child.visits for child in self.nodes[0].children})
        return rewards


def draw(sheet: Sheet, root: Any, best: Best) -> None:
    def below(node: Any) -> list[Any]:
        seen = [child for child in node.children if child.visits >= FEWEST]
        return sorted(seen, key=lambda child: (child.move.row, child.move.col))

    xs = spread(root, below, MARGIN + 16, WIDE - MARGIN - 16, between=0.6)

    def grow(node: Any, ply: int, *, on_line: bool) -> None:
        x, y = xs[id(node)], TOP + ply * PLY
        gap = (5 * CELL + 18) if ply == 1 else 5 * CELL if ply == 0 else 0
        for child in below(node):
            led = on_line and ply < len(best.pv) and child.move == best.pv[ply]
            ink, width = "gold" if led else "edge", sqrt(child.visits) / 2
            sheet.line(x, y + gap, xs[id(child)], TOP + (ply + 1) * PLY, stroke=ink, width=width)
            grow(child, ply + 1, on_line=led)
        if ply < 2:
            board(sheet, node.state, x, y, CELL)
        if ply == 1:
            sheet.text(x, y + 5 * CELL + 13, str(node.visits), size=11, bold=on_line, halo=True)

    grow(root, 0, on_line=True)


def settle(sheet: Sheet, playouts: Playouts, best: Best) -> None:
    chart = Chart(sheet, (70, 420, 640, 510), (0, GAMES), (0, 1))
    chart.frame(range(0, GAMES + 1, 100), (0, 0.5, 1), x_name="games", label=lambda value: f"{value:.0%}")
    wins = [sum(playouts.rewards[: n + 1]) / (n + 1) for n in range(GAMES)]
    share = [visits.get(best.move, 0) / max(1, sum(visits.values())) for visits in playouts.visits]
    chart.line(thinned([(n + 1, win) for n, win in enumerate(wins)], 150), ink="lapis")
    chart.line(thinned([(n + 1, part) for n, part in enumerate(share)], 150), ink="gold")
    chart.names([
        (wins[-1], "lapis", f"games won by Vertical: {wins[-1]:.0%}"),
        (share[-1], "gold", f"games with the best move: {share[-1]:.0%}"),
    ])  # fmt: skip
