"""Proof-number search: win or no win, with the easiest proof tried first.

Allis, "Searching for Solutions in Games and Artificial Intelligence", thesis, University of Limburg (1994); Allis, van
der Meulen and van den Herik, "Proof-number search", Artificial Intelligence 66 (1994).
"""

from math import inf
from typing import Any, NamedTuple

from palio_clients.search.game_tree import Stop, never


class Verdict(NamedTuple):
    """The proven result of a position, and the cost of the proof."""

    wins: bool | None  # None: not known within the limits
    move: Any | None  # one that wins; None unless `wins`
    nodes: int  # positions in the tree, the root included
    line: tuple[Any, ...] = ()  # moves that show it: the winning side takes the shortest line, the other the longest


class Node:
    """A position in an AND/OR tree; to prove or disprove it at least `proof` or `disproof` leaves must be decided."""

    __slots__ = ("children", "disproof", "move", "parent", "proof", "state", "wanted")

    def __init__(self, state: Any, move: Any, parent: "Node | None", seat: int) -> None:
        self.state, self.move, self.parent = state, move, parent
        self.wanted = state.to_move == seat  # an OR node: one move that wins is enough
        self.children: list[Node] = []
        outcome = state.outcome()
        self.proof, self.disproof = (1.0, 1.0) if outcome is None else (inf, 0.0)
        if outcome is not None and outcome.scores[seat] == 1:
            self.proof, self.disproof = 0.0, inf

    def count(self) -> None:
        """Compute the numbers from those of the children."""
        proofs, disproofs = zip(*((child.proof, child.disproof) for child in self.children), strict=True)
        self.proof, self.disproof = (min(proofs), sum(disproofs)) if self.wanted else (sum(proofs), min(disproofs))


def proof_number(state: Any, seat: int | None = None, *, max_nodes: float = inf, stop: Stop = never) -> Verdict:
    """Prove whether `seat`, by default the one to move, can force a win against any play; a draw is not a win.

    In each round the most-proving node, the first of equals from the root down, gets all its children, in the game's
    order. Ends when the root is decided, when the tree has `max_nodes`, or when `stop`, called each round, returns
    True. It is a tree, not a graph: each position in it has its own history, so draws by repetition are detected.

    Returns a Verdict.
    """
    seat = state.to_move if seat is None else seat
    root = Node(state, None, None, seat)
    nodes = 1
    while root.proof and root.disproof and nodes < max_nodes and not stop():
        node = root
        while node.children:  # down to the most-proving node
            number = "proof" if node.wanted else "disproof"
            node = min(node.children, key=lambda child: float(getattr(child, number)))
        node.children = [Node(node.state.play(move), move, node, seat) for move in node.state.legal_moves()]
        nodes += len(node.children)
        above: Node | None = node
        while above is not None:
            above.count()
            above = above.parent
    if root.proof and root.disproof:
        return Verdict(None, None, nodes)
    line = settled_line(root, won=root.proof == 0)
    return Verdict(root.proof == 0, line[0] if line and root.wanted and root.proof == 0 else None, nodes, line)


def settled_line(node: Node, *, won: bool) -> tuple[Any, ...]:
    """Return the moves from a decided node to an end of the game that shows the result.

    The winning side takes the shortest line, the other the longest defence, of those in the tree. It is not the whole
    game tree: there may be shorter lines, and longer defences.
    """
    settled = [child for child in node.children if (child.proof if won else child.disproof) == 0]
    if not settled:
        return ()
    lines = [(child.move, *settled_line(child, won=won)) for child in settled]
    return (min if node.wanted is won else max)(lines, key=len)
