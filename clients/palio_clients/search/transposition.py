"""A transposition table: a position that is reached by two lines is searched once.

Greenblatt, Eastlake and Crocker, "The Greenblatt chess program", AFIPS Fall Joint Computer Conference (1967).

What it answers is exactly what a search without a table would find, which takes care in three places:

- **Depth.** A score is used for the very depth it was searched to. A deeper one would be better, but not the same.
- **Distance.** A win is worth less the further it is from the root; the table keeps how far it is from its position.
- **History.** Positions are equal when pieces and turn are, but rules for draws look back, and so equal positions may
  be worth different things: the graph-history interaction problem (Palay, "Searching with Probabilities", 1985).
  `lookback(state, depth)` is what else a search of that depth depends on; a score is used only where it is the same.
  By default that is nothing: right for games whose rules do not look back, in others wrong wherever a draw is near.

Whatever its depth and its history, a position's best move is a good first guess: `hint`.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from math import inf
from typing import Any, NamedTuple

from palio_clients.search.game_tree import WIN, Best

SIZE = 1 << 16  # positions; some 50 MB
Lookback = Callable[[Any, int], Hashable]


class Entry(NamedTuple):
    depth: int
    past: Hashable
    low: float  # the score is at least this
    high: float  # and at most this
    pv: tuple[Any, ...]


def nothing(_state: Any, _depth: int) -> Hashable:
    return None


class Table:
    """Remembers the last result of each position, and returns it where it is what a search would find.

    Of more than `size` positions the oldest are forgotten. `lookback`: see above.
    """

    def __init__(self, size: int = SIZE, lookback: Lookback = nothing) -> None:
        self._entries: OrderedDict[Any, Entry] = OrderedDict()
        self._size, self._lookback = size, lookback

    def answer(self, state: Any, depth: int, ply: int, alpha: float, beta: float) -> Best | None:
        """What is known of `state`, if that is enough for a search with this window. It counts as one node."""
        entry = self._entries.get(state)
        if entry is None or entry.depth != depth or entry.past != self._lookback(state, depth):
            return None
        low, high = _shifted(entry.low, -ply), _shifted(entry.high, -ply)
        if low < beta and high > alpha and low != high:
            return None
        return Best(entry.pv[0], low if low >= beta else high, depth, 1, entry.pv)

    def hint(self, state: Any) -> Any | None:
        """The move that was best or cut here, at whatever depth; None for an unknown position."""
        entry = self._entries.get(state)
        return entry.pv[0] if entry else None

    def keep(self, state: Any, ply: int, alpha: float, beta: float, best: Best) -> None:
        """Remember what a search with this window has found: a score, or a bound on it."""
        score = _shifted(best.score, ply)
        low = score if best.score > alpha else -inf
        high = score if best.score < beta else inf
        self._entries[state] = Entry(best.depth, self._lookback(state, best.depth), low, high, best.pv)
        self._entries.move_to_end(state)
        if len(self._entries) > self._size:
            self._entries.popitem(last=False)


def _shifted(score: float, plies: int) -> float:
    """A score as seen `plies` plies further down: a decided game is that much nearer."""
    if abs(score) <= WIN / 2:
        return score
    return score + plies if score > 0 else score - plies
