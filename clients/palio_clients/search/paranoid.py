"""Paranoid: in a game for several, suppose that all the others play against you.

Sturtevant and Korf, "On pruning techniques for multi-player games", AAAI (2000).

Then it is a duel, though your opponent moves twice; and alpha-beta cuts where max^n, which must know what each
seat wants, can hardly cut at all: in the best case b^(d (n - 1) / n) of the b^d leaves are left for n seats. The result
is what you can be sure of, whatever the others do.
"""

from typing import Any

from palio_clients.search.alpha_beta_minimax import alpha_beta_minimax
from palio_clients.search.game_tree import Best, Evaluate, Stop, never
from palio_clients.search.ordering import AS_LISTED, Order


def paranoid(state: Any, depth: int, evaluate: Evaluate, *, order: Order = AS_LISTED, stop: Stop = never) -> Best:
    """Find the move with the best worst case for the seat to move, however many seats the others are.

    It is alpha-beta in minimax form, where MIN is every seat but the one at the root. With two seats this is
    `minimax`. `state` must not be over, and `depth` be at least 1.

    Returns a Best, its score from the view of the seat to move. Raises Stopped when `stop`, asked at each node, returns
    True.
    """
    return alpha_beta_minimax(state, depth, evaluate, order=order, stop=stop)
