"""What thinks about a match with an opponent in it: the interface, and the readable searches behind it."""

from collections.abc import Callable
from functools import partial
from math import inf
from random import Random
from typing import Any, NamedTuple, Protocol, runtime_checkable

from palio_clients.search.game_tree import Best, Evaluate, History, Lookback, Stop, Table, deepening
from palio_clients.search.minimax import alpha_beta, paranoid
from palio_rules.game import Game

DEEPEST = 64  # plies; the search of a small endgame ends by itself
DECIDED = 1000.0


class Limits(NamedTuple):
    """Of one search; 0 is no limit."""

    depth: int = 0  # plies
    nodes: int = 0

    @property
    def plies(self) -> int:
        """The depth to end at in any case."""
        return self.depth or DEEPEST


class Engine(Protocol):
    """Thinks about one match, and remembers from move to move what is of use."""

    remark: str | None  # what viewers and whoever has started it should know; None if all is as it should be

    def warm_up(self) -> None:
        """Get ready to think at full speed, which may take some seconds the first time on a machine."""

    def best(self, state: Any, limits: Limits, stop: Stop) -> Best:
        """The best that is found until `stop` or a limit says so; there is always a move. `state` is not over."""


@runtime_checkable
class Showing(Protocol):
    """An engine that tells of each depth that it has searched, where somebody listens."""

    show: Callable[[Best], None] | None


class ReadableEngine:
    """Needs nothing installed, slow and right: alpha-beta with a table in a duel, paranoid at a table of more.

    Deeper and deeper, with the history heuristic.
    """

    def __init__(
        self, rules: Game[Any, Any], evaluate: Evaluate, lookback: Lookback, seed: int = 0, remark: str | None = None
    ) -> None:
        self.remark = remark
        self.show: Callable[[Best], None] | None = None
        order = History(Random(seed) if seed else None)  # noqa: S311 - games, not secrets
        if rules.kind == "duel":
            self._search = partial(alpha_beta, evaluate=evaluate, order=order, table=Table(lookback=lookback))
        else:
            self._search = partial(paranoid, evaluate=evaluate, order=order)

    def warm_up(self) -> None:
        """There is nothing to compile."""

    def best(self, state: Any, limits: Limits, stop: Stop) -> Best:
        def search(depth: int, stop: Stop) -> Best:
            return self._search(state, depth, stop=stop)

        for best in deepening(search, stop, max_depth=limits.plies, max_nodes=limits.nodes or inf):
            if self.show is not None:
                self.show(best)
        return best


def shown(score: float) -> float:
    """A score as viewers are shown it: a decided game is worth a round thousand, not the search's own large number."""
    return max(-DECIDED, min(DECIDED, score))
