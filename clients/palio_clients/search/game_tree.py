"""The game tree, and the common terms of all its searches.

A **node** is one visit to a position: of the root, of a position further down, of a leaf, and also of a position that a
table answers for. `nodes` in every result counts visits, so that two searches can be compared exactly.

A **leaf** is a position where the game is over, or where no depth is left. In the first case its score is
`worth(outcome, seat, ply)`, where `ply` is its distance from the root; in the second it is `evaluate(state, seat)`, or
what `quiescence` makes of it.

**Moves** are tried in the order of an `Order` (see `ordering`), by default the game's own. Of moves with equal scores
the **first** is best. A search that **cuts** does so where a score reaches its bound: v >= beta or, for MIN, v <=
alpha.

`stop` is called once at every node, before its search. When it returns True, the search raises `Stopped`.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import count
from math import inf
from random import Random
from typing import Any, Generic, NamedTuple, TypeVar

from palio_rules.game import Outcome

WIN = 1_000_000.0  # at least twice any evaluation; a win after n plies is worth WIN - n: the quicker one is preferred

Evaluate = Callable[[Any, int], float]  # (state, seat) -> the value of the state for the seat; in a duel, zero-sum
Stop = Callable[[], bool]
M = TypeVar("M")


class Noisy(NamedTuple, Generic[M]):
    """The moves of a position whose results an evaluation cannot foresee, such as captures, the most promising first.

    If `forced`, they are all legal moves, and one of them must be played; else the side to move may leave them all.
    """

    moves: Iterable[M]  # often not needed, so they may be found when they are asked for
    forced: bool


NoisyMoves = Callable[[Any, int], Noisy[Any]]  # (state, how many plies below the depth of the search) -> its moves


class Best(NamedTuple):
    """The result of a search of a game tree: the best move of a position, its score, and its cost."""

    move: Any | None  # None at a leaf
    score: float  # for the seat from whose view the search evaluates: at the root, the seat to move
    depth: int  # plies that were searched
    nodes: int
    pv: tuple[Any, ...]  # the principal variation, `move` first; empty at a leaf


class Stopped(Exception):
    """The error that `stop` has returned True in the middle of a search, which therefore has no result."""


def never() -> bool:
    return False


def leaf(score: float) -> Best:
    return Best(None, score, 0, 1, ())


def worth(outcome: Outcome, seat: int, ply: int) -> float:
    """Score the end of a game, `ply` plies from the root, for `seat`.

    Returns a score; those of all seats sum to 0. In a duel it is WIN - ply, 0 or ply - WIN. With more seats the winner
    has WIN - ply and the others an equal share of the loss; a draw among all is 0. In general: the seat's score less
    the mean of the others'.
    """
    scores = outcome.scores
    return (len(scores) * scores[seat] - sum(scores)) / (len(scores) - 1) * (WIN - ply)


def check_depth(depth: int) -> None:
    """Raise ValueError unless a search of `depth` plies can choose a move; a negative depth would never end."""
    if depth < 1:
        raise ValueError(f"depth is {depth}; search at least 1 ply")


# Move ordering, on which the speed of alpha-beta depends.
#
# An order never changes the score that a search finds, only its number of nodes, and which of equal moves is first.


class Order:
    """The game's own order. A call returns all legal moves of a state, the suggested one first."""

    def __call__(self, state: Any, hint: Any | None = None) -> Iterable[Any]:
        """Return all legal moves of `state`, each once. `hint` is one of them, or None."""
        if hint is None:
            return state.legal_moves()  # type: ignore[no-any-return]  # a state of any game
        return [hint, *(move for move in state.legal_moves() if move != hint)]

    def cut(self, state: Any, move: Any, depth: int) -> None:
        """Record that `move` caused a cutoff, `depth` plies above the leaves."""


AS_LISTED = Order()


class History(Order):
    """An order by the number of cutoffs in all positions: such moves are likely to be good here, too.

    A call returns all legal moves of a state. Schaeffer, "The history heuristic", ICCA Journal 6 (1983). Moves without
    a cutoff stay in the game's order, or in the fixed order that `random` gives them. Where `noisy` is given, its moves
    come before the others, in its order.
    """

    def __init__(self, random: Random | None = None, noisy: NoisyMoves | None = None) -> None:
        self._fresh: Callable[[], float] = random.random if random else float
        self._merits: dict[tuple[int, Any], float] = {}
        self._noisy = noisy

    def __call__(self, state: Any, hint: Any | None = None) -> list[Any]:
        merits, seat = self._merits, state.to_move
        moves = list(state.legal_moves())
        for move in moves:
            if (seat, move) not in merits:
                merits[seat, move] = self._fresh()  # less than 1, the least value of a cutoff
        if self._noisy is None:
            moves.sort(key=lambda move: (move != hint, -merits[seat, move]))
            return moves
        noisy = self._noisy(state, 0)
        place = {} if noisy.forced else {move: place for place, move in enumerate(noisy.moves)}
        last = len(place)
        moves.sort(key=lambda move: (move != hint, place.get(move, last), -merits[seat, move]))
        return moves

    def cut(self, state: Any, move: Any, depth: int) -> None:
        key = (state.to_move, move)
        self._merits[key] = self._merits.get(key, 0.0) + 2**depth  # it has saved a tree of that size


# A transposition table: a position that is reached by two lines is searched once.
#
# Greenblatt, Eastlake and Crocker, "The Greenblatt chess program", AFIPS Fall Joint Computer Conference (1967).
#
# Its answer is exactly the result of a search without a table, which needs care in three places:
#
# - **Depth.** A score is only used for the same depth. A deeper one would be better, but different.
# - **Distance.** A win is worth less the further it is from the root; the table stores its distance from its position.
# - **History.** Positions are equal when pieces and turn are, but draw rules use the history, so equal positions may
#   have different values: the graph-history interaction problem (Palay, "Searching with Probabilities", 1985).
#   `lookback(state, depth)` is the part of the history on which a search of that depth depends; a score is used only if
#   it is equal. By default that is nothing: right for games whose rules do not use the history, in others wrong near a
#   draw.
#
# A position's best move is a good first guess for any depth and history: `hint`.

SIZE = 1 << 16  # positions; some 50 MB
Lookback = Callable[[Any, int], Hashable]


class TableEntry(NamedTuple):
    depth: int
    past: Hashable
    low: float  # the score is at least this
    high: float  # and at most this
    pv: tuple[Any, ...]


def nothing(_state: Any, _depth: int) -> Hashable:
    return None


class Table:
    """A table of the last result of each position, which is returned where a search would find the same.

    Of more than `size` positions the oldest are dropped. `lookback`: see above.
    """

    def __init__(self, size: int = SIZE, lookback: Lookback = nothing) -> None:
        self._entries: OrderedDict[Any, TableEntry] = OrderedDict()
        self._size, self._lookback = size, lookback

    def answer(self, state: Any, depth: int, ply: int, alpha: float, beta: float) -> Best | None:
        """Return the stored result of `state`, if it is enough for a search with this window. It counts as one node."""
        entry = self._entries.get(state)
        if entry is None or entry.depth != depth or entry.past != self._lookback(state, depth):
            return None
        low, high = _shifted(entry.low, -ply), _shifted(entry.high, -ply)
        if low < beta and high > alpha and low != high:
            return None
        return Best(entry.pv[0], low if low >= beta else high, depth, 1, entry.pv)

    def hint(self, state: Any) -> Any | None:
        """Return the move that was best or cut here, at any depth; None for an unknown position."""
        entry = self._entries.get(state)
        return entry.pv[0] if entry else None

    def keep(self, state: Any, ply: int, alpha: float, beta: float, best: Best) -> None:
        """Store the result of a search with this window: a score, or a bound on it."""
        score = _shifted(best.score, ply)
        low = score if best.score > alpha else -inf
        high = score if best.score < beta else inf
        self._entries[state] = TableEntry(best.depth, self._lookback(state, best.depth), low, high, best.pv)
        self._entries.move_to_end(state)
        if len(self._entries) > self._size:
            self._entries.popitem(last=False)


def _shifted(score: float, plies: int) -> float:
    """Return a score from `plies` plies further down: a decided game is that much nearer."""
    if abs(score) <= WIN / 2:
        return score
    return score + plies if score > 0 else score - plies


# Iterative deepening: search one ply, then two, then three, and always have an answer.
#
# Slate and Atkin, "CHESS 4.5: the Northwestern University chess program", in: Chess Skill in Man and Machine (1977).
#
# Only this function has a deadline. The searches call `stop` and have no clocks.

Search = Callable[[int, Stop], Best]  # a search of one position: to a depth, until it is stopped


def deepening(search: Search, stop: Stop = never, *, max_depth: int = 64, max_nodes: float = inf) -> Iterator[Best]:
    """Search to depth 1, 2, 3 and so on.

    `search(depth, stop)` is one search to one depth, which raises Stopped when `stop` returns True. It ends after
    `max_depth` plies, when `stop` returns True, when a next node would be one more than `max_nodes`, or where a win or
    a loss is certain. Depth 1 is always searched, so there is always one result.

    Returns an iterator of Best, one for each depth that was searched to its end; its nodes are those of all depths so
    far.

        for best in deepening(lambda depth, stop: alpha_beta(state, depth, evaluate, stop=stop), clock.expired): ...
    """
    nodes = 0
    for depth in range(1, max_depth + 1):
        try:
            best = search(depth, never if depth == 1 else _limited(stop, max_nodes - nodes))
        except Stopped:
            return
        nodes += best.nodes
        yield best._replace(nodes=nodes)
        if abs(best.score) > WIN / 2 or nodes >= max_nodes or stop():
            return


def _limited(stop: Stop, nodes: float) -> Stop:
    """Return a `stop` that is also True after so many nodes: a search calls it at each of them."""
    visits = count(1)
    return lambda: next(visits) > nodes or stop()
