"""COMP30024, `travel.py`: expansion of the tree by A* or by recursive best-first search, both to a shortest solution.

A board whose blocks are symmetric is searched as one half: of two positions that mirror each other, only one is
expanded.
"""

import sys
from collections.abc import Iterable, Iterator
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from palio_clients import search
from palio_rules.boards.chexers import EMPTY, LETTERS, Action

if TYPE_CHECKING:
    from palio_clients.handouts.chexers.heuristic import Heuristic
    from palio_clients.handouts.chexers.node import Node
    from palio_clients.handouts.chexers.utils import mirrored, mirrored_action
else:  # as in the course: the files beside this one
    from heuristic import Heuristic
    from node import Node
    from utils import mirrored, mirrored_action

REMEMBERED = 4096  # positions whose learnt values RBFS keeps


class Travel(NamedTuple):
    """The result of a search, and its cost."""

    actions: tuple[Action, ...] | None  # a shortest solution; None: there is none
    explored: int  # expansions, counting repeated ones
    frontier: int  # nodes in the frontier at the end


NOWHERE = Travel(None, explored=0, frontier=1)


def a_star(node: Node) -> Travel:
    """Return a shortest solution from `node`. The estimate is consistent: no node is expanded twice."""
    tree = _Tree(node)
    if not tree.leads_out:
        return NOWHERE
    found = {tree.root}

    def successors(here: Node) -> Iterator[tuple[Action, Node]]:
        for action, after in tree.successors(here):
            found.add(after)
            yield action, after

    plan = search.a_star(tree.root, successors, tree.remaining, max_expanded=sys.maxsize)
    return Travel(tree.unfolded(plan.moves), plan.expanded, len(found) - plan.expanded)


def rbfs(node: Node, remembered: int = REMEMBERED) -> Travel:
    """Return a shortest solution from `node`, with little memory: the path, its branches, and `remembered` positions.

    With `remembered` 0 the search is Korf's own, which forgets all nodes that are not on its path.
    """
    tree = _Tree(node)
    if not tree.leads_out:
        return NOWHERE
    known = _Known(tree, remembered)
    plan = search.rbfs(tree.root, known.successors, known.remaining, max_expanded=sys.maxsize)
    return Travel(tree.unfolded(plan.moves), plan.expanded, tree.branches(plan.moves))


class _Tree:
    """The nodes that can be reached from one; if the blocks are symmetric, each also represents its mirror image."""

    def __init__(self, node: Node) -> None:
        self.remaining = Heuristic(node)
        self._node = node
        blocks = node.cells.replace(LETTERS[node.colour], EMPTY)
        self._even = mirrored(blocks, node.colour) == blocks
        self.root = self._one_of(node)
        self.leads_out = self.remaining(node) < inf

    def successors(self, node: Node) -> Iterator[tuple[Action, Node]]:
        """Yield each action and the node after it."""
        return ((action, self._one_of(after)) for action, after in node.expand())

    def unfolded(self, moves: Iterable[Action]) -> tuple[Action, ...]:
        """Return a path from the root as the path from the node that the root represents."""
        here, actions = self._node, []
        for move in moves:
            action = move if here == self._one_of(here) else mirrored_action(move, here.colour)
            actions.append(action)
            here = here.after(action)
        return tuple(actions)

    def branches(self, moves: Iterable[Action]) -> int:
        """Return how many nodes branch off a path from the root."""
        here, path, beside = self.root, {self.root}, 0
        for move in moves:
            ways = dict(self.successors(here))
            here = ways[move]
            path.add(here)
            beside += len(set(ways.values()) - path)
        return beside

    def _one_of(self, node: Node) -> Node:
        return min(node, Node(mirrored(node.cells, node.colour), node.colour)) if self._even else node


class _Known:
    """An estimate that learns: a node's value is 1 more than the least value after it.

    Korf, "Real-time heuristic search", Artificial Intelligence 42 (1990). It stays admissible.
    """

    def __init__(self, tree: _Tree, most: int) -> None:
        self._tree, self._most = tree, most
        self._learned: dict[Node, float] = {}

    def remaining(self, node: Node) -> float:
        return self._learned[node] if node in self._learned else self._tree.remaining(node)

    def successors(self, node: Node) -> list[tuple[Action, Node]]:
        ways = list(self._tree.successors(node))
        least = 1 + min([self.remaining(after) for _, after in ways], default=inf)
        if self._most and least > self.remaining(node):
            self._learned.pop(node, None)
            self._learned[node] = least
            if len(self._learned) > self._most:
                del self._learned[next(iter(self._learned))]  # the oldest entry
        return ways
