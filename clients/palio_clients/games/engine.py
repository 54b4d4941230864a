"""The engines for matches with an opponent: their interface, and the readable searches."""

from collections.abc import Callable
from functools import partial
from math import inf
from random import Random
from typing import Any, NamedTuple, Protocol, runtime_checkable

from palio_clients.search.game_tree import Best, Evaluate, History, Lookback, NoisyMoves, Stop, Table, deepening
from palio_clients.search.minimax import alpha_beta, paranoid
from palio_rules.game import Game

DEEPEST = 64  # plies; the search of a small endgame ends by itself
DECIDED = 1000.0


class Limits(NamedTuple):
    """The limits of one search; 0 is no limit."""

    depth: int = 0  # plies
    nodes: int = 0

    @property
    def plies(self) -> int:
        """Return the depth at which the search always ends."""
        return self.depth or DEEPEST


class Engine(Protocol):
    """An engine for one match, which keeps useful results from move to move."""

    remark: str | None  # for viewers and the person who started it; None if there is nothing to report

    def warm_up(self) -> None:
        """Compile what is needed, which may take some seconds the first time on a machine."""

    def best(self, state: Any, limits: Limits, stop: Stop) -> Best:
        """Return the best move that is found until `stop` or a limit; there is always one. `state` is not over."""


@runtime_checkable
class ReportsDepths(Protocol):
    """An engine that reports each searched depth to a callback."""

    show: Callable[[Best], None] | None


class ReadableEngine:
    """An engine without optional libraries, slow: alpha-beta with a table in a duel, paranoid for three or more seats.

    Iterative deepening, with the history heuristic.
    """

    def __init__(
        self,
        rules: Game[Any, Any],
        evaluate: Evaluate,
        lookback: Lookback,
        seed: int = 0,
        remark: str | None = None,
        noisy: NoisyMoves | None = None,
    ) -> None:
        self.remark = remark
        self.show: Callable[[Best], None] | None = None
        order = History(Random(seed) if seed else None, noisy)  # noqa: S311 - games, not secrets
        if rules.kind == "duel":
            table = Table(lookback=lookback)
            self._search = partial(alpha_beta, evaluate=evaluate, order=order, table=table, noisy=noisy)
        else:
            self._search = partial(paranoid, evaluate=evaluate, order=order)

    def warm_up(self) -> None:
        """Do nothing: there is nothing to compile."""

    def best(self, state: Any, limits: Limits, stop: Stop) -> Best:
        def search(depth: int, stop: Stop) -> Best:
            return self._search(state, depth, stop=stop)

        for best in deepening(search, stop, max_depth=limits.plies, max_nodes=limits.nodes or inf):
            if self.show is not None:
                self.show(best)
        return best


def shown(score: float) -> float:
    """Return a score for viewers: a decided game is a round thousand, not the search's own large number."""
    return max(-DECIDED, min(DECIDED, score))
