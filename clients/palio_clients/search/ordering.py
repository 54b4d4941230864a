"""In which order moves are tried: alpha-beta owes its speed to it.

An order never changes the score that a search finds, only how many nodes that takes, and which of equal moves is first.
"""

from collections.abc import Callable, Iterable
from random import Random
from typing import Any


class Order:
    """The game's own order. A call returns all legal moves of a state, the suggested one first."""

    def __call__(self, state: Any, hint: Any | None = None) -> Iterable[Any]:
        """All legal moves of `state`, each once. `hint` is one of them, or None."""
        if hint is None:
            return state.legal_moves()  # type: ignore[no-any-return]  # a state of any game
        return [hint, *(move for move in state.legal_moves() if move != hint)]

    def cut(self, state: Any, move: Any, depth: int) -> None:
        """Called by a search when `move` has cut off those after it, `depth` plies above the leaves."""


AS_LISTED = Order()


class History(Order):
    """Those moves first that have cut most often, in whatever position: they are likely to be good here, too.

    A call returns all legal moves of a state. Schaeffer, "The history heuristic", ICCA Journal 6 (1983). Moves that
    have never cut stay in the game's order, or in the order that `random` gives them, the same one all the time.
    """

    def __init__(self, random: Random | None = None) -> None:
        self._fresh: Callable[[], float] = random.random if random else float
        self._merits: dict[tuple[int, Any], float] = {}

    def __call__(self, state: Any, hint: Any | None = None) -> list[Any]:
        merits, seat = self._merits, state.to_move
        moves = list(state.legal_moves())
        for move in moves:
            if (seat, move) not in merits:
                merits[seat, move] = self._fresh()  # less than 1, the least that a cut is worth
        moves.sort(key=lambda move: (move != hint, -merits[seat, move]))
        return moves

    def cut(self, state: Any, move: Any, depth: int) -> None:
        key = (state.to_move, move)
        self._merits[key] = self._merits.get(key, 0.0) + 2**depth  # it has saved a tree of that size
