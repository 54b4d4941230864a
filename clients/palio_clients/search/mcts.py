"""Monte Carlo tree search: play many games to the end, and more of those that go well.

UCT: Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", ECML (2006); one node a playout and the most visited
move as in Coulom, "Efficient selectivity and backup operators in Monte-Carlo tree search", CG (2006).
"""

from collections.abc import Callable, Sequence
from math import log, sqrt
from random import Random
from typing import Any

from palio_clients.search.game_tree import Best, Stop, never

Playout = Callable[[Any, Random], Sequence[float]]  # a position -> a score for each seat, from 0 to 1
EXPLORATION = sqrt(2)  # UCB1's constant for rewards from 0 to 1


class Node:
    """A position in the tree; `reward` is the sum for `mover`, the seat that moved here."""

    __slots__ = ("children", "move", "mover", "reward", "state", "untried", "visits")

    def __init__(self, state: Any, move: Any, mover: int, random: Random) -> None:
        self.state, self.move, self.mover = state, move, mover
        self.children: list[Node] = []
        self.untried = list(state.legal_moves())
        random.shuffle(self.untried)
        self.visits, self.reward = 0, 0.0

    def promising(self, exploration: float) -> "Node":
        """The child with the highest upper confidence bound, for the seat that chooses; the first of equals."""
        wide = exploration * sqrt(log(self.visits))
        return max(self.children, key=lambda child: child.reward / child.visits + wide / sqrt(child.visits))


def mcts(
    state: Any, playout: Playout, *, random: Random, nodes: int, exploration: float = EXPLORATION, stop: Stop = never
) -> Best:
    """Grow the tree by `nodes` positions, each judged by one playout, for any number of seats.

    `playout(state, random)` gives a score from 0 to 1 for each seat; see `Playout`. A higher `exploration` tries
    moves more evenly. `state` must not be over. The search ends early when `stop`, asked before each playout but the
    first, returns True. The same `random` and `nodes` find the same. Each position in the tree carries its own history,
    so draws by repetition are seen.

    Returns a Best: the most visited move, its mean score from 0 to 1, the depth of the tree, its nodes, and the most
    visited line.
    """
    root = Node(state, None, state.to_move, random)
    deepest = grown = 0
    while grown < nodes and not (grown and stop()):
        node, path = root, [root]
        while not node.untried and node.children:
            node = node.promising(exploration)
            path.append(node)
        if node.untried:
            move = node.untried.pop()
            node.children.append(Node(node.state.play(move), move, node.state.to_move, random))
            path.append(node.children[-1])
        rewards = playout(path[-1].state, random)
        for node in path:
            node.visits += 1
            node.reward += rewards[node.mover]
        deepest, grown = max(deepest, len(path) - 1), grown + 1
    line, node = [], root
    while node.children:
        node = max(node.children, key=lambda child: child.visits)
        line.append(node)
    return Best(line[0].move, line[0].reward / line[0].visits, deepest, grown, tuple(node.move for node in line))
