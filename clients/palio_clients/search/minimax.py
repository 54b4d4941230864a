"""Minimax: MAX takes the best score for itself, MIN the worst for MAX.

Shannon, "Programming a computer for playing chess", Philosophical Magazine 41 (1950); Russell and Norvig, "Artificial
Intelligence: A Modern Approach", "Optimal Decisions in Games": MINIMAX-SEARCH.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf
from operator import gt, lt
from typing import Any, Generic, NamedTuple, TypeVar

from palio_clients.search.game_tree import (
    AS_LISTED,
    Best,
    Evaluate,
    NoisyMoves,
    Order,
    Stop,
    Stopped,
    Table,
    check_depth,
    leaf,
    never,
    worth,
)


def minimax(state: Any, depth: int, evaluate: Evaluate, *, order: Order = AS_LISTED, stop: Stop = never) -> Best:
    """Search all of the tree, `depth` plies deep, for the move with the best worst case.

    MAX is the seat to move at the root, all others are MIN. `evaluate(state, seat)` scores a leaf. `state` must not be
    over, and `depth` be at least 1. Nodes, leaves, ties: see `game_tree`.

    Returns a Best, its score from the view of MAX. Raises Stopped when `stop`, called at each node, returns True.
    """
    check_depth(depth)
    seat = state.to_move

    def visit(state: Any, depth: int, ply: int) -> Best:
        if stop():
            raise Stopped
        if (outcome := state.outcome()) is not None:
            return leaf(worth(outcome, seat, ply))
        if depth == 0:
            return leaf(evaluate(state, seat))
        better = gt if state.to_move == seat else lt
        best, nodes = None, 1
        for move in order(state):
            reply = visit(state.play(move), depth - 1, ply + 1)
            nodes += reply.nodes
            if best is None or better(reply.score, best.score):
                best = Best(move, reply.score, depth, nodes, (move, *reply.pv))
        assert best is not None, "a game that is not over has a move"
        return best._replace(nodes=nodes)

    return visit(state, depth, 0)


# Negamax: minimax with one half of the code, because one side's loss is the other's gain.
#
# Knuth and Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6 (1975), procedure F0.


def negamax(state: Any, depth: int, evaluate: Evaluate, *, order: Order = AS_LISTED, stop: Stop = never) -> Best:
    """Search a duel for the result of `minimax`: the same move, score and nodes.

    Each score is from the view of the seat to move, the negative of the other's. So turns must alternate and `evaluate`
    be zero-sum. `state` must not be over, and `depth` be at least 1.

    Returns a Best. Raises ValueError for another depth, and Stopped when `stop`, called at each node, returns True.
    """
    check_depth(depth)

    def visit(state: Any, seat: int, depth: int, ply: int) -> Best:
        if stop():
            raise Stopped
        if (outcome := state.outcome()) is not None:
            return leaf(worth(outcome, seat, ply))
        if depth == 0:
            return leaf(evaluate(state, seat))
        best, nodes = Best(None, -inf, depth, 1, ()), 1
        for move in order(state):
            reply = visit(state.play(move), 1 - seat, depth - 1, ply + 1)
            nodes += reply.nodes
            if -reply.score > best.score:
                best = Best(move, -reply.score, depth, nodes, (move, *reply.pv))
        return best._replace(nodes=nodes)

    return visit(state, state.to_move, depth, 0)


# Alpha-beta in negamax form: once a move is refuted, its exact score does not matter.
#
# Knuth and Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6 (1975), procedure F2; fail-soft as in
# Fishburn, "Another optimization of alpha-beta search", SIGART Newsletter 84 (1983).


def alpha_beta(
    state: Any,
    depth: int,
    evaluate: Evaluate,
    *,
    order: Order = AS_LISTED,
    table: Table | None = None,
    noisy: NoisyMoves | None = None,
    stop: Stop = never,
    alpha: float = -inf,
    beta: float = inf,
) -> Best:
    """Search a duel `depth` plies deep for the move with the best worst case, for the seat to move.

    The score is exact inside (alpha, beta), an upper bound on the true one at or below alpha, a lower bound at or above
    beta. With the full window, as by default, it is minimax's for every `order` and `table`, and with neither of them
    the move is, too. A node is cut off where its score reaches beta.

    Turns must alternate and `evaluate` be zero-sum. `state` must not be over, and `depth` be at least 1. A `table` may
    serve many searches of one game with the same `evaluate` and `noisy`. With `noisy` the score of a leaf is that of
    `quiescence`, for every `order` and `table`. Nodes, leaves, ties: see `game_tree`.

    Returns a Best. Raises ValueError for another depth, and Stopped when `stop`, called at each node, returns True.
    """
    check_depth(depth)
    calm = None if noisy is None else Quiescence(evaluate, noisy, stop)

    def visit(state: Any, seat: int, depth: int, ply: int, alpha: float, beta: float) -> Best:
        if stop():
            raise Stopped
        if (outcome := state.outcome()) is not None:
            return leaf(worth(outcome, seat, ply))
        if depth == 0:
            return leaf(evaluate(state, seat)) if calm is None else calm.value(state, seat, ply, alpha, beta)
        if table is not None and (known := table.answer(state, depth, ply, alpha, beta)) is not None:
            return known
        best, nodes = Best(None, -inf, depth, 1, ()), 1
        for move in order(state, table.hint(state) if table is not None else None):
            reply = visit(state.play(move), 1 - seat, depth - 1, ply + 1, -beta, -max(alpha, best.score))
            nodes += reply.nodes
            if -reply.score > best.score:
                best = Best(move, -reply.score, depth, nodes, (move, *reply.pv))
            if best.score >= beta:
                order.cut(state, move, depth)
                break
        best = best._replace(nodes=nodes)
        if table is not None:
            table.keep(state, ply, alpha, beta, best)
        return best

    return visit(state, state.to_move, depth, 0, alpha, beta)


# Quiescence: at a leaf the moves that change the value at once are played out, before the position is evaluated.
#
# Shannon, "Programming a computer for playing chess" (1950), section 4; in this form, with a bound for doing nothing:
# Beal, "A generalised quiescence search algorithm", Artificial Intelligence 43 (1990).


@dataclass(frozen=True, slots=True)
class Quiescence:
    """A search below the leaves, of the moves that `noisy` lists; it ends where there are none."""

    evaluate: Evaluate
    noisy: NoisyMoves
    stop: Stop = never

    def value(self, state: Any, seat: int, ply: int, alpha: float, beta: float) -> Best:
        """Search a leaf that is not over, whose node is counted, `ply` plies from the root; fail-soft.

        The side to move scores at least the evaluation, because it may play another move, unless its moves are forced.
        """
        return self._value(state, seat, ply, 0, alpha, beta)

    def _value(self, state: Any, seat: int, ply: int, beyond: int, alpha: float, beta: float) -> Best:
        noisy, nodes = self.noisy(state, beyond), 1
        best = leaf(-inf if noisy.forced else self.evaluate(state, seat))
        if best.score >= beta:
            return best
        for move in noisy.moves:
            after, floor = state.play(move), max(alpha, best.score)
            if self.stop():
                raise Stopped
            if (outcome := after.outcome()) is not None:
                reply = leaf(worth(outcome, 1 - seat, ply + 1))
            else:
                reply = self._value(after, 1 - seat, ply + 1, beyond + 1, -beta, -floor)
            nodes += reply.nodes
            if -reply.score > best.score:
                best = Best(move, -reply.score, 0, nodes, (move, *reply.pv))
            if best.score >= beta:
                break
        return best._replace(nodes=nodes)


# Alpha-beta in minimax form: as `alpha_beta`, with MAX and MIN in turn.
#
# Russell and Norvig, "Artificial Intelligence: A Modern Approach", "Optimal Decisions in Games": ALPHA-BETA-SEARCH.


def alpha_beta_minimax(
    state: Any,
    depth: int,
    evaluate: Evaluate,
    *,
    order: Order = AS_LISTED,
    stop: Stop = never,
    alpha: float = -inf,
    beta: float = inf,
) -> Best:
    """Search `depth` plies deep for the move with the best worst case: the same nodes as `alpha_beta` in a duel.

    MAX is the seat to move at the root, all others are MIN; all scores, alpha and beta are from the view of MAX. So
    turns need not alternate, there may be more than two seats, and `evaluate` is called for one seat only. A node of
    MAX is cut off where its score reaches beta, one of MIN where it reaches alpha.

    Returns a Best. Raises ValueError for another depth, and Stopped when `stop`, called at each node, returns True.
    """
    check_depth(depth)
    return _AlphaBeta(state.to_move, evaluate, order, stop).value(state, depth, 0, alpha, beta)


@dataclass(frozen=True, slots=True)
class _AlphaBeta:
    seat: int
    evaluate: Evaluate
    order: Order
    stop: Stop

    def value(self, state: Any, depth: int, ply: int, alpha: float, beta: float) -> Best:
        if self.stop():
            raise Stopped
        if (outcome := state.outcome()) is not None:
            return leaf(worth(outcome, self.seat, ply))
        if depth == 0:
            return leaf(self.evaluate(state, self.seat))
        side = self.max_value if state.to_move == self.seat else self.min_value
        return side(state, depth, ply, alpha, beta)

    def max_value(self, state: Any, depth: int, ply: int, alpha: float, beta: float) -> Best:
        best, nodes = Best(None, -inf, depth, 1, ()), 1
        for move in self.order(state):
            reply = self.value(state.play(move), depth - 1, ply + 1, max(alpha, best.score), beta)
            nodes += reply.nodes
            if reply.score > best.score:
                best = Best(move, reply.score, depth, nodes, (move, *reply.pv))
            if best.score >= beta:
                self.order.cut(state, move, depth)
                break
        return best._replace(nodes=nodes)

    def min_value(self, state: Any, depth: int, ply: int, alpha: float, beta: float) -> Best:
        best, nodes = Best(None, inf, depth, 1, ()), 1
        for move in self.order(state):
            reply = self.value(state.play(move), depth - 1, ply + 1, alpha, min(beta, best.score))
            nodes += reply.nodes
            if reply.score < best.score:
                best = Best(move, reply.score, depth, nodes, (move, *reply.pv))
            if best.score <= alpha:
                self.order.cut(state, move, depth)
                break
        return best._replace(nodes=nodes)


# Alpha-beta in the textbook's form, with max and min taking turns, and a count of the visited leaves.
#
# Russell and Norvig, "Artificial Intelligence: A Modern Approach", "Optimal Decisions in Games": ALPHA-BETA-SEARCH.
#
# `alpha_beta_minimax` is the same algorithm; this one needs only `successors`, and counts leaves, not nodes.

S = TypeVar("S")


class Found(NamedTuple):
    """The result of `CountedAlphaBeta.search`: a move, its value, and the number of leaves."""

    move: Any | None  # None at a leaf
    value: float  # from the view of the player at the root
    leaves: int


class CountedAlphaBeta(Generic[S]):
    """A search with its rules: `successors(state, is_root_player)` and `value(state)` for the player at the root.

    A leaf is a state at the limit, or one where the side to move has no successors. Successors are tried in order,
    the first of equals wins, and a branch is cut where its value reaches a bound.
    """

    def __init__(self, successors: Callable[[S, bool], Iterable[tuple[Any, S]]], value: Callable[[S], float]) -> None:
        self._successors, self._value = successors, value

    def search(self, state: S, limit: int) -> Found:
        """Return the best move within `limit` plies, its value, and the number of visited leaves."""
        return self._max(state, limit, -inf, inf)

    def _max(self, state: S, limit: int, alpha: float, beta: float) -> Found:
        best, leaves = Found(None, -inf, 0), 0
        for move, after in self._successors(state, True) if limit > 0 else ():
            reply = self._min(after, limit - 1, alpha, beta)
            leaves += reply.leaves
            if reply.value > best.value:
                best = Found(move, reply.value, leaves)
                alpha = max(alpha, best.value)
            if best.value >= beta:
                break
        return best._replace(leaves=leaves) if leaves else Found(None, self._value(state), 1)

    def _min(self, state: S, limit: int, alpha: float, beta: float) -> Found:
        best, leaves = Found(None, inf, 0), 0
        for move, after in self._successors(state, False) if limit > 0 else ():
            reply = self._max(after, limit - 1, alpha, beta)
            leaves += reply.leaves
            if reply.value < best.value:
                best = Found(move, reply.value, leaves)
                beta = min(beta, best.value)
            if best.value <= alpha:
                break
        return best._replace(leaves=leaves) if leaves else Found(None, self._value(state), 1)


# Max^n: in a game with several seats, each seat plays what is best for itself.
#
# Luckhardt and Irani, "An algorithmic solution of n-person games", AAAI (1986).


class ScoredLine(NamedTuple):
    scores: tuple[float, ...]  # one a seat
    nodes: int
    pv: tuple[Any, ...]


def max_n(
    state: Any, depth: int, evaluate: Evaluate, *, seats: int, order: Order = AS_LISTED, stop: Stop = never
) -> Best:
    """Search all of the tree, `depth` plies deep, for an equilibrium: no seat does better by another move of its own.

    A leaf has a score for each seat, and the seat to move takes the branch with the highest one of its own. Of branches
    that are equal for the mover, which may be very different for the others, the first counts. With two seats and a
    zero-sum `evaluate` this is `minimax`, move, score and nodes. `state` must not be over, and `depth` be at least 1.

    Returns a Best, its score that of the seat to move. Raises Stopped when `stop`, called at each node, returns True.
    """
    check_depth(depth)

    def visit(state: Any, depth: int, ply: int) -> ScoredLine:
        if stop():
            raise Stopped
        if (outcome := state.outcome()) is not None:
            return ScoredLine(tuple(worth(outcome, seat, ply) for seat in range(seats)), 1, ())
        if depth == 0:
            return ScoredLine(tuple(evaluate(state, seat) for seat in range(seats)), 1, ())
        best, nodes, mover = None, 1, state.to_move
        for move in order(state):
            reply = visit(state.play(move), depth - 1, ply + 1)
            nodes += reply.nodes
            if best is None or reply.scores[mover] > best.scores[mover]:
                best = ScoredLine(reply.scores, nodes, (move, *reply.pv))
        assert best is not None, "a game that is not over has a move"
        return best._replace(nodes=nodes)

    found = visit(state, depth, 0)
    return Best(found.pv[0], found.scores[state.to_move], depth, found.nodes, found.pv)


# Paranoid: in a game with several seats, assume that all the others play against you.
#
# Sturtevant and Korf, "On pruning techniques for multi-player games", AAAI (2000).
#
# Then it is a duel in which the opponent moves more than once in a row; and alpha-beta cuts where max^n, which must
# know the aim of each seat, can hardly cut: in the best case b^(d (n - 1) / n) of the b^d leaves are left for n seats.
# The result is a guarantee against any play of the others.


def paranoid(state: Any, depth: int, evaluate: Evaluate, *, order: Order = AS_LISTED, stop: Stop = never) -> Best:
    """Find the move with the best worst case for the seat to move, for any number of other seats.

    It is alpha-beta in minimax form, where MIN is every seat but the one at the root. With two seats this is `minimax`.
    `state` must not be over, and `depth` be at least 1.

    Returns a Best, its score from the view of the seat to move. Raises Stopped when `stop`, called at each node,
    returns True.
    """
    return alpha_beta_minimax(state, depth, evaluate, order=order, stop=stop)
