"""Draw the tree that alpha-beta searches on a small board of dominoes, and what it cuts off: docs/search-tree.svg.

`python benchmarks/search_tree.py > docs/search-tree.svg`
"""

from typing import Any

from palio_clients.knowledge.dominoes import evaluate
from palio_clients.search.alpha_beta import alpha_beta
from palio_clients.search.game_tree import WIN, worth
from palio_clients.search.ordering import Order
from palio_rules.registry import game_from_spec

SPEC, DEPTH = "dominoes:rows=3,cols=3", 2
CELL, GAP = 11, 10  # of a board, and between two boards
ROWS = (70, 200, 330)  # where the plies are
SEATS = ("#3b6ea8", "#c8743a")  # Vertical, Horizontal
CUT, INK = "#b9b9b9", "#333"


class Watching(Order):
    """The game's own order; remembers which positions were visited, and where a move has cut off its brothers."""

    def __init__(self) -> None:
        self.visited: set[Any] = set()
        self.cuts: set[Any] = set()

    def __call__(self, state: Any, hint: Any | None = None) -> Any:
        self.visited.add(state)
        for move in super().__call__(state, hint):
            self.visited.add(state.play(move))  # a search takes one move after the other, and none after a cut
            yield move

    def cut(self, state: Any, move: Any, depth: int) -> None:
        self.cuts.add(state)


class Picture:
    def __init__(self) -> None:
        rules, options = game_from_spec(SPEC)
        self.root = rules.start(options)
        self.side = self.root.board.cols * CELL
        self.order = Watching()
        self.best = alpha_beta(self.root, DEPTH, evaluate, order=self.order)
        self.leaves = self.visited = 0
        self.lines: list[str] = []
        self.boards: list[str] = []
        self.x = 30.0 + self.side / 2

    def value(self, state: Any) -> float:
        """Of a leaf, from the view of the root."""
        outcome = state.outcome()
        return evaluate(state, self.root.turn) if outcome is None else worth(outcome, self.root.turn, DEPTH)

    def draw(self, state: Any, ply: int) -> tuple[float, float | None]:
        """The tree below `state`, from left to right; where it stands, and its value if it was visited."""
        children = [self.draw(state.play(move), ply + 1) for move in state.legal_moves()] if ply < DEPTH else []
        if not children:
            here, self.x = self.x, self.x + self.side + GAP
            value = self.value(state) if state in self.order.visited else None
            self.leaves, self.visited = self.leaves + 1, self.visited + (value is not None)
        else:
            here = (children[0][0] + children[-1][0]) / 2
            seen = [value for _, value in children if value is not None]
            value = (max(seen) if state.turn == self.root.turn else min(seen)) if seen else None
        for x, below in children:
            self.edge(here, x, ply, cut=below is None)
        self.board(state, here, ply, value)
        return here, value

    def edge(self, x1: float, x2: float, ply: int, *, cut: bool) -> None:
        style = f'stroke="{CUT}" stroke-dasharray="3 4"' if cut else f'stroke="{INK}"'
        top, bottom = ROWS[ply] + self.side + 18, ROWS[ply + 1]
        self.lines.append(f'<line x1="{x1:.1f}" y1="{top}" x2="{x2:.1f}" y2="{bottom}" {style}/>')

    def board(self, state: Any, x: float, ply: int, value: float | None) -> None:
        left, top = x - self.side / 2, ROWS[ply]
        seen = "" if value is not None else ' opacity="0.3"'
        marks = [f'<rect width="{self.side}" height="{self.side}" fill="#f6f2ea" stroke="{INK}" stroke-width="0.8"/>']
        for seat, (high, wide) in enumerate(((2, 1), (1, 2))):
            marks += [
                f'<rect x="{col * CELL + 1.5}" y="{row * CELL + 1.5}" width="{wide * CELL - 3}" '
                f'height="{high * CELL - 3}" rx="2.5" fill="{SEATS[seat]}"/>'
                for row, col in state.placed(seat)
            ]
        self.boards.append(f'<g transform="translate({left:.1f} {top})"{seen}>{"".join(marks)}</g>')
        if value is not None:
            sign = "≤ " if state in self.order.cuts else ""
            weight = ' font-weight="700"' if sign == "" and value == self.best.score else ""
            told = f"{value:+.0f}".replace("+0", "0") if abs(value) < WIN / 2 else "won" if value > 0 else "lost"
            self.boards.append(f'<text x="{x:.1f}" y="{top + self.side + 13}"{weight}>{sign}{told}</text>')

    def svg(self) -> str:
        self.draw(self.root, 0)
        wide, high = round(self.x - self.side / 2 + 20), ROWS[-1] + self.side + 30
        rows, cols = self.root.board.rows, self.root.board.cols
        told = (
            f"Alpha-beta, {DEPTH} plies on a {rows}x{cols} board: it looks at {self.visited} of {self.leaves} leaves, "
            "the pale ones cannot matter any more."
        )
        legend = (
            "A number says how many places Vertical, who is MAX, has more than Horizontal; where it says ≤, one reply "
            "was enough to refute a move."
        )
        font = 'font-family="system-ui, sans-serif" font-size="11" text-anchor="middle"'
        frame = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" {font} fill="{INK}" role="img">'
        paper = f'<rect width="{wide}" height="{high}" rx="8" fill="#fffdf9"/>'
        title = f'<text x="20" y="28" text-anchor="start" font-size="14">{told}</text>'
        below = f'<text x="20" y="47" text-anchor="start">{legend}</text>'
        return "\n".join([frame, f"<title>{told}</title>", paper, title, below, *self.lines, *self.boards, "</svg>"])


if __name__ == "__main__":
    print(Picture().svg())
