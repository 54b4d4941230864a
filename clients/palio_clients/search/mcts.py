"""Monte Carlo tree search: play many games to the end, and more of those that go well.

UCT: Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", ECML (2006); one node a playout and the most visited
move as in Coulom, "Efficient selectivity and backup operators in Monte-Carlo tree search", CG (2006).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from random import Random
from typing import Any

from palio_clients.search.game_tree import Best, Evaluate, Stop, never

Estimator = Callable[[Any, Random], Sequence[float]]  # a position -> a score for each seat, from 0 to 1
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
        """Return the child with the highest upper confidence bound, for the seat that chooses; the first of equals."""
        wide = exploration * sqrt(log(self.visits))
        return max(self.children, key=lambda child: child.reward / child.visits + wide / sqrt(child.visits))


def mcts(
    state: Any, playout: Estimator, *, random: Random, nodes: int, exploration: float = EXPLORATION, stop: Stop = never
) -> Best:
    """Grow the tree by `nodes` positions, each judged by one playout, for any number of seats.

    `playout(state, random)` gives a score from 0 to 1 for each seat; see `Playout`. A higher `exploration` tries moves
    more evenly. `state` must not be over. The search ends early when `stop`, called before each playout but the first,
    returns True. The same `random` and `nodes` find the same result. Each position in the tree has its own history, so
    draws by repetition are detected.

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


# A playout: random moves until the game is over or an evaluation ends it; `mcts` judges positions by it.
#
# Cut short, as here, in Lorentz, "Amazons discover Monte-Carlo", CG (2008): where random play is not informative, few
# random moves and an evaluation are better.


@dataclass(frozen=True, slots=True)
class Playout:
    """A playout of at most `plies` random plies (0: to the end); then `evaluate(state, seat)` divides the point.

    A value that is higher by `lead` makes a seat's share e times as large as the other's. A call with a state and a
    random generator returns a score from 0 to 1 for each seat; their sum is 1.
    """

    seats: int
    evaluate: Evaluate
    plies: int = 0
    lead: float = 3.0  # in the unit of the evaluation, such as pawns

    def __call__(self, state: Any, random: Random) -> tuple[float, ...]:
        played = 0
        while (outcome := state.outcome()) is None:
            if played == self.plies and self.plies:
                return self.shares(state)
            moves = list(state.legal_moves())
            state = state.play(moves[int(random.random() * len(moves))])
            played += 1
        return outcome.scores  # type: ignore[no-any-return]  # a state of any game

    def shares(self, state: Any) -> tuple[float, ...]:
        """Return each seat's share of the point in an unfinished game."""
        values = [self.evaluate(state, seat) for seat in range(self.seats)]
        highest = max(values)
        weights = [exp((value - highest) / self.lead) for value in values]
        return tuple(weight / sum(weights) for weight in weights)
