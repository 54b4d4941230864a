"""The engine: a compiled search with its memory, one for each match."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from palio_clients.kernels.jit import Flag, stop_flag, stoppable
from palio_clients.kernels.table import AGES, DECIDED, new_table
from palio_clients.search.game_tree import Best, Stop, never

TABLE_BITS = 18  # 2**18 buckets of 64 bytes: 16 MiB
DEEPEST = 64
FADING = 3  # bits by which older merits are reduced for the next search
UNIT = 100  # of the compiled evaluations: hundredths


class KernelEngine(ABC):
    """Iterative deepening over a search of one depth, which a game's subclass provides."""

    def __init__(self, bits: int = TABLE_BITS) -> None:
        self.table = new_table(bits)
        self.workspace: Any = None
        self._age = 0

    def _ready_workspace(self, state: Any) -> Any:
        """Return the workspace for the board of `state`, ready for a new search of it."""
        self.workspace["killers"] = 0
        self.workspace["history"] >>= FADING
        return self.workspace

    @abstractmethod
    def _search(self, state: Any, depth: int, flag: Flag) -> Best:
        """Search one depth, in the workspace; invalid if the flag was raised meanwhile."""

    def deepen(self, state: Any, stop: Stop = never, *, max_depth: int = DEEPEST, max_nodes: int = 0) -> Iterator[Best]:
        """Yield the result of each depth that was searched to its end, as `search.deepening` does.

        Nodes are those of all depths so far. Ends after `max_depth`, when `stop` says so, after `max_nodes` unless 0,
        or at a decided game. Depth 1 is always searched, so there is always one result.
        """
        self.workspace = self._ready_workspace(state)
        space, nodes = self.workspace[0], 0
        self._age = space["age"] = (self._age + 1) % int(AGES)
        with stop_flag(stop) as flag:
            for depth in range(1, max_depth + 1):
                first = depth == 1
                space["nodes"], space["limit"] = 0, 0 if first or not max_nodes else max_nodes - nodes
                best = self._search(state, depth, np.zeros(1, np.uint8) if first else flag)
                if flag[0] and not first:
                    return
                nodes += best.nodes
                yield best._replace(nodes=nodes)
                if flag[0] or abs(best.score) > DECIDED or 0 < max_nodes <= nodes:
                    return

    def best(self, state: Any, stop: Stop = never, *, max_depth: int = DEEPEST, max_nodes: int = 0) -> Best:
        """Return the last and deepest result of `deepen`."""
        *_, best = self.deepen(state, stop, max_depth=max_depth, max_nodes=max_nodes)
        return best

    def search(self, state: Any, depth: int, *, stop: Stop = never) -> Best:
        """Search to one depth. Raises Stopped."""
        self.workspace = self._ready_workspace(state)
        self.workspace[0]["nodes"] = self.workspace[0]["limit"] = 0
        with stoppable(stop) as flag:
            return self._search(state, depth, flag)


def shown(score: int) -> float:
    """Return a score in the units of `search`: wins unchanged, evaluations in pawns."""
    return float(score) if abs(score) > DECIDED else score / UNIT
