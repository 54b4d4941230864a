"""The game tree, and what all searches of it have in common.

A **node** is one visit to a position: of the root, of a position further down, of a leaf, and also of a position that a
table answers for. `nodes` in every result counts visits, so that two searches can be compared to the last one.

A **leaf** is a position where the game is over, or where no depth is left. In the first case its score is
`worth(outcome, seat, ply)`, where `ply` is its distance from the root; in the second it is `evaluate(state, seat)`.

**Moves** are tried in the order of an `Order` (see `ordering`), the game's own unless said otherwise. Of moves with
equal scores the **first** is best. A search that **cuts** does so where a score reaches its bound: v >= beta or, for
MIN, v <= alpha.

`stop` is asked once at every node, before anything else is done with it. Once it says so, the search raises `Stopped`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from palio_rules.game import Outcome

WIN = 1_000_000.0  # at least twice any evaluation; a win after n plies is worth WIN - n: the quicker one is preferred

Evaluate = Callable[[Any, int], float]  # (state, seat) -> how good the state is for the seat; in a duel, zero-sum
Stop = Callable[[], bool]


class Best(NamedTuple):
    """What a search of a game tree returns: the best move of a position, its score, and what it took."""

    move: Any | None  # None at a leaf
    score: float  # for the seat whose view the search takes: at the root, the seat to move
    depth: int  # plies that were searched
    nodes: int
    pv: tuple[Any, ...]  # the principal variation, `move` first; empty at a leaf


class Stopped(Exception):
    """`stop` has returned True in the middle of a search, which therefore has no result."""


def never() -> bool:
    return False


def leaf(score: float) -> Best:
    return Best(None, score, 0, 1, ())


def worth(outcome: Outcome, seat: int, ply: int) -> float:
    """What the end of a game, `ply` plies from the root, is worth to `seat`.

    Returns a score; those of all seats sum to 0. In a duel it is WIN - ply, 0 or ply - WIN. With more seats the winner
    has WIN - ply and the others an equal share of the loss; a draw among all is 0. In general: the seat's score less
    the mean of the others'.
    """
    scores = outcome.scores
    return (len(scores) * scores[seat] - sum(scores)) / (len(scores) - 1) * (WIN - ply)
