"""Watching of a search of a game tree by its callbacks: the positions that it visits, and their results.

A search takes its moves one after the other from an `Order`, and none after a cutoff; it calls an `evaluate` at the
leaves and a `Table` before and after everything in between. From these calls its whole tree is known.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from palio_clients.search.game_tree import AS_LISTED, Best, Evaluate, Order, Table


@dataclass(eq=False)
class Twig:
    """One visit to a position, and its result."""

    state: Any
    move: Any = None  # the move before it
    ply: int = 0
    number: int = 0  # of the visit, from 0
    moves: list[Any] = field(default_factory=list)  # all of them, in search order
    children: list["Twig"] = field(default_factory=list)  # the tried ones of these
    cut: bool = False  # the last child has made the moves after it unnecessary
    values: list[float] = field(default_factory=list)  # the results of `evaluate` here
    window: tuple[float, float] | None = None
    best: Best | None = None  # the search's result, if it stores it in a table
    known: bool = False  # a table had the answer

    def all(self) -> Iterator["Twig"]:
        """Yield this one and all below it, in the order of the visits."""
        yield self
        for child in self.children:
            yield from child.all()

    def unseen(self) -> list[Any]:
        """Return the positions after the moves that were not tried."""
        return [self.state.play(move) for move in self.moves[len(self.children) :]]


class Watch:
    """A recorder of the tree of one search from `state`, with this `order`, `table` and `evaluate`."""

    def __init__(self, state: Any, evaluate: Evaluate, *, order: Order = AS_LISTED, table: Table | None = None) -> None:
        self.root = Twig(state)
        self.order = _WatchedOrder(self, order)
        self.table = _WatchedTable(self, table)
        self._evaluate = evaluate
        self._path, self._visits = [self.root], 1

    @property
    def here(self) -> Twig:
        return self._path[-1]

    def evaluate(self, state: Any, seat: int) -> float:
        value = self._evaluate(state, seat)
        self.here.values.append(value)
        return value

    def enter(self, move: Any) -> None:
        above = self.here
        twig = Twig(above.state.play(move), move, above.ply + 1, self._visits)
        above.children.append(twig)
        self._path.append(twig)
        self._visits += 1

    def leave(self) -> None:
        self._path.pop()


class _WatchedOrder(Order):
    def __init__(self, watch: Watch, order: Order) -> None:
        self._watch, self._order = watch, order

    def __call__(self, state: Any, hint: Any | None = None) -> Iterator[Any]:
        moves = self._watch.here.moves = list(self._order(state, hint))
        for move in moves:
            self._watch.enter(move)
            yield move
            self._watch.leave()

    def cut(self, state: Any, move: Any, depth: int) -> None:
        self._watch.leave()  # the order gets no further call
        self._watch.here.cut = True
        self._order.cut(state, move, depth)


class _WatchedTable(Table):
    """A table without its own memory, with an optional real `table` behind it."""

    def __init__(self, watch: Watch, table: Table | None) -> None:
        super().__init__()
        self._watch, self._table = watch, table

    def answer(self, state: Any, depth: int, ply: int, alpha: float, beta: float) -> Best | None:
        found = None if self._table is None else self._table.answer(state, depth, ply, alpha, beta)
        here = self._watch.here
        here.window, here.best, here.known = (alpha, beta), found, found is not None
        return found

    def hint(self, state: Any) -> Any | None:
        return None if self._table is None else self._table.hint(state)

    def keep(self, state: Any, ply: int, alpha: float, beta: float, best: Best) -> None:
        self._watch.here.best = best
        if self._table is not None:
            self._table.keep(state, ply, alpha, beta, best)
